"""The tables of the benchmark: who is compared with whom, and at what."""

from __future__ import annotations

from collections.abc import Iterator

from bench import report
from bench.measure import Job, Peer, Rounds, count_peer, merged, scaled, time_peer
from bench.proxy import metered
from bench.world import World

COUNT = 1_000
ROUNDS = 5
PASSES = 3
DELAY_SECONDS = 0.05
FAR_SAMPLE = 20  # A slow peer answers no more of them 50 ms away; scaled by 50.
GROWTH = (1_000, 5_000, 20_000)
GROWTH_HEAD = (
    *("growth", "reads", "cold ms", "us a read", "requests", "warm ms", "us a read", "requests"),
    *("bytes held a read", "bytes at peak a read"),
)
MULTICALL_PY = "multicall.py"
KEPT = "--until-kept"
OTHER_BLOCK = Peer(
    "toolkit, another block each round", "toolkit_batch.py", other_block_each_round=True
)
ON_DISK = Peer("toolkit, block known, until facts are on disk", "toolkit_batch.py", (KEPT,))
FLOOR = Peer("byte floor, no codec", "byte_floor.py")
COLD_PEERS = (
    Peer("toolkit, block known", "toolkit_batch.py"),
    OTHER_BLOCK,
    ON_DISK,
    FLOOR,
    Peer("web3.py batch_requests", "web3_batch.py"),
    Peer("web3.py one by one (100 x 10)", "web3_one_by_one.py", sample=100),
)
ONE_QUERY = Peer("one DuckDB query, file held open", "warm_floor.py", ("duckdb",))
WARM_PEERS = (
    Peer("toolkit, block known", "toolkit_batch.py", (KEPT,)),
    Peer(
        "toolkit, block not final: looked up again",
        "toolkit_batch.py",
        (KEPT,),
        other_block_each_round=True,
    ),
    ONE_QUERY,
    Peer("one DuckDB query, opened and closed", "warm_floor.py", ("duckdb_reopened",)),
    Peer("a Python dict", "warm_floor.py", ("dict",)),
)


def measure(world: World, multicall_py: Peer | str, versions: set[str]) -> Iterator[str]:
    """Measure all of it, one table after another. `versions` learns who took part."""
    other = (multicall_py,) if isinstance(multicall_py, Peer) else ()
    yield cold_section(world, (*COLD_PEERS, *other), versions)
    if not other:
        yield f"multicall.py is missing from this run: {multicall_py}."
    yield first_section(world)
    yield warm_section(world, versions)
    yield growth_section(world, (ON_DISK, *other))


def cold_section(world: World, peers: tuple[Peer, ...], versions: set[str]) -> str:
    """1,000 balances that nobody has asked for before."""
    costs = {peer: count_peer(peer, world, scaled(peer, Job("count", COUNT, 2))) for peer in peers}
    timed: dict[Peer, list[Rounds]] = {peer: [] for peer in peers}
    for number in range(PASSES):  # Peers take turns, so that a noisy minute hits them all.
        for peer in peers:
            job = scaled(peer, Job(f"time-{number}", COUNT, ROUNDS))
            timed[peer].append(time_peer(peer, world, world.port, job))
    here = {peer: merged(parts) for peer, parts in timed.items()}
    best = {peer: report.best(here[peer], "cold", _factor(peer)) for peer in peers}
    multicall_py = next((best[peer] for peer in peers if peer.name == MULTICALL_PY), None)
    rows = []
    for peer in peers:
        versions |= here[peer].versions
        rows.append(
            [
                peer.name if not here[peer].problem else f"{peer.name}: {here[peer].problem}",
                *report.times(here[peer], "cold", _factor(peer)),
                report.ratio(best[peer], multicall_py),
                report.ratio(best[peer], best[FLOOR]),
                *report.cost(costs[peer].get("cold")),
                _far(peer, world),
            ]
        )
    head = ["cold, 1,000 balances", "min ms", "median ms", "x multicall.py", "x byte floor"]
    head += ["requests", "calls", "kB up", "kB down", "min ms at 50 ms delay"]
    return report.table(head, rows)


def warm_section(world: World, versions: set[str]) -> str:
    """The same 1,000 balances asked again, after they were kept."""
    rows = []
    timed = {peer: merged(_warm(peer, world) for _ in range(2)) for peer in WARM_PEERS}
    query = report.best(timed[ONE_QUERY], "warm")
    for peer, rounds in timed.items():
        versions |= rounds.versions
        against = report.ratio(report.best(rounds, "warm"), query)
        costs = count_peer(peer, world, _twice(peer))
        rows.append(
            [peer.name, *report.times(rounds, "warm"), against, report.cost(costs["warm"])[0]]
        )
    head = ["warm, 1,000 balances", "min ms", "median ms", "x one query", "requests"]
    return report.table(head, rows)


def first_section(world: World) -> str:
    """What the very first batch on a new machine costs: an empty store, an unknown endpoint."""
    traffic = count_peer(OTHER_BLOCK, world, Job("new", COUNT, 1, first=COUNT))["first"]
    row = ["probe, pin, read, re-check", str(traffic.requests), str(traffic.calls)]
    return report.table(["first batch ever, 1,000 balances", "requests", "calls"], [row])


def growth_section(world: World, peers: tuple[Peer, ...]) -> str:
    """How time, requests and memory grow with the number of reads."""
    rows = []
    for count in GROWTH:
        job = Job(f"grow-{count}", count, 2, kinds=("cold", "warm"))
        for peer in peers:
            timed = merged(time_peer(peer, world, world.port, job) for _ in range(2))
            if timed.problem:
                rows.append(
                    [peer.name, f"{count:,}", timed.problem, *["-"] * (len(GROWTH_HEAD) - 3)]
                )
                continue
            costs = count_peer(peer, world, job)
            traced = time_peer(peer, world, world.port, _traced(job))
            cells = [peer.name, f"{count:,}"]
            for kind in job.kinds:
                shortest = min(timed.seconds[kind])
                each = f"{1e6 * shortest / count:.1f}"
                cells += [report.milliseconds(shortest), each, str(costs[kind].requests)]
            held, peak = min(traced.held_bytes["cold"]), min(traced.peak_bytes["cold"])
            rows.append([*cells, f"{held / count:.0f}", f"{peak / count:.0f}"])
    return report.table(GROWTH_HEAD, rows)


def _traced(job: Job) -> Job:
    return Job(job.seed, job.count, 2, kinds=job.kinds, trace=True)


def _warm(peer: Peer, world: World) -> Rounds:
    return time_peer(peer, world, world.port, _twice(peer))


def _twice(peer: Peer) -> Job:
    """Ask each round twice; the floors have nothing to ask the first time."""
    only = peer.script == ONE_QUERY.script
    return Job("warm", COUNT, ROUNDS, kinds=("warm",) if only else ("cold", "warm"))


def _factor(peer: Peer) -> float:
    """What a sample stands for."""
    return COUNT / (peer.sample or COUNT)


def _far(peer: Peer, world: World) -> str:
    """Time a peer whose endpoint is 50 ms away; a slow one answers even fewer, scaled up."""
    count = FAR_SAMPLE if peer.sample else COUNT
    with metered(world.port, delay_seconds=DELAY_SECONDS) as meter:
        rounds = time_peer(peer, world, meter.port, Job("far", count, 3))
    return report.times(rounds, "cold", COUNT / count)[0]
