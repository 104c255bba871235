"""The question of most sections: balances of fresh holders, with what must come back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.measure import Job, Peer, Round
from bench.world import FINAL_BLOCK, FIRST_OPEN_BLOCK, World, balance_of, holders


@dataclass(frozen=True, slots=True)
class Balances:
    """So many rounds of so many holders of so many tokens, and which kinds each has.

    `first` holders are asked before, so that every peer is warmed up.
    """

    world: World
    seed: str
    count: int
    rounds: int
    tokens: int = 1
    kinds: tuple[str, ...] = ("cold",)
    first: int = 10
    trace: bool = False

    def __call__(self, peer: Peer) -> Job:
        """What one peer is asked; a slow one is asked for its sample."""
        count = min(self.count, peer.sample or self.count)
        return Job(tuple(self._rounds(count, other=peer.other_block_each_round)), self.trace)

    def _rounds(self, count: int, *, other: bool) -> Iterator[Round]:
        """A first round of a few holders, then fresh holders for each cold round."""
        block = FIRST_OPEN_BLOCK if other else FINAL_BLOCK
        if self.first:
            yield self._round("first-0", block, holders(f"{self.seed}-first", self.first))
        for number in range(1, self.rounds + 1):
            block += other
            fresh = holders(f"{self.seed}-{number}", count)
            for kind in self.kinds:
                yield self._round(f"{kind}-{number}", block, fresh)

    def _round(self, name: str, block: int, asked: list[str]) -> Round:
        tokens = self.world.tokens[: self.tokens]
        reads = [(token, holder) for token in tokens for holder in asked]
        expected = [str(balance_of(*read)) for read in reads]
        return {"name": name, "block": str(block), "reads": reads, "expected": expected}
