"""The depth of 200 real pools at one block: the reads, and the curves alone."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from pathlib import Path

from bench import report
from bench.effort import Effort
from bench.measure import Job, JobFor, Peer
from bench.results import Section
from bench.sections.timing import Measured, take_turns
from bench.world import Pool, PoolWorld, running_pool_world

WORK = "depth of 200 pools at one block"
MOVES = ("0.5", "1", "2", "5", "10")
COUNT = 200
TOOLKIT = Peer("toolkit, overrides honoured", "toolkit_pools.py")
REFUSED = Peer("toolkit, overrides refused", "toolkit_pools.py", refused=True)
FLOOR = Peer("byte floor under overrides honoured", "byte_floor.py", replays=TOOLKIT)
REFUSED_FLOOR = Peer("byte floor under overrides refused", "byte_floor.py", replays=REFUSED)
WEB3 = Peer("web3.py one by one (20 x 10)", "web3_pools.py", sample=20)
PEERS = (TOOLKIT, REFUSED, FLOOR, REFUSED_FLOOR, WEB3)
_MOST_CURVE_SECONDS = 0.01


def measure(folder: Path, effort: Effort) -> Section:
    """Measure the reads at a new block each round, then the curves of what was read."""
    with running_pool_world(folder) as world:
        found = take_turns(
            PEERS,
            world.port,
            lambda _, rounds: _job(world, rounds),
            effort,
            whole=COUNT,
        )
    section = Section(versions=found.versions)
    head = [WORK, "min ms", "median ms", "x byte floor", "requests", "calls", "kB up", "kB down"]
    rows = [_row(peer, found) for peer in PEERS]
    section.tables.append(report.table([*head, "min ms at 50 ms delay"], rows))
    curves = [
        [says, *report.times(found.times[TOOLKIT], kind)]
        for kind, says in (
            ("curve", "the formulas in integers"),
            ("derived", "with formula text, evidence row and pin on each number"),
        )
    ]
    head = [f"curves of {COUNT} pools, {len(MOVES)} moves, both sides", "min ms", "median ms"]
    section.tables.append(report.table(head, curves))
    _promise(section, found)
    return section


def _promise(section: Section, found: Measured) -> None:
    for peer, key in ((TOOLKIT, "honoured"), (REFUSED, "refused")):
        cost = found.cost(peer)
        requests = None if cost is None else cost.requests
        section.promise(
            f"pools_rounds_{key}",
            f"{WORK}, overrides {key}",
            "two dependent rounds after the pin's: 3 requests",
            f"{requests} requests",
            met=requests == 3,
        )
    curve = found.best(TOOLKIT, "curve")
    section.promise(
        "pools_curve",
        WORK,
        "curves computed exactly for all in under 10 ms",
        f"{report.milliseconds(curve)} ms",
        met=None if curve is None else curve < _MOST_CURVE_SECONDS,
    )


def _row(peer: Peer, found: Measured) -> list[str]:
    best = found.best(peer)
    floor = REFUSED_FLOOR if peer.refused or peer == REFUSED_FLOOR else FLOOR
    return [
        report.name(peer, found.times[peer]),
        *report.times(found.times[peer], "cold", found.factor(peer)),
        report.ratio(best, found.best(floor)),
        *report.cost(found.cost(peer)),
        report.milliseconds(found.best_far(peer)),
    ]


def _job(world: PoolWorld, rounds: int) -> JobFor:
    curve = [text for pool in world.pools for text in _curve(pool)]

    def job(peer: Peer) -> Job:
        pools = world.pools[: peer.sample or COUNT]
        asked = {"pools": [pool.address for pool in pools], "moves": MOVES}
        states = [_state(pool) for pool in pools]
        done = []
        for number in range(rounds + 1):
            kind = "cold" if number else "first"
            block = str(world.first + number)
            name = f"{kind}-{number}"
            done.append({"name": name, "block": block, **asked, "expected": states})
            if peer.script == TOOLKIT.script and number:
                names = (f"curve-{number}", f"derived-{number}")
                done += [{"name": name, **asked, "expected": curve} for name in names]
        return Job(tuple(done))

    return job


def _state(pool: Pool) -> str:
    """What every reading must say: nothing was donated, so that balances equal reserves."""
    put = (pool.reserve0, pool.reserve1)
    return ":".join(map(str, (pool.token0, pool.token1, *put, *put, 18)))


def _curve(pool: Pool) -> list[str]:
    """Each move by a search of its own: the smallest input, and the largest output."""
    found = []
    for pct in MOVES:
        for way in (-1, 1):
            after = 1 + way * Fraction(pct) / 100
            grows, shrinks = max(after, 1 / after), min(after, 1 / after)
            put, got = (pool.reserve0, pool.reserve1)[::-way]
            found.append(f"{_least(put, grows) - put}:{got - _least(got, shrinks)}")
    return found


def _least(reserve: int, factor: Fraction) -> int:
    """The smallest integer whose square is at least the reserve's square times the factor."""
    square = reserve * reserve * factor
    near = isqrt(int(square))
    return next(m for m in range(max(near - 1, 0), near + 3) if m * m >= square)
