"""Multicall3's aggregate3, written and read with a fixed layout.

The generic ABI codec spends most of a batch's time on the same twelve words over and over;
this form produces and accepts the very same bytes. Source: Multicall3
`aggregate3((address target, bool allowFailure, bytes callData)[])`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final

from toolkit.chain.aggregate import Aggregate, Brought, Mergeable
from toolkit.chain.reads import READER_CALLER, BalanceRead, CallRead
from toolkit.chain.transport import RpcCall
from toolkit.errors import EndpointMisbehavedError
from toolkit.models import Transport

MULTICALL3: Final = READER_CALLER
"""Where Multicall3 stands on most chains, and the `from` of calls that travel alone."""

_AGGREGATE3: Final = bytes.fromhex("82ad56cb")
_GET_ETH_BALANCE: Final = bytes.fromhex("4d2301cc")
_TIMESTAMP: Final = bytes.fromhex("0f28c97d")


_OVERHEAD: Final = 1_024


def _word(number: int) -> bytes:
    return number.to_bytes(32, "big")


_HEAD: Final = _AGGREGATE3 + _word(32)
_ALLOW_FAILURE: Final = _word(1)
_DATA_OFFSET: Final = _word(96)
_SUCCESS_OF_ONE_WORD: Final = _word(1) + _word(64) + _word(32)


class Multicall3:
    """Many reads through the contract that stands on most chains.

    Not: proof against a contract that burns its neighbours' gas and still answers, or that
    changes state which a neighbour reads; the packed form is.
    """

    name: ClassVar[Transport] = "multicall3"

    def takes(self, read: Mergeable) -> bool:  # noqa: ARG002  # the form's face
        """Whether a read means the same inside as alone: every one does."""
        return True

    def aggregates(self, reads: Iterable[Mergeable], *, room: int, gas: int) -> list[Aggregate]:  # noqa: ARG002
        """Cut reads into calls that fit, like ones beside each other.

        What a contract may not have (slot0 of a pair) then stands behind what it has, so that
        a failure starves nothing that would have to be asked again.
        """
        groups: dict[bytes, list[Mergeable]] = {}
        for read in reads:
            function = read.data[:4] if isinstance(read, CallRead) else b""
            groups.setdefault(function, []).append(read)
        done: list[Aggregate] = []
        chunk: list[Mergeable] = []
        size = _OVERHEAD
        for read in (read for group in groups.values() for read in group):
            needed = call_size(read)
            if chunk and size + needed > room:
                done.append(Aggregate(self, tuple(chunk), size))
                chunk, size = [], _OVERHEAD
            chunk.append(read)
            size += needed
        return [*done, Aggregate(self, tuple(chunk), size)] if chunk else done

    def call(self, aggregate: Aggregate, block: Any, *, gas: int) -> RpcCall:
        """Write the eth_call."""
        asked = {
            "from": READER_CALLER,
            "to": MULTICALL3,
            "gas": hex(gas),
            "data": "0x" + encode_aggregate(aggregate.reads).hex(),
        }
        return RpcCall("eth_call", (asked, block))

    def understand(self, data: bytes, aggregate: Aggregate) -> Brought:
        """Read what came back.

        An item that failed without a word may have burnt the gas of all that follow, and a
        contract that survives its own inner failure then answers another number. So what
        follows such an item is asked again in an aggregate without it.
        """
        timestamp, results = decode_aggregate(data, len(aggregate.reads))
        brought = Brought(timestamp)
        starved = False
        for read, (success, value) in zip(aggregate.reads, results, strict=True):
            if not success:
                brought.failed.append(read)
                starved = starved or not value
            elif starved:
                brought.unasked.append(read)
            else:
                brought.values.append((read, value))
        return brought


def call_size(read: Mergeable) -> int:
    """Tell how many bytes a read adds to an aggregate."""
    length = 36 if isinstance(read, BalanceRead) else len(read.data)
    return 32 * 5 + (length + 31) // 32 * 32


@lru_cache(maxsize=4_096)
def _around(target: str, length: int) -> tuple[bytes, bytes]:
    """What stands before and after the data of one (address, bool, bytes) in the array."""
    address = bytes(12) + bytes.fromhex(target[2:])
    return address + _ALLOW_FAILURE + _DATA_OFFSET + _word(length), bytes(-length % 32)


def encode_aggregate(reads: Sequence[Mergeable]) -> bytes:
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


THROUGH_MULTICALL3: Final = Multicall3()
