"""Scans that the store remembers: what is asked again, what is not, and what never counts."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace

import pytest

from tests.chain.scanned_chain import Asker, ScannedChain
from tests.chain.scanned_node import FILTERS, NOW, WORD, heights
from toolkit.chain.logs import LogScan
from toolkit.errors import EndpointMisbehavedError, EndpointsDisagreeError, ReorgedError
from toolkit.store import Database, Facts


def sparsely(number):
    """A log in every thousandth block: a hundred of them in a slice would look cut."""
    return int(number % 1_000 == 0)


@pytest.fixture
def store(tmp_path):
    """A store of its own."""
    database = Database(tmp_path)
    yield database
    database.close()


def test_a_second_question_reads_only_what_is_missing(store):
    """An analyst who comes back each day must not pay for the same months each day."""
    chain = ScannedChain(head=3_000, final=3_000)
    asker = Asker(chain, store)

    first = asker.ask(2_000, 1_000)
    assert chain.asked == [(1_000, 2_000)]
    again = asker.ask(2_000, 1_000)
    assert chain.asked == []
    wider = asker.ask(3_000, 500)

    assert chain.asked == [(2_001, 3_000), (500, 999)]
    assert (first.from_cache, again.from_cache, wider.from_cache) == (False, True, False)
    assert again == replace(first, parts=again.parts)
    assert heights(wider) == list(range(3_000, 499, -100))
    assert wider.complete
    assert [(p.from_block, p.to_block, p.from_cache) for p in wider.parts] == [
        (2_001, 3_000, False),
        (1_000, 2_000, True),
        (500, 999, False),
    ]


def test_a_warm_question_costs_no_request(store):
    """A page that is opened again opens from the store."""
    chain = ScannedChain(head=2_000, final=2_000)
    Asker(chain, store).ask(2_000)
    requests = chain.requests

    page = Asker(chain, store).ask(2_000)

    assert page.complete
    assert page.from_cache
    assert page.witness.read_at == NOW
    assert chain.requests == requests


def test_a_page_from_the_store_stops_at_its_limit_as_one_from_the_chain_does(store):
    """The same question must have the same answer, warm or cold."""
    chain = ScannedChain(logs_in=lambda number: 3 * (number % 40 == 0))
    cold = [Asker(chain).ask(1_000, limit=limit) for limit in range(1, 40)]
    Asker(chain, store).ask(1_000)

    warm = [Asker(chain, store).ask(1_000, limit=limit) for limit in range(1, 40)]

    assert [(p.logs, p.complete, p.stopped_because) for p in warm] == [
        (p.logs, p.complete, p.stopped_because) for p in cold
    ]
    for page in warm:
        assert page.left is None or page.left[1] < (page.covered_from or 1_001)


def test_another_filter_is_another_question(store):
    """Coverage of one address says nothing of another one's transfers."""
    chain = ScannedChain()
    asker = Asker(chain, store)
    asker.ask(1_000)
    chain.slices.clear()

    asker.reader.scan(asker.pin(1_000).pin, LogScan(FILTERS[:1], 1, 1_000, 50))

    assert chain.asked == [(1, 1_000)]


def test_what_was_read_of_a_block_that_left_the_chain_is_never_served(store):
    """A deposit that a reorg undid must not stand in the list for ever."""
    chain = ScannedChain(head=1_000, final=500)
    asker = Asker(chain, store)
    old = asker.ask(1_000)
    assert asker.ask(1_000).logs == old.logs
    gone = chain.hash_of(1_000)
    chain.reorg(990)
    chain.logs_in = lambda number: int(number % 100 == 0 and number < 1_000)
    chain.slices.clear()

    new = Asker(chain, store).ask(1_000)

    assert heights(new) == heights(old)[1:]
    assert new.complete
    assert {log.block_hash for log in new.logs} == {chain.hash_of(n) for n in heights(new)}
    kept = Facts(store, 1).logs.in_block(gone)
    assert [log.block_number for log in kept] == [1_000]


def test_below_a_reorg_what_was_read_stays_known(store):
    """A reorg of ten blocks must not cost months of requests."""
    chain = ScannedChain(head=20_000, final=100, logs_in=sparsely)
    asker = Asker(chain, store)
    asker.ask(20_000)
    assert chain.asked == [(10_001, 20_000), (1, 10_000)]
    chain.reorg(19_990)

    page = asker.ask(20_000)

    assert page.complete
    assert chain.asked == [(10_001, 20_000)]
    assert {log.block_hash for log in page.logs} == {chain.hash_of(n) for n in heights(page)}


def test_a_newer_pin_asks_once_whether_what_is_known_still_stands(store):
    """Following the head must cost the new blocks and no more, however often one looks."""
    chain = ScannedChain(head=1_000, final=10)
    asker = Asker(chain, store)
    asker.ask(1_000)
    for head in range(1_010, 1_100, 10):
        chain.head = head
        chain.slices.clear()
        before = len(chain.sent)
        page = asker.ask(head)

        assert page.complete
        assert chain.asked == [(head - 9, head)]
        # The pin, one header of what is known, the gap, and the pin again.
        assert len(chain.sent) - before == 4


def test_an_orphaned_pin_is_told_its_own_logs_or_nothing(store):
    """A page opened by the hash of a block that is gone must not mix two chains."""
    chain = ScannedChain(head=1_000, final=100)
    asker = Asker(chain, store)
    asker.ask(950, 941)
    gone = asker.pin(950).pin.hash
    chain.reorg(945)
    asker.ask(1_000)

    assert asker.ask(gone, 941).complete
    with pytest.raises(ReorgedError):
        asker.ask(gone, 900)


def test_a_scan_that_was_ended_goes_on_from_where_it_was(store):
    """An hour of reading must not be lost to Ctrl-C."""
    chain = ScannedChain(head=50_000, final=50_000, logs_in=sparsely)
    told = []

    def watch(found):
        told.append((found.from_block, found.to_block))
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Asker(chain, store).ask(50_000, watch=watch)
    assert chain.asked == [(40_001, 50_000), (30_001, 40_000), (20_001, 30_000)]

    page = Asker(chain, store).ask(50_000)

    assert chain.asked == [(10_001, 20_000), (1, 10_000)]
    assert told == [(40_001, 50_000), (30_001, 40_000), (20_001, 30_000)]
    assert page.complete
    assert len(page.logs) == 50


def test_a_scan_that_failed_covers_what_it_read_and_no_more(store):
    """A gap that looks covered is a gap for ever."""
    chain = ScannedChain(head=30_000, final=30_000, logs_in=sparsely)
    whole = chain.eth_getLogs

    def broken(wanted):
        return [{}] if int(wanted["fromBlock"], 16) == 1 else whole(wanted)

    chain.eth_getLogs = broken
    page = Asker(chain, store).ask(30_000)
    assert (page.covered_from, page.left) == (10_001, (1, 10_000))
    chain.eth_getLogs = whole
    chain.slices.clear()

    assert Asker(chain, store).ask(30_000).complete
    assert chain.asked == [(1, 10_000)]


def test_a_list_that_may_be_cut_is_not_remembered_as_whole(store):
    """A cap that nobody could look behind today may be looked behind tomorrow."""
    chain = ScannedChain(head=300, final=300, logs_in=lambda number: 100 * (number == 200))
    page = Asker(chain, store).ask(300)
    assert page.unproven == (200,)
    chain.slices.clear()

    Asker(chain, store).ask(300)

    assert (200, 200) in chain.asked


def test_two_different_logs_in_one_place_are_an_error_and_no_list(store):
    """One of two endpoints lies, and the sum of either list would be a lie."""
    chain = ScannedChain()
    Asker(chain, store).ask(1_000, 500)
    other = ScannedChain(endpoint_id="other", changed={"data": "0x" + "01" * 32})
    digest = LogScan(FILTERS[:1], 1, 1_000, 100)

    asker = Asker(other, store)
    page = asker.reader.scan(asker.pin(1_000).pin, digest)

    assert type(page.error) is EndpointsDisagreeError
    assert page.logs == ()
    first = Asker(chain, store).ask(1_000, 500)
    assert type(first.error) is EndpointsDisagreeError
    assert first.logs == ()

    for height in range(500, 1_001, 100):
        Facts(store, 1).invalidate(height)
    assert Asker(chain, store).ask(1_000, 500).complete


def test_an_endpoint_that_takes_no_batch_is_remembered_only_where_all_nodes_have_the_block(store):
    """Behind a balancer the list may come from a node that lags behind the header's."""
    chain = ScannedChain(head=1_000, final=500)
    asker = Asker(chain, store)

    def single(calls):
        return ScannedChain.send(chain, calls) if len(calls) == 1 else _refused()

    def ask(height):
        pinned = asker.pin(height)
        chain.send = single
        page = asker.reader.scan(pinned.pin, LogScan(FILTERS, 1, height, 50))
        del chain.send
        return page

    assert ask(1_000).complete
    chain.slices.clear()
    ask(1_000)
    assert chain.asked == [(1, 1_000)]
    ask(400)
    chain.slices.clear()
    assert ask(400).from_cache
    assert chain.asked == []


def _refused():
    raise EndpointMisbehavedError("One error came for a whole batch.")


def test_a_range_past_the_pin_or_upside_down_is_refused_unasked(store):
    """Nodes answer such ranges with half of them, and no word of that."""
    chain = ScannedChain()
    asker = Asker(chain, store)
    pin = asker.pin(900).pin

    for first, last in ((1, 901), (10, 9), (901, 950)):
        page = asker.reader.scan(pin, LogScan(FILTERS, first, last, 50))

        assert page.stopped_because == "range_too_large"
        assert page.covered_from is None
    assert chain.asked == []


@pytest.mark.parametrize("kept", [False, True])
def test_memory_does_not_grow_with_the_blocks(store, kept):
    """Months of blocks must not need a bigger machine than a day's."""
    chain = ScannedChain(head=1_600_000, final=1_600_000)
    chain._logs = lambda foot, top: iter(())
    chain.slices = chain.sent = _Forgetful()
    asker = Asker(chain, store if kept else None)
    asker.rpc.log_limits.blocks = 1_000
    held = {}

    def watch(found):
        if (found.from_block - 1) % 200_000 == 0:
            gc.collect()
            held[found.from_block - 1] = sys.getallocatedblocks()

    page = asker.ask(1_600_000, limit=100, watch=watch)

    assert page.complete
    # Of 1,400 slices, not one in four may leave anything behind.
    assert held[0] - held[1_400_000] < 350


class _Forgetful(list):
    """A list that keeps nothing: the test's own notes must not count."""

    def append(self, _):
        """Forget it."""


def test_one_log_is_one_log_however_many_filters_find_it(store):
    """A transfer to oneself matches two filters and moved once."""
    chain = ScannedChain(changed={"topics": ["0x" + t.hex() for t in (FILTERS[0][0], WORD, WORD)]})

    cold, warm = (Asker(chain, store).ask(1_000) for _ in range(2))

    assert len(cold.logs) == 10
    assert warm.logs == cold.logs
