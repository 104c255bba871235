"""1,000 balances that nobody has asked for before, where overrides run and where they do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from bench import line_up, report
from bench.balances import Balances
from bench.effort import Effort
from bench.line_up import KEPT, toolkit
from bench.measure import Peer
from bench.results import Section
from bench.sections.timing import Measured, take_turns
from bench.world import running_world

COUNT = 1_000
WORK = "1,000 balances, cold"
_BODY_LIMIT = 512_000  # What the toolkit puts into one request at most, before it has learned.
HEAD = ("min ms", "median ms", "x multicall.py", "x byte floor of its form")
HEAD += ("x aggregate3's byte floor", "requests", "calls", "kB up", "kB down")
HEAD += ("min ms at 50 ms delay",)


@dataclass(frozen=True, slots=True)
class Mode:
    """The toolkit, its floors and references before one kind of endpoint."""

    says: str
    key: str
    known: Peer
    other: Peer
    known_kept: Peer
    other_kept: Peer
    read: Peer
    lean_known: Peer
    lean_other: Peer
    floor: Peer

    @property
    def peers(self) -> tuple[Peer, ...]:
        """All of them, in the order of the table."""
        return (
            *(self.known, self.other, self.known_kept, self.other_kept, self.read),
            *(self.lean_known, self.lean_other, self.floor),
        )


def _mode(says: str, key: str, form: str, *, refused: bool) -> Mode:
    known = toolkit("block known", refused=refused)
    disk = "until facts are on disk"
    return Mode(
        says=says,
        key=key,
        known=known,
        other=toolkit("another block each round", refused=refused, other=True),
        known_kept=toolkit(f"block known, {disk}", KEPT, refused=refused),
        other_kept=toolkit(f"another block, {disk}", KEPT, refused=refused, other=True),
        read=Peer("toolkit, the read itself", "toolkit_read.py", refused=refused),
        lean_known=line_up.lean("block known", form),
        lean_other=line_up.lean("another block", form, other=True),
        floor=line_up.floor(known, form),
    )


HONOURED = _mode("overrides honoured", "honoured", "packed", refused=False)
REFUSED = _mode("overrides refused", "refused", "aggregate3", refused=True)


def measure(folder: Path, effort: Effort) -> Section:
    """Measure both kinds of endpoint and every peer in one run."""
    others = (
        line_up.multicall_py(),
        line_up.dank_mids(by_hand=True),
        line_up.dank_mids(by_hand=False),
        line_up.cryo("cryo, until Parquet is on disk", "cryo_balances.py"),
        line_up.web3_batch(),
        line_up.web3_one_by_one(),
    )
    with running_world(folder) as world:
        found = take_turns(
            (*HONOURED.peers, *REFUSED.peers, *others),
            world.port,
            lambda seed, rounds: Balances(world, seed, COUNT, rounds),
            effort,
            whole=COUNT,
        )
    section = Section(versions=found.versions)
    for mode in (HONOURED, REFUSED):
        head = [f"{WORK}, {mode.says}", *HEAD]
        rows = [_row(peer, found, mode, others) for peer in (*mode.peers, *others)]
        section.tables.append(report.table(head, rows))
        _promise(section, found, mode, others)
    return section


def _row(peer: Peer, found: Measured, mode: Mode, others: tuple[Peer, ...]) -> list[str]:
    best = found.best(peer)
    return [
        report.name(peer, found.times[peer]),
        *report.times(found.times[peer], "cold", found.factor(peer)),
        report.ratio(best, found.best(others[0])),
        report.ratio(best, found.best(mode.floor)),
        report.ratio(best, found.best(REFUSED.floor)),
        *report.cost(found.cost(peer)),
        report.milliseconds(found.best_far(peer)),
    ]


def _promise(section: Section, found: Measured, mode: Mode, others: tuple[Peer, ...]) -> None:
    """Note what the table promises of the cold batch before one kind of endpoint."""
    work, key = f"{WORK}, {mode.says}", f"cold_{mode.key}"
    timed = [peer for peer in others if found.best(peer) is not None]
    fastest = min(timed, key=lambda peer: found.best(peer) or math.inf) if timed else others[0]
    text = "facts on disk, faster than every Python peer"
    pair = (found.best(mode.known_kept), found.best(fastest))
    section.at_most(f"{key}_peers", work, f"{text} (the fastest: {fastest.name})", pair, 1)
    floor = found.best(REFUSED.floor)
    most = 1 if mode is HONOURED else 3
    text = f"answered within {most}x of aggregate3's byte floor"
    section.at_most(f"{key}_aggregate3", work, text, (found.best(mode.known), floor), most)
    pair = (found.best(mode.read), found.best(mode.floor))
    section.at_most(f"{key}_read", work, "the read itself at most 3x its byte floor", pair, 3)
    for name, mine, lean in (
        ("known", mode.known_kept, mode.lean_known),
        ("other", mode.other_kept, mode.lean_other),
    ):
        text = f"the whole job at most 1.5x the leanest reference, {name} block"
        pair = (found.best(mine), found.best(lean))
        section.at_most(f"{key}_lean_{name}", work, text, pair, 1.5)
    _promise_requests(section, found, mode, f"{key}_requests", work)
    _promise_far(section, found, mode, others)


def _promise_requests(section: Section, found: Measured, mode: Mode, key: str, work: str) -> None:
    known, other = found.cost(mode.known), found.cost(mode.other)
    if known is None or other is None:
        return
    most = math.ceil(known.bytes_up / _BODY_LIMIT) + 2
    section.promise(
        key,
        work,
        f"1 round trip with the pin known, 2 without; at most {most} requests",
        f"{known.requests} and {other.requests}",
        met=known.requests <= 1 and other.requests <= min(2, most),
    )


def _promise_far(section: Section, found: Measured, mode: Mode, others: tuple[Peer, ...]) -> None:
    times = [time for peer in others if (time := found.best_far(peer)) is not None]
    pair = (found.best_far(mode.known), min(times, default=None))
    work, text = f"{WORK}, {mode.says}", "leads at 50 ms delay too, block known"
    section.at_most(f"cold_{mode.key}_far", work, text, pair, 1)
