"""The same 1,000 balances asked again, after they were kept."""

from __future__ import annotations

from pathlib import Path

from bench import report
from bench.balances import Balances
from bench.effort import Effort
from bench.line_up import KEPT, toolkit
from bench.measure import Job, JobFor, Peer
from bench.results import Section
from bench.sections.timing import Measured, take_turns
from bench.world import running_world

COUNT = 1_000
WORK = "1,000 balances, warm"
KNOWN = toolkit("block known", KEPT, refused=False)
OPEN = toolkit("block not final: looked up again", KEPT, refused=False, other=True)
REOPENED = toolkit("store opened and closed", "--store-reopened", refused=False)
ANEW = Peer("toolkit, whole workspace opened and closed", "toolkit_anew.py")
ONE_QUERY = Peer("one DuckDB query, file held open", "warm_floor.py", ("duckdb",))
ONE_QUERY_REOPENED = Peer(
    "one DuckDB query, opened and closed", "warm_floor.py", ("duckdb_reopened",)
)
DICT = Peer("a Python dict", "warm_floor.py", ("dict",))
PEERS = (KNOWN, OPEN, REOPENED, ANEW, ONE_QUERY, ONE_QUERY_REOPENED, DICT)


def measure(folder: Path, effort: Effort) -> Section:
    """Measure the toolkit beside one query, with and without opening and closing the file."""
    with running_world(folder) as world:

        def job(seed: str, rounds: int) -> JobFor:
            def asked(peer: Peer) -> Job:
                kinds = ("warm",) if peer.script == ONE_QUERY.script else ("cold", "warm")
                return Balances(world, seed, COUNT, rounds, kinds=kinds)(peer)

            return asked

        found = take_turns(PEERS, world.port, job, effort, whole=COUNT, far=False)
    section = Section(versions=found.versions)
    rows = [_row(peer, found) for peer in PEERS]
    head = [WORK, "min ms", "median ms", "x one query", "x one query opened and closed", "requests"]
    section.tables.append(report.table(head, rows))
    _promise(section, found)
    return section


def _row(peer: Peer, found: Measured) -> list[str]:
    best = found.best(peer, "warm")
    return [
        report.name(peer, found.times[peer]),
        *report.times(found.times[peer], "warm"),
        report.ratio(best, found.best(ONE_QUERY, "warm")),
        report.ratio(best, found.best(ONE_QUERY_REOPENED, "warm")),
        report.cost(found.cost(peer, "warm"))[0],
    ]


def _promise(section: Section, found: Measured) -> None:
    cost = found.cost(KNOWN, "warm")
    requests = None if cost is None else cost.requests
    section.promise("warm_requests", WORK, "0 requests", f"{requests}", met=requests == 0)
    pair = (found.best(KNOWN, "warm"), found.best(ONE_QUERY, "warm"))
    text = "in an open lease at most 3x one DuckDB query"
    section.at_most("warm_open", WORK, text, pair, 3)
    pair = (found.best(REOPENED, "warm"), found.best(ONE_QUERY_REOPENED, "warm"))
    text = "with open and close at most 1.5x the same query with its own"
    section.at_most("warm_reopened", WORK, text, pair, 1.5)
