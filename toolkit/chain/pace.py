"""How often one endpoint is asked: lowered where it refuses the rate, raised while it answers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

_BACKED_OFF: Final = 0.5
_RAISED_PER_SECOND: Final = 0.2
# Even free plans allow one request a second; below that Retry-After and cooling down do better.
_SLOWEST: Final = 1.0
# Above this no pace is kept: no endpoint counts requests so finely.
_UNPACED: Final = 500.0
_WINDOW_SECONDS: Final = 1.0
_REMEMBERED_STARTS: Final = 512


class Turn(NamedTuple):
    """When a request may start. Unit: seconds; `at` on the pace's own clock."""

    at: float
    wait: float


class Pace:
    """The rate of one endpoint, shared by all threads that ask it.

    Additive increase, multiplicative decrease: a refusal halves the rate, and good answers
    raise it by a fifth of a request per second for each second of asking. Unit: requests per
    second. Not: ever faster than `configured`.
    """

    def __init__(
        self,
        configured: float | None,
        *,
        clock: Callable[[], float],
        learned: float | None = None,
    ) -> None:
        self._configured = configured
        self._clock = clock
        self._rate = self._within(learned)
        self._next_start = 0.0
        self._starts: deque[float] = deque(maxlen=_REMEMBERED_STARTS)
        self._lowered_at = float("-inf")
        self._lock = threading.Lock()

    @property
    def rate(self) -> float | None:
        """The rate as it stands; None where it is asked as fast as work comes."""
        return self._rate

    def start_from(self, learned: float | None) -> None:
        """Take a rate that an earlier process learned."""
        with self._lock:
            self._rate = self._within(learned)

    def take_turn(self) -> Turn:
        """Reserve the next start; the caller sleeps through `wait`."""
        with self._lock:
            now = self._clock()
            at = max(now, self._next_start)
            if self._rate is not None:
                self._next_start = at + 1 / self._rate
            self._starts.append(at)
        return Turn(at, at - now)

    def refused(self, turn: Turn, hold: float | None = None) -> None:
        """Lower the rate, and let nobody start for `hold` seconds, where the endpoint named them.

        Else a second passes first: rates are counted by the second, and this one is used up.
        Requests that were on their way when it was last lowered say nothing new: eight threads
        that are refused at once halve the rate once.
        """
        with self._lock:
            now = self._clock()
            if turn.at > self._lowered_at:
                rate = min(self._rate or _UNPACED, self._recent_rate(now)) * _BACKED_OFF
                self._rate = self._within(max(rate, min(_SLOWEST, self._configured or _SLOWEST)))
                self._lowered_at = now
            pause = _WINDOW_SECONDS if hold is None else hold
            self._next_start = max(self._next_start, now + pause)

    def answered(self) -> None:
        """Raise the rate a little."""
        if self._rate is None or self._rate == self._configured:
            return
        with self._lock:
            self._rate = self._within(self._rate + _RAISED_PER_SECOND / self._rate)

    def _recent_rate(self, now: float) -> float:
        """How fast it was really asked until now."""
        recent = sum(start > now - _WINDOW_SECONDS for start in self._starts)
        return max(recent / _WINDOW_SECONDS, _SLOWEST)

    def _within(self, rate: float | None) -> float | None:
        """Keep a rate at or below the configured one, and forget one that slows nothing."""
        if self._configured is not None:
            return self._configured if rate is None else min(rate, self._configured)
        return None if rate is None or rate >= _UNPACED else rate
