"""Measures two programs on one store, both of which write and read, against one alone.

A job is what a page does: it looks up a thousand reads of a new block, keeps them, and looks
them up again. Each program does one after another without a pause, which no person can.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from toolkit.chain.facts import Fact, Value, Witness
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.models import Pin
from toolkit.store import Database, Facts, count

JOBS: Final = 200
_A_JOB: Final = 1_000
_WITNESS: Final = Witness("primary", "2026-03-01T08:14:12Z", "multicall3")


def measure_two_processes(folder: Path, jobs: int = JOBS) -> list[dict[str, str]]:
    """Time the jobs of one program alone, then of two at once, and count what was kept."""
    rows = []
    alone = 0.0
    for programs in (1, 2):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            seconds = _run(Path(place), programs, jobs)
            database = Database(Path(place))
            lost = programs * jobs * _A_JOB - count(database).facts
            database.close()
        late = quantiles(seconds, n=20)[-1]
        alone = alone or late
        rows.append(
            {
                "programs": str(programs),
                "jobs each": str(jobs),
                "median ms": f"{1000 * median(seconds):.1f}",
                "p95 ms": f"{1000 * late:.1f}",
                "x alone": f"{late / alone:.2f}",
                "longest ms": f"{1000 * max(seconds):.0f}",
                "facts lost": str(lost),
            }
        )
    return rows


def _run(folder: Path, programs: int, jobs: int) -> list[float]:
    """Start the programs, let them begin together, and gather what each job took."""
    started = [
        subprocess.Popen(
            [sys.executable, __file__, str(folder), str(number), str(jobs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)},
        )
        for number in range(programs)
    ]
    for program in started:
        assert program.stdout is not None
        program.stdout.readline()
    for program in started:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    told = [program.communicate()[0] for program in started]
    return [seconds for text in told for seconds in json.loads(text)]


def _work(folder: Path, program: int, jobs: int) -> list[float]:
    """Do one program's jobs."""
    database = Database(folder, wait_seconds=60)
    facts = Facts(database, 1)
    with database.lease():
        pass
    database.close()
    prepared = [_prepared(program, number) for number in range(jobs)]
    print("ready", flush=True)
    sys.stdin.readline()
    seconds = []
    for pin, ids, batch in prepared:
        start = perf_counter()
        known = facts.look_up(pin, ids)
        facts.keep(pin, batch)
        now = facts.look_up(pin, ids)
        seconds.append(perf_counter() - start)
        if known or len(now) != _A_JOB:
            raise RuntimeError("A fact was not found where it was kept.")
    return seconds


def _prepared(program: int, number: int) -> tuple[Pin, list[bytes], list[Fact]]:
    height = 1_000_000 * (program + 1) + number
    block_hash = "0x" + height.to_bytes(32, "big").hex()
    pin = Pin(1, height, block_hash, block_hash, 1_700_000_000, block_hash)
    ids = ReadIds(pin)
    reads = [CallRead("0x" + "11" * 20, n.to_bytes(32, "big")) for n in range(_A_JOB)]
    batch = [Fact(read, ids.of(read), Value(os.urandom(32)), _WITNESS) for read in reads]
    return pin, [fact.read_id for fact in batch], batch


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(_work(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
    else:
        with tempfile.TemporaryDirectory() as here:
            for row in measure_two_processes(Path(here)):
                print(" | ".join(f"{name} {value}" for name, value in row.items()))
