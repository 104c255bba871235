"""Endpoints that leave logs out of a list without a word."""

from __future__ import annotations

import pytest

from tests.chain.scanned_node import Endpoint, heights, log_at, scanned
from toolkit.chain.log_width import LogLimits
from toolkit.errors import IncompleteRangeError


def _spread(count, top=10_000):
    """So many logs over a range, at most one in a block."""
    step = top // count
    return [log_at(number) for number in range(step, step * count + 1, step)]


@pytest.mark.parametrize("keeps_newest", [False, True])
@pytest.mark.parametrize("cap", [100, 500, 1_000, 1_024, 2_000, 3_000])
def test_a_list_that_was_cut_without_a_word_is_found_out(cap, keeps_newest):
    """ethers.js users got 100 logs and took them for all: half of their deposits."""
    endpoint = Endpoint(_spread(4_000), cuts_at=cap, keeps_newest=keeps_newest)
    limits = LogLimits()

    page = scanned(endpoint, pin=10_000, limit=10_000, limits=limits)

    assert page.complete
    assert len(page.logs) == 4_000
    assert limits.results == cap


def test_a_round_count_that_is_the_truth_costs_one_request_more():
    """A wallet with exactly a thousand transfers must not be read twice."""
    endpoint = Endpoint(_spread(1_000))
    limits = LogLimits()

    page = scanned(endpoint, pin=10_000, limit=10_000, limits=limits)

    assert page.complete
    assert len(page.logs) == 1_000
    assert len(endpoint.sent) == 2
    assert limits.results is None


def test_who_gave_more_before_is_not_suspected_again():
    """An endpoint that gave 2,001 logs does not cut at a thousand."""
    endpoint = Endpoint([*_spread(1_000), *(log_at(n) for n in range(10_001, 12_002))])

    page = scanned(endpoint, pin=20_000, limit=10_000)

    assert page.complete
    assert len(endpoint.sent) == 2


def test_a_block_at_a_cap_is_checked_by_its_receipts():
    """One airdrop to a hundred people is no cut, and the receipts know."""
    endpoint = Endpoint([log_at(50, index) for index in range(100)])

    page = scanned(endpoint, limit=1_000)

    assert page.complete
    assert ["eth_getBlockReceipts"] in endpoint.sent


def test_a_block_whose_receipts_hold_more_is_an_error_and_no_list():
    """What the endpoint itself contradicts must not be counted."""
    logs = [log_at(50, index) for index in range(130)]

    page = scanned(Endpoint([*logs, log_at(80)], cuts_at=100), limit=1_000)

    assert heights(page) == [80]
    assert type(page.error) is IncompleteRangeError
    assert page.left == (1, 50)


def test_a_block_at_a_cap_without_receipts_is_listed_and_called_unproven():
    """The rest of the list is still worth having; it is not called whole."""
    logs = [log_at(20), *(log_at(50, index) for index in range(130))]

    page = scanned(Endpoint(logs, cuts_at=100, receipts=False), limit=1_000)

    assert (page.complete, page.unproven, page.left) == (False, (50,), None)
    assert (page.covered_from, page.stopped_because) == (1, "incomplete_range")
    assert "block 50" in str(page.error)
    assert len(page.logs) == 101


def test_an_endpoint_that_answers_less_when_asked_again_is_not_believed():
    """Two lists that contradict each other are not one list."""
    endpoint = Endpoint([log_at(n) for n in range(1, 101)])
    answers = endpoint.eth_getLogs

    def shrinking(wanted):
        if len(endpoint.sent) > 1:
            endpoint.logs = [log_at(n) for n in range(1, 100)]
        return answers(wanted)

    endpoint.eth_getLogs = shrinking
    page = scanned(endpoint, limit=1_000)

    assert not page.complete
    assert type(page.error) is IncompleteRangeError
    assert page.left is not None
