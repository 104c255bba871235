"""Scans of logs against endpoints that refuse, lag, lie or break off."""

from __future__ import annotations

import pytest

from tests.chain.scanned_node import (
    NOW,
    OTHER_WORD,
    WORD,
    Endpoint,
    hash_of,
    header_of,
    heights,
    log_at,
    pin_at,
    scanned,
    too_wide,
)
from toolkit.chain.log_scan import scan_logs
from toolkit.chain.logs import LogScan
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    EndpointMisbehavedError,
    IncompleteRangeError,
    RangeTooLargeError,
    ReorgedError,
    RequestTooLargeError,
    RpcRefusedError,
)
from toolkit.tools.abi import TRANSFER_TOPIC


@pytest.mark.parametrize(
    "refusal",
    [
        RangeTooLargeError("The range is too large."),
        RequestTooLargeError("The answer is too large."),
        RpcRefusedError("Refused, for whatever reason."),
    ],
)
def test_a_slice_that_is_refused_is_halved_until_it_is_answered(refusal):
    """A provider's limit on ranges must not end a list that it could give in parts."""
    endpoint = Endpoint([log_at(3), log_at(50), log_at(97)], refuses=too_wide(refusal, 40))

    page = scanned(endpoint)

    assert page.complete
    assert heights(page) == [97, 50, 3]
    assert (page.covered_from, page.covered_to) == (1, 100)


def test_a_block_that_is_refused_alone_ends_the_scan_and_is_named():
    """What was read above the refused block is still true, and the rest must not look read."""

    def refuses(foot, _top):
        return RpcRefusedError("Refused.") if foot <= 60 else None

    page = scanned(Endpoint([log_at(50), log_at(97)], refuses=refuses))

    assert not page.complete
    assert heights(page) == [97]
    assert (page.covered_from, page.stopped_because) == (61, "range_too_large")
    assert "block 60" in str(page.error)


def test_a_slice_costs_one_request_with_the_proof_that_the_node_has_it():
    """Two requests a slice double the time and the bill of a long range."""
    endpoint = Endpoint([log_at(97)])

    page = scanned(endpoint)

    assert page.complete
    assert endpoint.sent == [["eth_getLogs", "eth_getLogs", "eth_getBlockByNumber"]]
    assert page.witness.transport == "batch"


@pytest.mark.parametrize(
    "header",
    [None, BlockNotFoundError("Unknown block."), BlockAheadOfHeadError("Not mined yet.")],
)
def test_a_node_that_lags_is_never_taken_for_an_empty_range(header):
    """A node behind its balancer's head answers []: "no transfers", where there were some."""
    endpoint = Endpoint([], header=lambda _: header)

    page = scanned(endpoint)

    assert not page.complete
    assert len(endpoint.sent) == 1
    assert page.covered_from is None
    assert type(page.error) is IncompleteRangeError
    assert page.error.retryable
    assert page.stopped_because == "incomplete_range"


def test_a_node_that_lacks_a_lower_slice_covers_only_the_upper_one():
    """The part that another node proved stays, and nothing below it counts as read."""
    endpoint = Endpoint(
        [log_at(24_000)], header=lambda number: header_of(number) if number > 20_000 else None
    )

    page = scanned(endpoint, pin=25_000)

    assert heights(page) == [24_000]
    assert (page.covered_from, page.covered_to) == (15_001, 25_000)
    assert page.stopped_because == "incomplete_range"


def test_a_header_of_another_height_proves_nothing():
    """An endpoint that answers the past with its head has not shown that it has the block."""
    page = scanned(Endpoint(header=lambda _: header_of(99)), first=1)

    assert type(page.error) is EndpointMisbehavedError
    assert page.covered_from is None


@pytest.mark.parametrize(
    ("logs", "header"),
    [
        pytest.param([log_at(97)], lambda n: header_of(n) | {"hash": hash_of(999)}, id="pin"),
        pytest.param([log_at(100, blockHash=hash_of(999))], header_of, id="log_at_the_pin"),
        pytest.param([log_at(50), log_at(50, 1, blockHash=hash_of(999))], header_of, id="below"),
    ],
)
def test_a_reorg_inside_a_scan_is_told_and_its_logs_are_dropped(logs, header):
    """Logs of two chains in one list are a history that never happened."""
    page = scanned(Endpoint(logs, header=header))

    assert type(page.error) is ReorgedError
    assert page.stopped_because == "reorged"
    assert page.logs == ()
    assert page.covered_from is None


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(log_at(101), id="above_the_range"),
        pytest.param(log_at(9), id="below_the_range"),
        pytest.param(log_at(50, topics=["0x" + OTHER_WORD.hex()] * 3), id="another_event"),
        pytest.param(log_at(50, topics=["0x" + TRANSFER_TOPIC.hex()]), id="too_few_topics"),
        pytest.param(log_at(50, removed=True), id="removed"),
        pytest.param(
            log_at(50, topics=[*log_at(50)["topics"][:2], "0x" + "02" * 31]), id="short_topic"
        ),
    ],
)
def test_a_log_that_was_not_asked_for_is_refused(log):
    """Somebody else's transfer in the list is money that never moved here."""
    scan = LogScan(((TRANSFER_TOPIC, WORD),), 10, 100, 50)

    page = scan_logs(Endpoint([log], lies=True), pin_at(100), scan, now=lambda: NOW)

    assert type(page.error) is EndpointMisbehavedError
    assert page.logs == ()


def test_an_exact_limit_with_range_left_says_that_it_stopped():
    """Exactly as many as asked for looks whole, and the blocks below were never read."""
    logs = [log_at(20_000), log_at(20_001), log_at(20_002)]

    stopped = scanned(Endpoint(logs), pin=25_000, limit=3)
    whole = scanned(Endpoint(logs), pin=25_000, first=15_001, limit=3)

    assert (stopped.complete, stopped.stopped_because) == (False, "limit")
    assert (stopped.covered_from, stopped.covered_to) == (15_001, 25_000)
    assert (whole.complete, whole.stopped_because, len(whole.logs)) == (True, None, 3)


def test_a_limit_that_cuts_within_a_block_does_not_cover_that_block():
    """Half of a block's transfers under "covered" makes a wrong sum of that block."""
    logs = [log_at(80), *(log_at(90, index) for index in range(3)), log_at(95)]

    page = scanned(Endpoint(logs), limit=2)

    assert [(log.block_number, log.log_index) for log in page.logs] == [(95, 0), (90, 2)]
    assert (page.covered_from, page.covered_to) == (91, 100)
    assert (page.complete, page.stopped_because) == (False, "limit")


def test_a_limit_that_cuts_the_topmost_block_covers_nothing():
    """A range that ends below its own beginning is no range."""
    page = scanned(Endpoint([log_at(100, 0), log_at(100, 1)]), limit=1)

    assert (page.covered_from, page.covered_to) == (None, None)
    assert len(page.logs) == 1
