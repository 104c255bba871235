"""Runs peers in interpreters of their own, and gathers what their rounds took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.proxy import Meter, metered
from bench.world import World, balance_of, holders

HERE = Path(__file__).parent
FINAL_BLOCK = 30
FIRST_OPEN_BLOCK = 50  # Not final here, so that the toolkit must look at its header again.


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to do the work. A slow one answers `sample` holders, scaled up and said so."""

    name: str
    script: str
    arguments: tuple[str, ...] = ()
    python: Path = Path(sys.executable)
    sample: int | None = None
    other_block_each_round: bool = False


@dataclass(slots=True)
class Rounds:
    """What one peer's rounds took, by kind: first, cold or warm."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    held_bytes: dict[str, list[int]] = field(default_factory=dict)
    peak_bytes: dict[str, list[int]] = field(default_factory=dict)
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one round cost the endpoint."""

    requests: int
    calls: int
    bytes_up: int
    bytes_down: int


@dataclass(frozen=True, slots=True)
class Job:
    """How many rounds of how many holders, and which kinds."""

    seed: str
    count: int
    rounds: int
    kinds: tuple[str, ...] = ("cold",)
    first: int = 10
    trace: bool = False


def time_peer(peer: Peer, world: World, port: int, job: Job) -> Rounds:
    """Run one peer against a port, and return its rounds; a peer that fails says why."""
    with tempfile.TemporaryDirectory() as store:
        task = {
            "url": f"http://127.0.0.1:{port}",
            "token": world.token,
            "store": store,
            "trace": job.trace,
            "rounds": list(_rounds(peer, job)),
        }
        done = subprocess.run(
            [peer.python, HERE / "peers" / peer.script, *peer.arguments],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(HERE.parent)},
            check=False,
        )
    if done.returncode:
        last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        # The error's name only: its text may hold an address.
        return Rounds(problem=last.partition(":")[0].removeprefix("web3.exceptions."))
    return _gathered(json.loads(done.stdout))


def count_peer(peer: Peer, world: World, job: Job) -> dict[str, Traffic]:
    """Run one peer through the counting proxy, and return what each kind of round cost."""
    with metered(world.port) as meter:
        rounds = time_peer(peer, world, meter.port, job)
    return {kind: _traffic(meter, span) for kind, span in rounds.spans.items()}


def merged(parts: Iterable[Rounds]) -> Rounds:
    """Put the rounds of several runs of one peer together."""
    whole = Rounds()
    for part in parts:
        if part.problem:
            return part
        for kind, seconds in part.seconds.items():
            whole.seconds.setdefault(kind, []).extend(seconds)
        whole.versions |= part.versions
    return whole


def scaled(peer: Peer, job: Job) -> Job:
    """The job that a slow peer gets."""
    return replace(job, count=min(job.count, peer.sample)) if peer.sample else job


def _rounds(peer: Peer, job: Job) -> Iterable[dict[str, Any]]:
    """A first round of a few holders, then fresh holders for each cold round."""
    block = FIRST_OPEN_BLOCK if peer.other_block_each_round else FINAL_BLOCK
    if job.first:
        yield _round("first", 0, block, holders(f"{job.seed}-first", job.first))
    for number in range(1, job.rounds + 1):
        block += peer.other_block_each_round
        fresh = holders(f"{job.seed}-{number}", job.count)
        for kind in job.kinds:
            yield _round(kind, number, block, fresh)


def _round(kind: str, number: int, block: int, asked: list[str]) -> dict[str, Any]:
    expected = [str(balance_of(holder)) for holder in asked]
    name = f"{kind}-{number}"
    return {"name": name, "block": str(block), "holders": asked, "expected": expected}


def _gathered(told: dict[str, Any]) -> Rounds:
    rounds = Rounds(versions=set(told["versions"]))
    for one in told["rounds"]:
        kind = one["name"].partition("-")[0]
        rounds.seconds.setdefault(kind, []).append(one["seconds"])
        rounds.spans[kind] = (one["began"], one["ended"])
        for name, kept in (("held_bytes", rounds.held_bytes), ("peak_bytes", rounds.peak_bytes)):
            if name in one:
                kept.setdefault(kind, []).append(one[name])
    return rounds


def _traffic(meter: Meter, span: tuple[float, float]) -> Traffic:
    passed = meter.between(*span)
    return Traffic(
        requests=len(passed),
        calls=sum(one.calls for one in passed),
        bytes_up=sum(one.bytes_up for one in passed),
        bytes_down=sum(one.bytes_down for one in passed),
    )
