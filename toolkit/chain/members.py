"""The endpoints of one chain: whom to ask first, who lags, what they have cost."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.chain.facts import Fact
from toolkit.chain.health import EndpointHealth, with_lag
from toolkit.chain.member import Chain, Member, Way
from toolkit.chain.reader import Traffic
from toolkit.models import Pin

_FEW_BLOCKS: Final = 3
_SAME_MOMENT: Final = 1.0
"""Endpoints that are asked at once answer within this. Unit: seconds."""

_TIP_SECONDS: Final = 60.0
"""How long a tip that was seen tells whom to pass over."""

_OLD_SECONDS: Final = 120.0
"""A head older than this is compared with the others' before it is believed."""


class _Job(threading.local):
    """What the job of one thread has been told, and by whom, by block hash."""

    def __init__(self) -> None:
        self.aside: list[Fact] = []
        self.answered: dict[str, dict[Member, bool]] = {}


class Members:
    """The endpoints in the order of preference."""

    def __init__(self, ways: Sequence[Way], chain: Chain) -> None:
        self.chain = chain
        self._members = tuple(Member(way, chain, alone=len(ways) == 1) for way in ways)
        self._traffic = Traffic()
        self._job = _Job()
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Member]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    @property
    def traffic(self) -> Traffic:
        """What all of them have been asked so far."""
        self._traffic.requests = sum(member.transport.requests for member in self._members)
        return self._traffic

    def in_turn(self, pin: Pin | None = None) -> list[Member]:
        """All of them: the well ones first, then those that lag, then those that rest."""
        if len(self._members) == 1:
            return list(self._members)
        return sorted(self._members, key=lambda member: self._standing(member, pin))

    def lags(self, member: Member) -> bool:
        """Whether another had shown a clearly higher head no later than this one showed its own."""
        tip = member.tip
        return tip is not None and any(
            other.tip is not None
            and other.tip.number > tip.number + _FEW_BLOCKS
            and other.tip_at <= member.tip_at + _SAME_MOMENT
            for other in self._members
        )

    def may_be_stale(self, member: Member) -> bool:
        """Whether its head is old by the clock, and there is somebody to compare it with."""
        tip = member.tip
        if tip is None or self.chain.development:
            return False
        age = self.chain.wall_clock() - tip.timestamp
        return age > _OLD_SECONDS and any(
            not other.rests and not self._knows_tip(other)
            for other in self._members
            if other is not member
        )

    def health(self, *, all_at_once: bool) -> list[EndpointHealth]:
        """How each stands by now, without asking anything. `all_at_once`: all are in use."""
        turn = [one for one in self.in_turn() if not one.rests and one.condition.excluded is None]
        used = turn if all_at_once else turn[:1]
        return with_lag(member.health(in_use=member in used) for member in self._members)

    def note_read(self, member: Member, pin: Pin, aside: Sequence[Fact], facts: int) -> None:
        """Note for this thread's job who answered."""
        self._job.aside += aside
        if facts:
            self.note_answered(member, pin)
            with self._lock:
                self._traffic.facts_read += facts

    def note_answered(self, member: Member, pin: Pin, *, by_height: bool = False) -> None:
        """Note that this thread's job rests on what a member said.

        `by_height`: what it said names no block hash, so that it has to confirm it itself.
        """
        answered = self._job.answered.setdefault(pin.hash, {})
        answered[member] = answered.get(member, False) or by_height

    def drain_side_facts(self) -> list[Fact]:
        """Give away what this thread's reads proved on the way."""
        drained, self._job.aside = self._job.aside, []
        return drained

    def drain_answered(self, pin: Pin) -> dict[Member, bool]:
        """Whom this thread's job at a block rests on, once, and who told it by height."""
        return self._job.answered.pop(pin.hash, {})

    def _standing(self, member: Member, pin: Pin | None) -> int:
        if member.condition.excluded is not None:
            return 3
        if member.rests:
            return 2
        if not self._knows_tip(member):
            return 0
        tip = member.tip
        behind = pin is not None and tip is not None and tip.number < pin.number
        return 1 if behind or self.lags(member) else 0

    def _knows_tip(self, member: Member) -> bool:
        """Whether a tip of it was seen lately enough to tell anything."""
        return self.chain.clock() - member.tip_at < _TIP_SECONDS
