"""Multicall3's aggregate3, written and read with a fixed layout.

The generic ABI codec spends most of a batch's time on the same twelve words over and over;
these two functions produce and accept the very same bytes. Source: Multicall3
`aggregate3((address target, bool allowFailure, bytes callData)[])`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from toolkit.chain.reads import READER_CALLER, BalanceRead, CallRead
from toolkit.errors import EndpointMisbehavedError

MULTICALL3: Final = READER_CALLER
"""Where Multicall3 stands on most chains, and the `from` of calls that travel alone."""

AGGREGATE_GAS: Final = 50_000_000
"""The gas limit of an aggregate: the cap that public nodes commonly set for one eth_call."""

_AGGREGATE3: Final = bytes.fromhex("82ad56cb")
_GET_ETH_BALANCE: Final = bytes.fromhex("4d2301cc")
_TIMESTAMP: Final = bytes.fromhex("0f28c97d")


def _word(number: int) -> bytes:
    return number.to_bytes(32, "big")


_HEAD: Final = _AGGREGATE3 + _word(32)
_ALLOW_FAILURE: Final = _word(1)
_DATA_OFFSET: Final = _word(96)
_SUCCESS_OF_ONE_WORD: Final = _word(1) + _word(64) + _word(32)


def call_size(read: CallRead | BalanceRead) -> int:
    """Tell how many bytes a read adds to an aggregate."""
    length = 36 if isinstance(read, BalanceRead) else len(read.data)
    return 32 * 5 + (length + 31) // 32 * 32


@lru_cache(maxsize=4_096)
def _around(target: str, length: int) -> tuple[bytes, bytes]:
    """What stands before and after the data of one (address, bool, bytes) in the array."""
    address = bytes(12) + bytes.fromhex(target[2:])
    return address + _ALLOW_FAILURE + _DATA_OFFSET + _word(length), bytes(-length % 32)


def encode_aggregate(reads: Sequence[CallRead | BalanceRead]) -> bytes:
    """Write the calldata: the block's timestamp first, then each read in order."""
    calls = [(MULTICALL3, _TIMESTAMP)]
    for read in reads:
        if isinstance(read, BalanceRead):
            data = _GET_ETH_BALANCE + bytes(12) + bytes.fromhex(read.address[2:])
            calls.append((MULTICALL3, data))
        else:
            calls.append((read.to, read.data))
    parts: list[bytes] = []
    for target, data in calls:
        before, after = _around(target, len(data))
        parts.append(before + data + after)
    offset = 32 * len(parts)
    offsets: list[bytes] = []
    for part in parts:
        offsets.append(_word(offset))
        offset += len(part)
    return b"".join((_HEAD, _word(len(parts)), *offsets, *parts))


def decode_aggregate(data: bytes, count: int) -> tuple[int, list[tuple[bool, bytes]]]:
    """Read the block timestamp and (success, return bytes) for each of `count` reads.

    Errors: EndpointMisbehavedError where a length, an offset or the count does not fit.
    """
    base = 64
    if len(data) < base or _at(data, 0) != 32 or _at(data, 32) != count + 1:
        raise EndpointMisbehavedError("The aggregate's answer does not hold one item per read.")
    items: list[tuple[bool, bytes]] = []
    size = len(data)
    for index in range(count + 1):
        at = base + int.from_bytes(data[base + 32 * index : base + 32 * index + 32], "big")
        if data[at : at + 96] == _SUCCESS_OF_ONE_WORD and at + 128 <= size:
            items.append((True, data[at + 96 : at + 128]))
            continue
        if at + 96 > size:
            raise EndpointMisbehavedError("The aggregate's answer is cut or malformed.")
        success, length = data[at + 31], int.from_bytes(data[at + 64 : at + 96], "big")
        end = at + 96 + length
        if success > 1 or _at(data, at + 32) != 64 or end > size:
            raise EndpointMisbehavedError("The aggregate's answer is cut or malformed.")
        items.append((success == 1, data[at + 96 : end]))
    succeeded, stamp = items[0]
    if not succeeded or len(stamp) != 32:
        raise EndpointMisbehavedError("The aggregate does not tell its block's time.")
    return int.from_bytes(stamp, "big"), items[1:]


def _at(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 32], "big")
