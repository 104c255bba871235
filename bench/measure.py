"""Runs peers in interpreters of their own, and gathers what their rounds took."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.proxy import Meter, metered

HERE = Path(__file__).parent
Round = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to do the work. A slow one answers a `sample`, scaled up and said so.

    `refused` stands before an endpoint that takes no state override. `replays` posts the bytes
    that another peer posted. `missing` says why a peer takes no part.
    """

    name: str
    script: str
    arguments: tuple[str, ...] = ()
    python: Path = Path(sys.executable)
    sample: int | None = None
    other_block_each_round: bool = False
    refused: bool = False
    replays: Peer | None = None
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """The rounds to answer: each with a `name` of kind and number, and its `expected` texts."""

    rounds: tuple[Round, ...]
    trace: bool = False


JobFor = Callable[[Peer], Job]
"""What one peer is asked: fewer for a slow one, another block each round for some."""


@dataclass(slots=True)
class Rounds:
    """What one peer's rounds took, by kind: first, cold or warm."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    held_bytes: dict[str, list[int]] = field(default_factory=dict)
    peak_bytes: dict[str, list[int]] = field(default_factory=dict)
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one round cost the endpoint."""

    requests: int
    calls: int
    bytes_up: int
    bytes_down: int


def time_peer(peer: Peer, node_port: int, job_for: JobFor) -> Rounds:
    """Run one peer against a node, and return its rounds; a peer that fails says why."""
    try:
        job = _job(peer, node_port, job_for)
    except ReplayError as error:
        return Rounds(problem=str(error))
    flag = ("--refuse-overrides",) if peer.refused and not peer.replays else ()
    return _run(peer, node_port, job, flag)


def count_peer(peer: Peer, node_port: int, job_for: JobFor) -> dict[str, Traffic]:
    """Run one peer through the counting proxy; tell what the last round of each kind cost."""
    try:
        job = _job(peer, node_port, job_for)
    except ReplayError:
        return {}
    with metered(node_port, refuses_overrides=peer.refused) as meter:
        rounds = _run(peer, meter.port, job)
    last = {name.partition("-")[0]: span for name, span in rounds.spans.items()}
    return {kind: _traffic(meter, span) for kind, span in last.items()}


def time_far_peer(peer: Peer, node_port: int, job_for: JobFor, delay_seconds: float) -> Rounds:
    """Run one peer before a node that is far away."""
    try:
        job = _job(peer, node_port, job_for)
    except ReplayError as error:
        return Rounds(problem=str(error))
    refuses = peer.refused and not peer.replays
    with metered(node_port, delay_seconds=delay_seconds, refuses_overrides=refuses) as meter:
        return _run(peer, meter.port, job)


def merged(parts: Iterable[Rounds]) -> Rounds:
    """Put the rounds of several runs of one peer together."""
    whole = Rounds()
    for part in parts:
        if part.problem:
            return part
        for kind, seconds in part.seconds.items():
            whole.seconds.setdefault(kind, []).extend(seconds)
        whole.versions |= part.versions
        whole.notes |= part.notes
    return whole


class ReplayError(Exception):
    """The peer whose bytes should be posted again has failed."""


def _job(peer: Peer, node_port: int, job_for: JobFor) -> Job:
    """The job of a peer; for a floor, the bytes of the job of the peer above it."""
    if peer.replays is None:
        return job_for(peer)
    job = job_for(peer.replays)
    with metered(node_port, refuses_overrides=peer.replays.refused, records=True) as meter:
        told = _run(peer.replays, meter.port, job)
    if told.problem:
        raise ReplayError(told.problem)
    again = []
    for name, span in told.spans.items():
        passed = meter.between(*span)
        if name.startswith("first"):  # What came before its last request was the probe.
            passed = passed[-1:]
        bodies = [(one.body or b"").decode("ascii") for one in passed]
        answers = [hashlib.sha256(one.answer or b"").hexdigest() for one in passed]
        again.append({"name": name, "bodies": bodies, "expected": answers})
    return Job(tuple(again))


def _run(peer: Peer, port: int, job: Job, flags: tuple[str, ...] = ()) -> Rounds:
    if peer.missing:
        return Rounds(problem=peer.missing)
    with tempfile.TemporaryDirectory() as store:
        task = {
            "url": f"http://127.0.0.1:{port}",
            "store": store,
            "trace": job.trace,
            "rounds": job.rounds,
        }
        done = subprocess.run(
            [peer.python, HERE / "peers" / peer.script, *peer.arguments, *flags],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(HERE.parent)},
            check=False,
        )
    if done.returncode:
        last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        if os.environ.get("BENCH_SHOWS_FAILURES"):
            print(done.stderr, file=sys.stderr)
        # The error's name only: its text may hold an address.
        return Rounds(problem=last.partition(":")[0].removeprefix("web3.exceptions."))
    return _gathered(json.loads(done.stdout.splitlines()[-1]))


def _gathered(told: dict[str, Any]) -> Rounds:
    rounds = Rounds(versions=set(told["versions"]), notes=set(told["notes"]))
    for one in told["rounds"]:
        kind = one["name"].partition("-")[0]
        rounds.seconds.setdefault(kind, []).append(one["seconds"])
        rounds.spans[one["name"]] = (one["began"], one["ended"])
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
