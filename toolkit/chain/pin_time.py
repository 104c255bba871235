"""Finds the last block at or before an instant, with a few requests of many headers each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from toolkit.chain.headers import header_call, parse_header
from toolkit.chain.transport import RpcCall
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    InvalidArgumentError,
    ReadError,
)
from toolkit.models import BlockHeight, BlockTag, Pin

_PROBES: Final = 12
"""Headers per request: a range of 25 million blocks is found in seven requests."""


def parse_time(text: str) -> int:
    """Read an ISO 8601 instant with its zone into seconds since 1970.

    Errors: InvalidArgumentError where the zone is missing: a wall clock alone names no instant;
    or where the instant lies outside the years 1 to 9999 in UTC.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidArgumentError(
            f"{text[:40]!r} is not an ISO 8601 time.", remedy="Write 2026-03-01T08:00:00Z."
        ) from None
    if moment.tzinfo is None:
        raise InvalidArgumentError(
            f"{text[:40]!r} names no time zone.", remedy="Add Z for UTC, or an offset like +09:00."
        )
    try:
        return int(moment.astimezone(UTC).timestamp())
    except OverflowError:
        raise InvalidArgumentError(
            f"{text[:40]!r} lies outside the years 1 to 9999 in UTC.",
            remedy="Write 2026-03-01T08:00:00Z.",
        ) from None


class TimeFinder:
    """Searches one chain's headers for an instant."""

    def __init__(self, chain_id: int, send: Callable[[list[RpcCall]], list[Any]]) -> None:
        self._chain_id = chain_id
        self._send = send

    def last_block_at(self, timestamp: int) -> Pin:
        """Find the last block whose time is at or before `timestamp`.

        Errors: BlockNotFoundError before the chain's first block, BlockAheadOfHeadError after
        its head, where a later block could still answer.
        """
        low, high = self._header(BlockHeight(number=0)), self._header(BlockTag(tag="latest"))
        if timestamp < low.timestamp:
            raise BlockNotFoundError(
                f"Chain {self._chain_id} began at {low.time}, after that time.",
                remedy="Choose a later time.",
            )
        if timestamp >= high.timestamp:
            if timestamp == high.timestamp:
                return high
            raise BlockAheadOfHeadError(
                f"The head of chain {self._chain_id} stands at {high.time}; a later block may "
                "still fall before that time.",
                remedy="Choose a time up to the head's, or pin latest.",
            )
        while high.number - low.number > 1:
            low, high = self._narrow(low, high, timestamp)
        return low

    def _narrow(self, low: Pin, high: Pin, timestamp: int) -> tuple[Pin, Pin]:
        """Ask headers between two blocks, and return the two neighbours around the instant."""
        span = high.number - low.number
        count = min(_PROBES, span - 1)
        heights = sorted({low.number + span * step // (count + 1) for step in range(1, count + 1)})
        heights = [height for height in heights if low.number < height < high.number]
        answers = self._send([header_call(BlockHeight(number=height)) for height in heights])
        for height, answer in zip(heights, answers, strict=True):
            pin = self._parsed(answer, str(height))
            if pin.timestamp <= timestamp:
                low = pin
            else:
                return low, pin
        return low, high

    def _header(self, block: BlockHeight | BlockTag) -> Pin:
        (answer,) = self._send([header_call(block)])
        return self._parsed(answer, str(block))

    def _parsed(self, answer: Any, name: str) -> Pin:
        if isinstance(answer, ReadError):
            raise answer
        if answer is None:
            raise BlockNotFoundError(
                f"The endpoint does not know block {name} of chain {self._chain_id}.",
                remedy="Use an endpoint with the chain's history of headers.",
            )
        return parse_header(self._chain_id, answer, None)
