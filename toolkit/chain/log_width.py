"""How many blocks to ask logs of at once, learned from what an endpoint takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolkit.errors import (
    BlockAheadOfHeadError,
    EndpointMisbehavedError,
    EndpointsDisagreeError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    IncompleteRangeError,
    MethodUnsupportedError,
    RangeTooLargeError,
    RateLimitedError,
    ReadError,
    ReorgedError,
)

_FIRST_BLOCKS: Final = 10_000
_TIMEOUTS_IN_A_ROW: Final = 2
_LONGEST_PATIENCE: Final = 64
_NOT_A_MATTER_OF_RANGE: Final = (
    RateLimitedError,
    EndpointUnreachableError,
    EndpointMisbehavedError,
    EndpointsDisagreeError,
    MethodUnsupportedError,
    BlockAheadOfHeadError,
    IncompleteRangeError,
    ReorgedError,
)


@dataclass(slots=True)
class LogLimits:
    """What one endpoint gives of logs at once, as far as it has shown by now.

    Unit: `blocks` of one range; `results` the count at which it cuts an answer without a word,
    None where it was not seen to; `largest` the most logs that one answer held.
    """

    blocks: int = _FIRST_BLOCKS
    results: int | None = None
    largest: int = 0

    def looks_cut(self, count: int) -> bool:
        """Whether an answer of so many logs may be one that was cut.

        Known caps are round in the decimal or the binary system. An endpoint that gave more
        at another time does not cut there.
        """
        if count == self.results:
            return True
        is_round = count % 100 == 0 or count & (count - 1) == 0
        return count >= 100 and is_round and count >= self.largest

    def note_answer(self, count: int) -> None:
        """Learn from an answer that was not cut, or not at this count."""
        self.largest = max(self.largest, count)
        if self.results is not None and count > self.results:
            self.results = None


class SliceWidth:
    """The width of a scan's next slice. Unit: blocks."""

    def __init__(self, limits: LogLimits) -> None:
        self._limits = limits
        self._ceiling = limits.blocks
        self._timeouts = 0
        self._patience = 1
        self._waiting = 0
        self.now = limits.blocks

    def refused(self, error: ReadError, width: int) -> bool:
        """Narrow after a refusal; False where asking for less would end the same way.

        A second timeout in a row ends a scan: fourteen halvings look like a program that hangs.
        """
        timed_out = isinstance(error, EndpointTimeoutError)
        self._timeouts = self._timeouts + 1 if timed_out else 0
        if width == 1 or self._timeouts == _TIMEOUTS_IN_A_ROW or _is_final(error):
            return False
        if isinstance(error, RangeTooLargeError) and error.suggested_blocks is not None:
            self._take(error.suggested_blocks, width, in_any_range=error.in_any_range)
        else:
            self.now = width // 2
        if timed_out:
            self._ceiling = self.now
        self._wait()
        return True

    def doubted(self, width: int) -> None:
        """Narrow because the answer may have been cut."""
        self.now = (width + 1) // 2
        self._wait()

    def answered(self, width: int, count: int) -> None:
        """Widen again, not at once after a refusal, and not into a known cut."""
        self._timeouts = 0
        if self._waiting:
            self._waiting -= 1
            return
        results = self._limits.results
        if results is None or 2 * count < results:
            self.now = min(max(self.now, 2 * width), self._ceiling, self._limits.blocks)

    def _take(self, suggested: int, width: int, *, in_any_range: bool) -> None:
        """Follow a suggestion where it is narrower than what failed, and halve where not.

        A cap that is told and then refused is one that counts its blocks otherwise.
        """
        self.now = suggested if suggested < width else width // 2
        if in_any_range and suggested <= width:
            self._limits.blocks = min(self._limits.blocks, suggested, width - 1)

    def _wait(self) -> None:
        self._waiting, self._patience = self._patience, min(2 * self._patience, _LONGEST_PATIENCE)


def _is_final(error: ReadError) -> bool:
    """Whether a narrower range would meet the same error."""
    return isinstance(error, _NOT_A_MATTER_OF_RANGE)
