"""Aggregates by code of our own, which a state override puts in for one eth_call.

Like calls stand together: their target and function are written once and each holder takes
twenty bytes. Source: `injected/aggregator.yul`, which says what is asked and answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

from toolkit.chain.aggregate import Aggregate, Brought, Mergeable
from toolkit.chain.injected import AGGREGATOR_CODE
from toolkit.chain.reads import CALL_GAS, READER_CALLER, BalanceRead, CallRead
from toolkit.chain.transport import RpcCall
from toolkit.errors import EndpointMisbehavedError
from toolkit.models import Transport

_HEADER: Final = 160
_OVERHEAD: Final = len(AGGREGATOR_CODE) // 2 + 300
# For planning only: what a plain read takes, and what the code keeps for its last call.
_GAS_OF_A_READ: Final = 8_000
_KEPT_BACK: Final = CALL_GAS + CALL_GAS // 32 + 400_000
_OVERRIDE: Final = {READER_CALLER: {"code": AGGREGATOR_CODE}}
_MOST_IN_A_SEGMENT: Final = 0xFFFF
_PADDING: Final = bytes(12)
_VALUE, _FAILED, _ALONE, _NOTHING = 1, 2, 3, 4
_BALANCES, _LIKE_CALLS, _ANY_CALLS = b"\x01", b"\x02", b"\x03"


class Packed:
    """Many reads in one eth_call with a state override.

    Each call has the gas that it has alone, by STATICCALL: no contract can starve its
    neighbours or change what they answer. Source: eth_call with a third parameter.
    Not: before Byzantium, whose opcodes the code needs.
    """

    name: ClassVar[Transport] = "override"

    def takes(self, read: Mergeable) -> bool:
        """Whether a read means the same in here: not where the override replaced the code."""
        return isinstance(read, BalanceRead) or (
            read.to != READER_CALLER and len(read.data) <= _MOST_IN_A_SEGMENT
        )

    def aggregates(self, reads: Iterable[Mergeable], *, room: int, gas: int) -> list[Aggregate]:
        """Cut reads into calls that fit, like ones in one segment."""
        filling = _Filling(self, room, most=max(1, (gas - _KEPT_BACK) // _GAS_OF_A_READ))
        for likeness, group in _by_likeness(reads).items():
            if not likeness:
                filling.add(_BALANCES, group, 20)
            elif len(likeness) > 1 and len(group) > 1:
                filling.add(_LIKE_CALLS, group, 20)
            else:
                for read in group:
                    filling.add(_ANY_CALLS, [read], 22 + len(getattr(read, "data", b"")))
        return filling.finished()

    def call(self, aggregate: Aggregate, block: Any, *, gas: int) -> RpcCall:
        """Write the eth_call."""
        data = [CALL_GAS.to_bytes(4, "big")]
        for kind, group in aggregate.segments:
            data.append(kind + len(group).to_bytes(2, "big"))
            data += _arguments(kind, group)
        asked = {
            "from": READER_CALLER,
            "to": READER_CALLER,
            "gas": hex(gas),
            "data": "0x" + b"".join(data).hex(),
        }
        return RpcCall("eth_call", (asked, block, _OVERRIDE))

    def understand(self, data: bytes, aggregate: Aggregate) -> Brought:
        """Read what came back. Errors: EndpointMisbehavedError where lengths do not fit."""
        words = [int.from_bytes(data[at : at + 32], "big") for at in (0, 32, 96, 128)]
        timestamp, number, gas, answered = words
        brought = Brought(timestamp, number, data[64:96], gas)
        if len(data) < _HEADER or answered > len(aggregate.reads):
            raise _does_not_fit()
        brought.unasked.extend(aggregate.reads[answered:])
        at, left = _HEADER, answered
        for kind, group in aggregate.segments:
            if not left:
                break
            asked = group if len(group) <= left else group[:left]
            left -= len(asked)
            at = _TAKE[kind](data, at, asked, len(group), brought)
        whole = answered == len(aggregate.reads)
        if whole and at != len(data):
            raise _does_not_fit()
        return brought


class _Filling:
    """Calls that are being filled with segments, one after another."""

    def __init__(self, form: Packed, room: int, *, most: int) -> None:
        self._form = form
        self._room = room
        self._most = most
        self._done: list[Aggregate] = []
        self._segments: list[tuple[bytes, list[Mergeable]]] = []
        self._size = _OVERHEAD
        self._count = 0

    def add(self, kind: bytes, group: list[Mergeable], each: int) -> None:
        """Add reads of one kind, each of so many bytes, beginning new calls as they fill up."""
        at = 0
        while at < len(group):
            fit = min((self._room - self._size) // each, self._most - self._count)
            fit = min(fit, _MOST_IN_A_SEGMENT)
            if fit < 1 and self._segments:
                self._close()
                continue
            part = group[at : at + max(fit, 1)]  # What fits nowhere stands alone.
            at += len(part)
            self._put(kind, part)
            self._size += each * len(part) + 27
            self._count += len(part)

    def finished(self) -> list[Aggregate]:
        """Close the last call and give them all."""
        if self._segments:
            self._close()
        return self._done

    def _put(self, kind: bytes, part: list[Mergeable]) -> None:
        last = self._segments[-1] if self._segments else None
        joins = last is not None and last[0] == kind == _ANY_CALLS
        if last is not None and joins and len(last[1]) < _MOST_IN_A_SEGMENT:
            last[1].extend(part)
        else:
            self._segments.append((kind, part))

    def _close(self) -> None:
        reads = tuple(read for _, group in self._segments for read in group)
        self._done.append(Aggregate(self._form, reads, self._size, tuple(self._segments)))
        self._segments, self._size, self._count = [], _OVERHEAD, 0


def _by_likeness(reads: Iterable[Mergeable]) -> dict[tuple[Any, ...], list[Mergeable]]:
    """Gather reads by what one segment shares: nothing for native balances, else a function.

    Other calls are gathered by their function alone, so that what a contract may lack stands
    together.
    """
    groups: dict[tuple[Any, ...], list[Mergeable]] = {}
    for read in reads:
        key: tuple[Any, ...] = ()
        if isinstance(read, CallRead):
            data = read.data
            takes_address = len(data) == 36 and data[4:16] == _PADDING
            key = (data[:4], read.to) if takes_address else (data[:4],)
        groups.setdefault(key, []).append(read)
    return groups


def _arguments(kind: bytes, group: Sequence[Any]) -> list[bytes]:
    """Write what a segment asks."""
    if kind == _BALANCES:
        return [bytes.fromhex("".join([read.address[2:] for read in group]))]
    if kind == _LIKE_CALLS:
        target = bytes.fromhex(group[0].to[2:])
        return [target, group[0].data[:4], *[read.data[16:] for read in group]]
    parts: list[bytes] = []
    for read in group:
        parts += (bytes.fromhex(read.to[2:]), len(read.data).to_bytes(2, "big"), read.data)
    return parts


def _take_balances(
    data: bytes, at: int, asked: Sequence[Mergeable], count: int, brought: Brought
) -> int:
    end = at + 32 * len(asked)
    brought.values.extend(zip(asked, _words(data, at, end), strict=True))
    return at + 32 * count


def _take_like(
    data: bytes, at: int, asked: Sequence[Mergeable], count: int, brought: Brought
) -> int:
    """Take one function's answers; mostly all are one word, and then nothing is looked at twice."""
    statuses = data[at : at + len(asked)]
    first = at + count
    words = _words(data, first, first + 32 * len(asked))
    if statuses == b"\x01" * len(asked):
        brought.values.extend(zip(asked, words, strict=True))
    else:
        for read, status, word in zip(asked, statuses, words, strict=True):
            _sort(brought, read, status, word)
    return first + 32 * count


def _take_any(
    data: bytes,
    at: int,
    asked: Sequence[Mergeable],
    count: int,  # noqa: ARG001  # the face of the three
    brought: Brought,
) -> int:
    for read in asked:
        end = at + 5 + int.from_bytes(data[at + 1 : at + 5], "big")
        if end > len(data):
            raise _does_not_fit()
        _sort(brought, read, data[at], data[at + 5 : end])
        at = end
    return at


def _sort(brought: Brought, read: Mergeable, status: int, value: bytes) -> None:
    """Say what became of one call. Errors: EndpointMisbehavedError for no known status."""
    if status == _VALUE and value:
        brought.values.append((read, value))
    elif status == _NOTHING:
        brought.values.append((read, b""))
    elif status in (_FAILED, _ALONE):
        brought.failed.append(read)
    else:
        raise _does_not_fit()


def _words(data: bytes, start: int, end: int) -> list[bytes]:
    if end > len(data):
        raise _does_not_fit()
    return [data[at : at + 32] for at in range(start, end, 32)]


def _does_not_fit() -> EndpointMisbehavedError:
    return EndpointMisbehavedError(
        "The aggregate's answer is cut or malformed.", remedy="Ask another endpoint."
    )


_TAKE: Final = {_BALANCES: _take_balances, _LIKE_CALLS: _take_like, _ANY_CALLS: _take_any}

PACKED: Final = Packed()
