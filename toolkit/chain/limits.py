"""What an endpoint takes at once, and how that is learned from its refusals."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Limits:
    """What an endpoint takes. Unit: calls per JSON-RPC batch, bytes of a body, gas of one call.

    `overrides` says that code put in by a state override runs there, `parent_hash` that such code
    is told the hash of the block before its own.
    """

    hash_pins: bool = True
    overrides: bool = False
    parent_hash: bool = False
    batch: int = 100
    body_bytes: int = 512_000
    gas: int = 50_000_000
    parallel: int = 4


class LearnedLimits:
    """One endpoint's limits, narrowed each time it refuses. Any thread may use it.

    `keep` hears every change, so that a later process need not learn it again.
    Not: widened by anything but a new probe.
    """

    def __init__(self, start: Limits, keep: Callable[[Limits], None] | None = None) -> None:
        self._now = start
        self._keep = keep
        self._lock = threading.Lock()

    @property
    def now(self) -> Limits:
        """The limits as they stand."""
        return self._now

    def narrow(
        self,
        *,
        body_bytes: int | None = None,
        batch: int | None = None,
        gas: int | None = None,
        overrides: bool | None = None,
    ) -> None:
        """Take what was refused as too much; what is wider than now known changes nothing.

        Unit: the new upper bounds themselves, as in `Limits`.
        """
        with self._lock:
            now = self._now
            narrower = replace(
                now,
                body_bytes=_lower(now.body_bytes, body_bytes),
                batch=_lower(now.batch, batch),
                gas=_lower(now.gas, gas),
                overrides=now.overrides and overrides is not False,
            )
            if narrower == now:
                return
            self._now = narrower
        if self._keep is not None:
            self._keep(narrower)


def _lower(now: int, learned: int | None) -> int:
    return now if learned is None else max(1, min(now, learned))
