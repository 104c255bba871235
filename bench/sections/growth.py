"""How time, requests and memory grow from 1,000 to 20,000 reads: more tokens, same holders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench import line_up, report
from bench.balances import Balances
from bench.effort import Effort
from bench.line_up import KEPT, toolkit
from bench.measure import Peer, Rounds, Traffic, count_peer, merged, time_peer
from bench.results import Section
from bench.world import World, running_world

HOLDERS = 1_000
TOKENS = (1, 5, 20)
WORK = "1,000 addresses x 20 tokens"
HEAD = (
    *("growth", "reads", "cold ms", "us a read", "requests", "warm ms", "us a read", "requests"),
    *("bytes held a read", "bytes at peak a read"),
)
HONOURED = toolkit("overrides honoured, until facts are on disk", KEPT, refused=False)
REFUSED = toolkit("overrides refused, until facts are on disk", KEPT, refused=True)
COMPARE = Peer("toolkit, the Compare page's job", "toolkit_compare.py", other_block_each_round=True)
_MOST_FACTS_A_TOKEN = 6  # Decimals once, name, symbol, supply; never one for each cell.
_DANK_UP_TO = 5_000
_SLACK = 1.5  # A read in a large batch may take so much longer than one in a small batch.


@dataclass(frozen=True, slots=True)
class Grown:
    """One peer at one count."""

    rounds: Rounds
    costs: dict[str, Traffic]
    traced: Rounds


def measure(folder: Path, effort: Effort) -> Section:
    """Measure each count with each peer that can answer it."""
    floors = (line_up.floor(HONOURED, "packed"), line_up.floor(REFUSED, "aggregate3"))
    dank = line_up.dank_mids(by_hand=True)
    peers = (HONOURED, REFUSED, *floors, line_up.multicall_py(), dank)
    section = Section()
    grown: dict[tuple[Peer, int], Grown] = {}
    rows = []
    with running_world(folder) as world:
        for tokens in TOKENS:
            for peer in peers:
                count = HOLDERS * tokens
                if peer == dank and count > _DANK_UP_TO:
                    continue
                one = grown[peer, count] = _measured(peer, world, tokens, effort)
                section.versions |= one.rounds.versions
                rows.append(_row(peer, count, one))
        compare = _measured(COMPARE, world, TOKENS[-1], effort)
        rows.append(_row(COMPARE, HOLDERS * TOKENS[-1], compare))
    section.tables.append(report.table(HEAD, rows))
    _promise(section, grown, floors[1])
    _promise_decimals(section, compare)
    return section


def _measured(peer: Peer, world: World, tokens: int, effort: Effort) -> Grown:
    kinds = ("cold",) if peer.replays else ("cold", "warm")
    asked = (HOLDERS, 2)

    def job(seed: str, *, trace: bool = False) -> Balances:
        told = f"grow-{tokens}-{seed}"
        return Balances(world, told, *asked, tokens=tokens, kinds=("cold", "warm"), trace=trace)

    runs = 1 if effort.is_brief else 3
    rounds = merged(time_peer(peer, world.port, job(f"{run}")) for run in range(runs))
    if rounds.problem:
        return Grown(rounds, {}, rounds)
    costs = count_peer(peer, world.port, job("count"))
    traced = rounds if peer.replays else time_peer(peer, world.port, job("traced", trace=True))
    rounds.seconds = {kind: rounds.seconds[kind] for kind in kinds}
    return Grown(rounds, costs, traced)


def _row(peer: Peer, count: int, grown: Grown) -> list[str]:
    cells = [report.name(peer, grown.rounds), f"{count:,}"]
    for kind in ("cold", "warm"):
        best = report.best(grown.rounds, kind)
        if best is None:
            cells += ["-"] * 3
        else:
            requests = report.cost(grown.costs.get(kind))[0]
            cells += [report.milliseconds(best), f"{1e6 * best / count:.1f}", requests]
    for kept in (grown.traced.held_bytes, grown.traced.peak_bytes):
        cells.append(f"{min(kept['cold']) / count:.0f}" if kept else "-")
    return cells


def _promise(section: Section, grown: dict[tuple[Peer, int], Grown], aggregate3: Peer) -> None:
    """Note what the table promises of 20,000 reads."""
    few, many = HOLDERS * TOKENS[0], HOLDERS * TOKENS[-1]
    floor = report.best(grown[aggregate3, many].rounds, "cold")
    best = report.best(grown[HONOURED, many].rounds, "cold")
    text = "with overrides at most aggregate3's byte floor, until facts are on disk"
    section.at_most("growth_floor", WORK, text, (best, floor), 1)
    for peer, says in ((HONOURED, "honoured"), (REFUSED, "refused")):
        for kind in ("cold", "warm"):
            small = report.best(grown[peer, few].rounds, kind)
            large = report.best(grown[peer, many].rounds, kind)
            pair = (large, None if small is None else small * many / few)
            text = f"{kind}, overrides {says}: linear, a read at most {_SLACK}x one of 1,000"
            section.at_most(f"growth_linear_{kind}_{says}", WORK, text, pair, _SLACK)
    warm = report.best(grown[HONOURED, many].rounds, "warm")
    if warm is not None:
        each_us = 1e6 * warm / many
        text = "warm at most 25 us a call"
        section.promise("growth_warm", WORK, text, f"{each_us:.1f} us", met=each_us <= 25)
    traced = grown[HONOURED, many].traced
    if traced.peak_bytes:
        peak = min(traced.peak_bytes["cold"]) / many
        text = "at most 2 KB of memory a cell, at the peak"
        section.promise("growth_memory", WORK, text, f"{peak:.0f} bytes", met=peak <= 2_000)


def _promise_decimals(section: Section, compare: Grown) -> None:
    """Read what the Compare page's job says of itself: how many facts it read beside its cells."""
    more = [int(note.split()[0]) for note in compare.rounds.notes]
    section.promise(
        "growth_decimals",
        WORK,
        "decimals read once per token",
        f"{max(more, default=0)} facts beside 20,000 cells",
        met=max(more) <= _MOST_FACTS_A_TOKEN * TOKENS[-1] if more else None,
    )
