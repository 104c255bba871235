"""Lists of logs held against the blooms and receipts of their blocks."""

from __future__ import annotations

import contextlib

import pytest
from pydantic import SecretStr

from tests.chain.scanned_node import NOW
from toolkit.chain.log_check import check_logs
from toolkit.chain.logs import LogScan
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpTransport
from toolkit.errors import EndpointsDisagreeError, IncompleteRangeError, MethodUnsupportedError
from toolkit.models import BlockTag, checksummed
from toolkit.store import Blocks, CachedReader, Database, Facts
from toolkit.tools.transfer_events import filters_of


class Meddling:
    """The real chain, with some answers changed on their way."""

    source = "rpc"

    def __init__(self, transport):
        self._transport = transport
        self.endpoint_id = transport.endpoint_id
        self.change = lambda call, answer: answer
        self.methods = []

    @property
    def requests(self):
        return self._transport.requests

    def send(self, calls):
        self.methods += [call.method for call in calls]
        answers = self._transport.send(calls)
        return [self.change(call, one) for call, one in zip(calls, answers, strict=True)]


@pytest.fixture
def moved(anvil, uniswap_v2):
    """A chain with three transfers of an account over twenty blocks, and the way to it."""
    owner, ann = anvil.accounts[:2]
    first = anvil.height + 1
    for amount in (1, 2, 3):
        anvil.transact(owner, uniswap_v2.token_a, "transfer(address,uint256)", ann, amount)
        anvil.mine(5)
    with contextlib.closing(HttpTransport("local", SecretStr(anvil.url))) as transport:
        yield checksummed(ann), first, Meddling(transport)


def _read(moved, store=None):
    ann, first, transport = moved
    reader = RpcReader(transport, chain_id=31337, development=True, now=lambda: NOW)
    if store is not None:
        reader = CachedReader(reader, Facts(store, 31337), Blocks(store, 31337))
    pin = reader.pin(BlockTag(tag="latest")).pin
    scan = LogScan(filters_of(ann), first, pin.number, 100, counted_topics=3)
    return reader, scan, reader.scan(pin, scan)


def _changed(method, change):
    return lambda call, answer: change(answer) if call.method == method else answer


def test_a_true_list_holds_and_most_blocks_need_no_receipts(moved):
    """A check that reads every receipt of a month is one that nobody runs."""
    reader, scan, page = _read(moved)
    moved[2].methods.clear()

    check = reader.check_logs(scan, page)

    assert len(page.logs) == 3
    assert check.holds
    assert (check.from_block, check.to_block) == (page.covered_from, page.covered_to)
    assert check.ruled_out == 15
    assert check.compared == 3
    assert moved[2].methods.count("eth_getBlockReceipts") == 3


def test_a_log_that_the_list_lacks_is_found_and_named(moved, tmp_path):
    """The deposit that an endpoint forgot is found before the sum is told."""
    moved[2].change = _changed(
        "eth_getLogs", lambda logs: [log for log in logs if int(log["data"], 16) != 2]
    )
    store = Database(tmp_path)
    reader, scan, page = _read(moved, store)
    assert page.complete
    assert len(page.logs) == 2

    check = reader.check_logs(scan, page)

    assert type(check.error) is IncompleteRangeError
    assert check.differs_at == moved[1] + 6
    moved[2].change = lambda call, answer: answer
    assert len(_read(moved, store)[2].logs) == 3
    store.close()


def test_a_log_that_the_blocks_do_not_hold_is_a_contradiction(moved):
    """Money that never came must not stand in a list that was checked."""

    def richer(logs):
        return [log | {"data": "0x" + "ff" * 32} for log in logs]

    moved[2].change = _changed("eth_getLogs", richer)
    reader, scan, page = _read(moved)

    check = reader.check_logs(scan, page)

    assert type(check.error) is EndpointsDisagreeError
    assert not check.holds


def test_a_chain_that_keeps_no_blooms_is_checked_by_receipts(moved):
    """An empty bloom is no proof where it is always empty."""
    empty = "0x" + "00" * 256
    moved[2].change = _changed(
        "eth_getBlockByNumber", lambda header: header and header | {"logsBloom": empty}
    )
    reader, scan, page = _read(moved)

    check = reader.check_logs(scan, page)

    assert check.holds
    assert check.compared >= 3


def test_blocks_without_receipts_stay_unchecked(moved):
    """What could not be checked is not called checked."""
    refused = MethodUnsupportedError("No such method.")
    moved[2].change = _changed("eth_getBlockReceipts", lambda _: refused)
    _, scan, page = _read(moved)
    told = []

    check = check_logs(moved[2], scan, page, progress=lambda *seen: told.append(seen))

    assert check.error is None
    assert not check.holds
    assert (check.ruled_out, check.unchecked) == (15, 3)
    assert told == [(18, 18)]
