"""The packed form's layout, against a reading of the source's own description of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.chain.packed import PACKED
from toolkit.chain.reads import READER_CALLER, BalanceRead, CallRead
from toolkit.errors import EndpointMisbehavedError
from toolkit.models import checksummed

FEW = [checksummed(f"0x{number:02x}" + "11" * 19) for number in range(3)]
addresses = st.integers(0, 2**160 - 1).map(lambda number: checksummed(f"0x{number:040x}"))
selectors = st.sampled_from([b"\x70\xa0\x82\x31", b"\x18\x16\x0d\xdd"])
of_holder = st.builds(
    lambda to, function, who: CallRead(to, function + bytes(12) + bytes.fromhex(who[2:])),
    st.sampled_from(FEW),
    selectors,
    addresses,
)
any_call = st.builds(CallRead, st.sampled_from(FEW), st.binary(max_size=80))
reads = st.lists(
    st.one_of(of_holder, any_call, st.builds(BalanceRead, addresses)),
    min_size=1,
    max_size=40,
    unique=True,
)


def _asked(data):
    """Take the calldata apart as aggregator.yul says that it is written."""
    at = 4
    while at < len(data):
        kind, count = data[at], int.from_bytes(data[at + 1 : at + 3], "big")
        at += 3
        if kind == 2:
            target, function = data[at : at + 20], data[at + 20 : at + 24]
            at += 24
        for _ in range(count):
            who = data[at : at + 20]
            at += 20
            if kind == 1:
                yield BalanceRead(checksummed("0x" + who.hex()))
            elif kind == 2:
                yield CallRead(checksummed("0x" + target.hex()), function + bytes(12) + who)
            else:
                size = int.from_bytes(data[at : at + 2], "big")
                yield CallRead(checksummed("0x" + who.hex()), data[at + 2 : at + 2 + size])
                at += 2 + size


@given(reads, st.integers(200, 4_000), st.integers(1, 60))
def test_every_read_is_asked_once_however_it_is_cut(asked, room, most):
    """A read that is lost between two requests is a holder that is missing from the table."""
    gas = 10_000_000 + 10_000_000 // 32 + 400_000 + 8_000 * most

    aggregates = PACKED.aggregates(asked, room=room + 940, gas=gas)

    written = []
    for aggregate in aggregates:
        call = PACKED.call(aggregate, "0x1", gas=gas)
        told = list(_asked(bytes.fromhex(call.params[0]["data"][2:])))
        assert told == list(aggregate.reads)
        assert len(told) <= most
        assert set(call.params[2]) == {READER_CALLER}
        written += told
    assert sorted(map(repr, written)) == sorted(map(repr, asked))


@given(reads, st.binary(max_size=600), st.integers(0, 50))
def test_any_answer_is_understood_or_refused(asked, noise, answered):
    """A malformed answer must be an error with a name, and never a number."""
    (aggregate,) = PACKED.aggregates(asked, room=10**6, gas=50_000_000)
    header = bytes(128) + answered.to_bytes(32, "big")
    for data in (noise, header + noise):
        try:
            brought = PACKED.understand(data, aggregate)
        except EndpointMisbehavedError:
            continue
        told = [*(read for read, _ in brought.values), *brought.failed, *brought.unasked]
        assert sorted(map(repr, told)) == sorted(map(repr, aggregate.reads))


@given(reads, st.data())
def test_a_cut_answer_is_an_error(asked, data):
    """A truncated body must not drop the last holders without a word."""
    (aggregate,) = PACKED.aggregates(asked, room=10**6, gas=50_000_000)
    whole = bytes(128) + len(aggregate.reads).to_bytes(32, "big")
    for kind, group in aggregate.segments:
        whole += {
            b"\x01": bytes(32) * len(group),
            b"\x02": b"\x01" * len(group) + bytes(32) * len(group),
            b"\x03": (b"\x01" + (32).to_bytes(4, "big") + bytes(32)) * len(group),
        }[kind]
    assert len(PACKED.understand(whole, aggregate).values) == len(aggregate.reads)
    cut = data.draw(st.integers(0, len(whole) - 1))

    with pytest.raises(EndpointMisbehavedError):
        PACKED.understand(whole[:cut], aggregate)
