"""How long is measured: as long as the figures need, or briefly, to see whether it runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """Unit: rounds of one run of a peer, runs of each peer."""

    rounds: int = 5
    passes: int = 3

    @property
    def is_brief(self) -> bool:
        """Whether the figures are too few to be kept."""
        return self.passes < 3


WHOLE = Effort()
BRIEF = Effort(rounds=2, passes=1)
