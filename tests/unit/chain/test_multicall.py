"""The fixed-layout codec of aggregate3 against the generic ABI codec."""

from __future__ import annotations

import eth_abi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.chain.multicall import MULTICALL3, decode_aggregate, encode_aggregate
from toolkit.chain.reads import BalanceRead, CallRead
from toolkit.errors import EndpointMisbehavedError
from toolkit.models import checksummed

addresses = st.integers(0, 2**160 - 1).map(lambda number: checksummed(f"0x{number:040x}"))
call_reads = st.builds(CallRead, addresses, st.binary(min_size=4, max_size=200))
reads = st.lists(st.one_of(call_reads, st.builds(BalanceRead, addresses)), max_size=20)
results = st.lists(st.tuples(st.booleans(), st.binary(max_size=200)), max_size=20)
STAMP = 1_700_000_000


def _answer(items: list[tuple[bool, bytes]]) -> bytes:
    stamp = (True, STAMP.to_bytes(32, "big"))
    return eth_abi.encode(["(bool,bytes)[]"], [[stamp, *items]])


@given(reads)
def test_calldata_is_byte_for_byte_what_the_generic_codec_writes(asked):
    """One wrong offset sends every holder's question to the wrong token."""
    calls = [(MULTICALL3, True, bytes.fromhex("0f28c97d"))]
    for read in asked:
        if isinstance(read, BalanceRead):
            word = bytes(12) + bytes.fromhex(read.address[2:])
            calls.append((MULTICALL3, True, bytes.fromhex("4d2301cc") + word))
        else:
            calls.append((read.to, True, read.data))

    generic = eth_abi.encode(["(address,bool,bytes)[]"], [calls])

    assert encode_aggregate(asked) == bytes.fromhex("82ad56cb") + generic


@given(results)
def test_answers_are_read_as_the_generic_codec_reads_them(items):
    """A slipped item puts one holder's balance beside another's name."""
    assert decode_aggregate(_answer(items), len(items)) == (STAMP, items)


@given(results.filter(bool), st.data())
def test_a_cut_answer_is_an_error_and_never_fewer_rows(items, data):
    """A truncated body must not drop the last holders without a word."""
    whole = _answer(items)
    cut = data.draw(st.integers(0, len(whole) - 33))

    with pytest.raises(EndpointMisbehavedError):
        decode_aggregate(whole[:cut], len(items))


def test_a_count_that_differs_is_an_error():
    """One item too few means that some read has no answer of its own."""
    with pytest.raises(EndpointMisbehavedError, match="one item per read"):
        decode_aggregate(_answer([(True, b"")]), 2)
