"""How every peer is run: it reads a task from stdin, and prints what each round took as JSON.

Standard library only, because each peer has an interpreter of its own.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

Round = dict[str, Any]
Ask = Callable[[Round], Any]
"""Answers one round with its integers, or with a function that gives them off the clock."""


def run(prepare: Callable[[dict[str, Any]], Ask], packages: tuple[str, ...]) -> None:
    """Prepare off the clock, then time each round and check every value of it."""
    task = json.load(sys.stdin)
    ask = prepare(task)
    rounds = [_timed(ask, one, trace=task["trace"]) for one in task["rounds"]]
    versions = [f"{name} {version(name)}" for name in packages]
    print(json.dumps({"rounds": rounds, "versions": versions}))


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
    if values != [int(text) for text in one["expected"]]:
        raise SystemExit(f"A value of round {one['name']} is wrong.")
    return timed
