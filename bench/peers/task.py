"""How every peer is run: it reads a task from stdin, and prints what each round took as JSON.

Standard library only, because each peer has an interpreter of its own.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any

Round = dict[str, Any]
Ask = Callable[[Round], Any]
"""Answers one round with its values, or with a function that gives them off the clock."""
Ready = Callable[[Round], None]
"""Puts a round's surroundings in order, off the clock."""

notes: set[str] = set()
"""What a peer says of its own run, such as the form in which its reads travelled."""


def run(
    prepare: Callable[[dict[str, Any]], Ask | tuple[Ready, Ask]], packages: Iterable[str]
) -> None:
    """Prepare off the clock, then time each round and check every value of it."""
    task = json.load(sys.stdin)
    prepared = prepare(task)
    ready, ask = prepared if isinstance(prepared, tuple) else (_nothing, prepared)
    rounds = []
    for one in task["rounds"]:
        ready(one)
        rounds.append(_timed(ask, one, trace=task["trace"]))
    versions = [f"{name} {version(name)}" for name in packages]
    print(json.dumps({"rounds": rounds, "versions": versions, "notes": sorted(notes)}))


def _nothing(one: Round) -> None:
    """Most rounds need nothing put in order."""


def _timed(ask: Ask, one: Round, *, trace: bool) -> dict[str, Any]:
    """Time one round. Memory is traced in runs of its own, for tracing slows."""
    if trace:
        tracemalloc.start()
    began, clock = time.time(), time.perf_counter()
    answer = ask(one)
    seconds = time.perf_counter() - clock
    timed = {"name": one["name"], "began": began, "ended": time.time(), "seconds": seconds}
    if trace:
        timed["held_bytes"], timed["peak_bytes"] = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    values = answer() if callable(answer) else answer
    if [str(value) for value in values] != one["expected"]:
        raise SystemExit(f"A value of round {one['name']} is wrong.")
    return timed
