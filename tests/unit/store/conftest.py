"""A real store in a folder of its own, and facts to put into it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import toolkit
from toolkit.chain.facts import Fact, Outcome, Value, Witness
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.models import Pin
from toolkit.store import Database, Facts

WITNESS = Witness("primary", "2026-03-01T08:14:12Z", "multicall3")

# What a second program writes: batches of facts, each acknowledged on stdout once it is kept.
WRITER = """
import sys
from pathlib import Path
from toolkit.chain.facts import Fact, Value, Witness
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.models import Pin
from toolkit.store import Database, Facts

folder, chain_id, start, batches, size = Path(sys.argv[1]), *map(int, sys.argv[2:])
pin = Pin(chain_id, 100, "0x" + "64" * 32, "0x" + "63" * 32, 1_700_000_000, "0x" + "65" * 32)
ids, facts = ReadIds(pin), Facts(Database(folder, wait_seconds=20), chain_id)
witness = Witness("primary", "2026-03-01T08:14:12Z", "multicall3")
for batch in range(batches):
    first = start + batch * size
    reads = [CallRead("0x" + "11" * 20, n.to_bytes(32, "big")) for n in range(first, first + size)]
    facts.keep(pin, [
        Fact(read, ids.of(read), Value(read.data), witness) for read in reads
    ])
    print(batch, flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def database(folder: Path) -> Iterator[Database]:
    database = Database(folder, wait_seconds=10)
    yield database
    database.close()


@pytest.fixture
def facts(database: Database) -> Facts:
    return Facts(database, 1)


@pytest.fixture
def pin() -> Pin:
    return Pin(1, 100, "0x" + "64" * 32, "0x" + "63" * 32, 1_700_000_000, "0x" + "65" * 32)


@pytest.fixture
def call() -> Callable[[int], CallRead]:
    """The n-th of many calls to one contract."""
    return lambda number: CallRead("0x" + "11" * 20, number.to_bytes(32, "big"))


@pytest.fixture
def fact_of(pin: Pin) -> Callable[..., Fact]:
    """The fact that a read had an outcome, as one endpoint told it."""

    def fact_of(read: CallRead, outcome: Outcome | None = None, endpoint: str = "primary") -> Fact:
        witness = Witness(endpoint, WITNESS.read_at, WITNESS.transport)
        return Fact(read, ReadIds(pin).of(read), outcome or Value(read.data), witness)

    return fact_of


@pytest.fixture
def program() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start Python programs that see the toolkit; whatever still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []
    environment = {**os.environ, "PYTHONPATH": str(Path(toolkit.__file__).parents[1])}

    def start(source: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(  # our own interpreter and our own text
            [sys.executable, "-c", source, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def writer(program: Callable[..., subprocess.Popen[str]], folder: Path) -> Callable[..., object]:
    """Start a second program that writes batches of facts into the same store."""
    return lambda start, batches, size, then="": program(
        WRITER + then, folder, 1, start, batches, size
    )
