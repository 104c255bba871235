"""A scan of event logs below a pin: what is asked, what came back, and how complete it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from toolkit.chain.facts import Witness
from toolkit.errors import ReadError
from toolkit.models import Pin
from toolkit.models.value import value

Topics: TypeAlias = tuple[bytes | tuple[bytes, ...] | None, ...]
"""One filter: per position a value, several that will do, or None where any value will do."""


@dataclass(frozen=True, slots=True)
class LogScan:
    """Logs that match any of `filters`, in a range of heights that ends at the pin or below.

    The scan runs from the top down and stops once `limit` logs are found. Logs with fewer than
    `counted_topics` topics are kept too, and do not count: whoever emits odd ones cannot push
    the real ones out. Source: eth_getLogs. Not: pending logs, ranges past the pin.
    """

    filters: tuple[Topics, ...]
    from_block: int
    to_block: int
    limit: int
    addresses: tuple[str, ...] = ()
    counted_topics: int = 0


@value
class Log:
    """One event log, identified by its block's hash and its index in that block.

    Shape: none to four topics of 32 bytes each, at least those that the filter names. What an
    event's name promises beyond that is a contract's word: check before taking it apart.
    """

    block_number: int
    block_hash: str
    log_index: int
    transaction_hash: str
    address: str
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class LogSlice:
    """The logs of some neighbouring blocks, read whole.

    Shape: logs newest first; `to_hash` is the topmost block's hash, empty where a part of a
    known slice is told. `proven` is false where their count looks like a cap that could not be
    looked behind.
    """

    from_block: int
    to_block: int
    to_hash: str
    logs: Sequence[Log]
    witness: Witness
    proven: bool = True


Watch: TypeAlias = Callable[[LogSlice], None]
"""Called with each slice of a scan as it comes; what it raises ends the scan."""


@dataclass(frozen=True, slots=True)
class LogPart:
    """Heights of a page that one witness told. Unit: block numbers, both included."""

    from_block: int
    to_block: int
    witness: Witness
    from_cache: bool = False


@dataclass(frozen=True, slots=True)
class LogPage:
    """Logs newest first, the heights really covered, and why the scan stopped.

    `complete` is true only when every height asked for was read and nothing was cut.
    `stopped_because` is None, "limit", or the code of `error`. `left` is the lowest and highest
    height not covered, None where there is none; after "limit" its topmost block may stand
    in the page in part. `unproven` are covered heights that the endpoint may have cut.
    """

    pin: Pin
    logs: tuple[Log, ...]
    complete: bool
    covered_from: int | None
    covered_to: int | None
    stopped_because: str | None
    witness: Witness
    error: ReadError | None = None
    left: tuple[int, int] | None = None
    parts: tuple[LogPart, ...] = ()
    unproven: tuple[int, ...] = ()

    @property
    def from_cache(self) -> bool:
        """Whether all of it was known before."""
        return bool(self.parts) and all(part.from_cache for part in self.parts)

    def witness_of(self, block_number: int) -> Witness:
        """Who told the logs of a height."""
        for part in self.parts:
            if part.from_block <= block_number <= part.to_block:
                return part.witness
        return self.witness
