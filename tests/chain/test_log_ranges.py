"""Ranges of logs against providers' caps, each told in its own words, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chain.scanned_node import Endpoint, heights, log_at, scanned, told, too_wide
from toolkit.chain.log_ranges import RangeHint, range_hint
from toolkit.errors import RangeTooLargeError

# What public providers say, as they are known from their users' reports; and what is in it:
# a width for any range, a width for this one, or nothing.
ANY, THIS = True, False
TEXTS = (
    ("query exceeds max block range 10000", 10_000, ANY),
    ("query exceeds max block range 100000", 100_000, ANY),
    ("eth_getLogs is limited to a 1024 block range", 1_024, ANY),
    ("eth_getLogs is limited to a 10,000 range", 10_000, ANY),
    ("eth_getLogs and eth_newFilter are limited to a 10,000 blocks range", 10_000, ANY),
    ("eth_getLogs is limited to 0 - 10000 blocks range", 10_000, ANY),
    ("range is too large, max is 1k blocks", 1_000, ANY),
    ("exceed maximum block range: 5000", 5_000, ANY),
    ("exceed maximum block range: 50000", 50_000, ANY),
    ("Max range: 800", 800, ANY),
    ("Maximum allowed number of requested blocks is 3500", 3_500, ANY),
    ("requested too many blocks from 100 to 5000, maximum is set to 2048", 2_048, ANY),
    ("ranges over 10000 blocks are not supported on freetier", 10_000, ANY),
    ("You can make eth_getLogs requests with up to a 500 block range", 500, ANY),
    ("Please limit the query to at most 1000 blocks", 1_000, ANY),
    ("block range greater than 2000 max", 2_000, ANY),
    ("Block range should be within 5000", 5_000, ANY),
    ("exceeded max allowed blocks: 2,000", 2_000, ANY),
    ("block range exceeds the range allowed for your plan (1000 > 500)", 500, ANY),
    ("query block range 15000 exceeds 10000 block limit", 10_000, ANY),
    ("Block range is too large: 99999, max: 9999", 9_999, ANY),
    ("The range between fromBlock and toBlock must not exceed 5000", 5_000, ANY),
    ("logs over more than 1000 blocks are not served", 1_000, ANY),
    ("Try with this block range [0x1, 0x20].", 32, THIS),
    ("Query returned more than 10000 results. Try with this block range [0x10, 0x1f].", 16, THIS),
    (
        "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block "
        "range and no limit on the response size, or you can request any block range with a cap "
        "of 10K logs in the response. Based on your parameters and the response size limit, "
        "this block range should work: [0x5, 0x8]",
        4,
        THIS,
    ),
    ("query returned more than 20000 results, retry with the range 100-153", 54, THIS),
    ("block range limit exceeded", None, ANY),
    ("block range is too wide", None, ANY),
    ("Block range is too large", None, ANY),
    ("query returned more than 10000 results", None, ANY),
    ("logs are limited to 20000 logs a request, narrow the range", None, ANY),
    ("backend response too large", None, ANY),
    ("log response size exceeded the 150mb limit", None, ANY),
    ("query timeout exceeded; reduce the range", None, ANY),
)


@pytest.mark.parametrize(("text", "blocks", "in_any_range"), TEXTS)
def test_a_provider_s_text_says_how_much_it_takes(text, blocks, in_any_range):
    """Each request over a cap that was told is paid for and refused again."""
    error = told(text)
    hint = range_hint(text.lower())

    assert type(error) is RangeTooLargeError
    assert text not in str(error)
    assert error.suggested_blocks == blocks
    assert hint == (None if blocks is None else RangeHint(blocks, in_any_range))


@pytest.mark.parametrize("text", [row[0] for row in TEXTS])
@pytest.mark.parametrize("widest", [9, 40, 1_000])
def test_every_text_ends_in_a_whole_list_whatever_the_endpoint_then_takes(text, widest):
    """A text that names a wrong number must not cost a single block."""
    places = range(1, 30_000, 997)
    endpoint = Endpoint([log_at(n) for n in places], refuses=too_wide(told(text), widest))

    page = scanned(endpoint, pin=30_000, limit=1_000)

    assert page.complete
    assert heights(page) == sorted(places, reverse=True)


def test_a_cap_that_was_told_is_met_at_once_and_remembered():
    """Halving towards a number that was given wastes an allowance, on every slice anew."""
    refusal = told("eth_getLogs is limited to a 1024 block range")
    endpoint = Endpoint(refuses=too_wide(refusal, 1_024))

    assert scanned(endpoint, pin=20_480).complete
    assert len(endpoint.sent) == 1 + 20


def test_a_proposed_range_that_is_not_narrower_is_halved():
    """reth once proposed the very range that it had refused: an endless loop."""
    endpoint = Endpoint([log_at(50)])

    def refuses(foot, top):
        same = f"query exceeds max results 20, retry with the range {foot}-{top}"
        return told(same) if top - foot + 1 > 30 else None

    endpoint.refuses = refuses
    page = scanned(endpoint)

    assert heights(page) == [50]
    assert page.complete
    assert len(endpoint.sent) < 15


def test_a_cap_that_counts_its_ends_otherwise_loses_no_block():
    """A "1000 block range" that means 999 must end in a narrower request, not in a gap."""
    refusal = told("exceed maximum block range: 1000")
    places = (1, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 5_000)
    endpoint = Endpoint([log_at(n) for n in places], refuses=too_wide(refusal, 999))

    page = scanned(endpoint, pin=5_000)

    assert page.complete
    assert heights(page) == sorted(places, reverse=True)
    assert len(endpoint.sent) <= 2 + 7


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_union_of_slices_is_the_truth_for_any_cap(data):
    """Whatever an endpoint's caps, a list that says complete has every log once."""
    top = data.draw(st.integers(1, 400), "top")
    counts = data.draw(
        st.dictionaries(
            st.integers(1, top), st.sampled_from([1, 3, 50, 99, 100, 101, 130]), max_size=12
        ),
        "logs",
    )
    logs = [log_at(n, i) for n in sorted(counts) for i in range(counts[n])]
    text = data.draw(st.sampled_from(TEXTS), "text")[0]
    widest = data.draw(st.sampled_from([1, 2, 7, 50, 399, 10_000]), "widest")
    most = data.draw(st.sampled_from([1, 40, 150, 10_000]), "most")
    endpoint = Endpoint(
        logs,
        cuts_at=data.draw(st.sampled_from([None, 100, 200, 500]), "cuts_at"),
        keeps_newest=data.draw(st.booleans(), "keeps_newest"),
        receipts=data.draw(st.booleans(), "receipts"),
        takes_batches=data.draw(st.booleans(), "batches"),
    )

    def refuses(foot, high):
        count = sum(counts[n] for n in counts if foot <= n <= high)
        return told(text) if high - foot + 1 > widest or count > most else None

    endpoint.refuses = refuses
    page = scanned(endpoint, pin=top, limit=10**6)
    found = [(log.block_number, log.log_index) for log in page.logs]

    assert len(set(found)) == len(found)
    low = top + 1 if page.covered_from is None else page.covered_from
    truth = {(n, i) for n in counts if n >= low for i in range(counts[n])}
    doubted = set(page.unproven)
    assert {place for place in truth if place[0] not in doubted} <= set(found) <= truth
    if page.complete:
        assert (set(found), low, page.left) == (truth, 1, None)
    elif page.left is not None:
        assert page.left == (1, low - 1)
