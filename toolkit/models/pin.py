"""The pin: the one block that every number on a page was read at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Finality = Literal["finalized", "safe", "unsafe", "unknown", "orphaned"]


@dataclass(frozen=True, slots=True, eq=False)
class Pin:
    """One block of one chain, named so that a reorg cannot give the name to another.

    Two pins are equal when chain_id and hash are. `lineage` is the genesis hash on
    development chains, where a restarted node is another chain with the same id.
    Unit: `timestamp` in seconds since 1970 UTC. Not: finality, which is an observation.
    """

    chain_id: int
    number: int
    hash: str
    parent_hash: str
    timestamp: int
    state_root: str
    lineage: str | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pin):
            return NotImplemented
        return (self.chain_id, self.hash) == (other.chain_id, other.hash)

    def __hash__(self) -> int:
        return hash((self.chain_id, self.hash))

    @property
    def time(self) -> str:
        """The block's own time as ISO 8601 UTC with Z."""
        return iso_time(self.timestamp)


@dataclass(frozen=True, slots=True)
class FinalityObservation:
    """What an endpoint said about a pin's finality, and when it said so.

    An orphaned block was canonical once; another one stood at its height when that was seen.
    `depth` counts blocks between the pin and the head at that moment, where known.
    """

    status: Finality
    observed_at: str
    depth: int | None = None


def iso_time(timestamp: float) -> str:
    """Write seconds since 1970 as ISO 8601 UTC with Z, whole seconds.

    Errors: ValueError where the number cannot be seconds (nanosecond timestamps among them).
    """
    if not 0 <= timestamp < 253_402_300_800:
        raise ValueError(f"{timestamp} is not a time in seconds since 1970.")
    return datetime.fromtimestamp(int(timestamp), tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
