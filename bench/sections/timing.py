"""What sections share: peers that take turns, each with its times, its costs and its distance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bench.effort import Effort
from bench.measure import (
    JobFor,
    Peer,
    Rounds,
    Traffic,
    count_peer,
    merged,
    time_far_peer,
    time_peer,
)

DELAY_SECONDS = 0.05


@dataclass(slots=True)
class Measured:
    """What peers took. `factor` is what a sample stands for."""

    times: dict[Peer, Rounds] = field(default_factory=dict)
    costs: dict[Peer, dict[str, Traffic]] = field(default_factory=dict)
    far: dict[Peer, Rounds] = field(default_factory=dict)
    whole: int = 0

    def factor(self, peer: Peer) -> float:
        """What a round of a slow peer is multiplied by."""
        return self.whole / peer.sample if peer.sample else 1.0

    def best(self, peer: Peer, kind: str = "cold") -> float | None:
        """The shortest round, scaled."""
        rounds = self.times.get(peer)
        if rounds is None or rounds.problem or kind not in rounds.seconds:
            return None
        return self.factor(peer) * min(rounds.seconds[kind])

    def best_far(self, peer: Peer, kind: str = "cold") -> float | None:
        """The shortest round before an endpoint that is far away, scaled."""
        rounds = self.far.get(peer)
        if rounds is None or rounds.problem or kind not in rounds.seconds:
            return None
        return self.factor(peer) * min(rounds.seconds[kind])

    def cost(self, peer: Peer, kind: str = "cold") -> Traffic | None:
        """What one round cost the endpoint."""
        return self.costs.get(peer, {}).get(kind)

    @property
    def versions(self) -> set[str]:
        """Who took part."""
        return {version for rounds in self.times.values() for version in rounds.versions}


def take_turns(
    peers: Iterable[Peer],
    port: int,
    job: Callable[[str, int], JobFor],
    effort: Effort,
    *,
    whole: int,
    far: bool = True,
) -> Measured:
    """Count each peer, time all in turns, so that a noisy minute hits them all, and from afar.

    `job` makes the job of a seed and a number of rounds.
    """
    peers = tuple(peers)
    found = Measured(whole=whole)
    for peer in peers:
        found.costs[peer] = count_peer(peer, port, job("count", 2))
    timed: dict[Peer, list[Rounds]] = {peer: [] for peer in peers}
    for number in range(effort.passes):
        for peer in peers:
            timed[peer].append(time_peer(peer, port, job(f"time-{number}", effort.rounds)))
    found.times = {peer: merged(parts) for peer, parts in timed.items()}
    if far:
        for peer in peers:
            rounds = 1 if peer.sample else min(3, effort.rounds)
            found.far[peer] = time_far_peer(peer, port, job("far", rounds), DELAY_SECONDS)
    return found
