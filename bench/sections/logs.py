"""10,000 Transfer logs of one address: fetched, decoded, stored; and asked again."""

from __future__ import annotations

from pathlib import Path

from bench import line_up, report
from bench.effort import Effort
from bench.measure import Job, JobFor, Peer
from bench.results import Section
from bench.sections.timing import Measured, take_turns
from bench.world import LOGS, LogWorld, running_log_world

WORK = f"{LOGS:,} transfers of one address"
TOOLKIT = Peer("toolkit, until logs are on disk", "toolkit_logs.py")
FLOOR = Peer("byte floor, the same requests", "byte_floor.py", replays=TOOLKIT)
WEB3 = Peer("web3.py get_logs, decoded, not stored", "web3_logs.py")


def measure(folder: Path, effort: Effort) -> Section:
    """Measure the scan with an empty store, and the same question from the store."""
    cryo = line_up.cryo("cryo erc20_transfers, until Parquet is on disk", "cryo_logs.py")
    peers = (TOOLKIT, FLOOR, WEB3, cryo)
    with running_log_world(folder) as world:
        found = take_turns(
            peers,
            world.port,
            lambda _, rounds: _job(world, rounds),
            effort,
            whole=LOGS,
        )
    section = Section(versions=found.versions)
    rows = [_row(peer, found, kind, cryo) for kind, some in _ROWS for peer in (some or peers)]
    head = [WORK, "", "min ms", "median ms", "x byte floor", "x cryo"]
    head += ["requests", "calls", "kB up", "kB down", "min ms at 50 ms delay"]
    section.tables.append(report.table(head, rows))
    text = "fetched, decoded and stored within 3x of the byte floor"
    pair = (found.best(TOOLKIT), found.best(FLOOR))
    section.at_most("logs_floor", WORK, text, pair, 3)
    pair = (found.best(TOOLKIT), found.best(cryo))
    section.at_most("logs_cryo", WORK, "at most 1.5x cryo", pair, 1.5)
    return section


_ROWS: tuple[tuple[str, tuple[Peer, ...]], ...] = (("cold", ()), ("warm", (TOOLKIT,)))


def _job(world: LogWorld, rounds: int) -> JobFor:
    """The same question each round: the toolkit's peer gives each cold round an empty store."""
    asked = {
        "token": world.token,
        "sender": world.sender,
        "first": world.first,
        "last": world.last,
        "count": LOGS,
        "expected": world.transfers,
    }

    def job(peer: Peer) -> Job:
        kinds = ("cold", "warm") if peer == TOOLKIT else ("cold",)
        names = (f"{kind}-{number}" for number in range(1, rounds + 1) for kind in kinds)
        return Job(tuple({"name": name, **asked} for name in names))

    return job


def _row(peer: Peer, found: Measured, kind: str, cryo: Peer) -> list[str]:
    best = found.best(peer, kind)
    return [
        report.name(peer, found.times[peer]),
        {"cold": "first time", "warm": "asked again"}[kind],
        *report.times(found.times[peer], kind),
        report.ratio(best, found.best(FLOOR)),
        report.ratio(best, found.best(cryo)),
        *report.cost(found.cost(peer, kind)),
        report.milliseconds(found.best_far(peer, kind)),
    ]
