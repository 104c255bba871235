"""Two programs that both write one store: nothing lost, nothing twice, no contradiction hidden."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toolkit.chain.reads import CallRead, ReadIds
from toolkit.errors import EndpointsDisagreeError
from toolkit.models import Pin
from toolkit.store import Database, Facts, StoredFact, count

BATCHES = 50
SIZE = 20

# Half of each batch is what the other program keeps too; of that, one read in ten it was told
# differently. A batch is acknowledged once it is kept.
BOTH = """
import sys
from pathlib import Path
from toolkit.chain.facts import Fact, Value, Witness
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.models import Pin
from toolkit.store import Database, Facts

folder, name, batches, size = Path(sys.argv[1]), int(sys.argv[2]), *map(int, sys.argv[3:])
pin = Pin(1, 100, "0x" + "64" * 32, "0x" + "63" * 32, 1_700_000_000, "0x" + "65" * 32)
ids, facts = ReadIds(pin), Facts(Database(folder, wait_seconds=30), 1)
witness = Witness(f"endpoint {name}", "2026-03-01T08:14:12Z", "multicall3")
print("ready", flush=True)
sys.stdin.readline()
for batch in range(batches):
    first = batch * size
    shared = range(first, first + size // 2)
    own = [1_000_000 * (name + 1) + n for n in shared]
    kept = []
    for n in (*shared, *own):
        read = CallRead("0x" + "11" * 20, n.to_bytes(32, "big"))
        lie = name == 1 and n < 1_000_000 and n % 10 == 0
        kept.append(Fact(read, ids.of(read), Value(b"lie" if lie else read.data), witness))
    facts.look_up(pin, [fact.read_id for fact in kept])
    facts.keep(pin, kept)
    print(batch, flush=True)
"""


def _started(
    program: Callable[..., subprocess.Popen[str]], folder: Path, name: int
) -> subprocess.Popen[str]:
    process = program(BOTH, folder, name, BATCHES, SIZE)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def _go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def _shared(batches: int) -> list[int]:
    return [b * SIZE + n for b in range(batches) for n in range(SIZE // 2)]


@pytest.mark.parametrize("killed", [False, True])
def test_two_programs_that_keep_the_same_reads_lose_and_double_nothing(
    program: Callable[..., subprocess.Popen[str]],
    database: Database,
    folder: Path,
    pin: Pin,
    call: Callable[[int], CallRead],
    *,
    killed: bool,
) -> None:
    """A dashboard and a notebook that read the same block must agree about it afterwards."""
    honest, liar = [_started(program, folder, name) for name in (0, 1)]
    for process in (honest, liar):
        _go(process)
    if killed:
        assert liar.stdout is not None
        last = [int(liar.stdout.readline()) for _ in range(BATCHES // 2)][-1]
        liar.kill()
        rest = liar.stdout.read().split()
        promised_by_liar = max([last, *map(int, rest)]) + 1
    else:
        _, complaints = liar.communicate(timeout=120)
        assert (liar.returncode, complaints) == (0, "")
        promised_by_liar = BATCHES
    _, complaints = honest.communicate(timeout=120)
    assert (honest.returncode, complaints) == (0, "")

    ids = ReadIds(pin)
    found = Facts(database, 1).look_up(pin, [ids.of(call(n)) for n in _shared(BATCHES)])
    own = [1_000_000 + n for n in _shared(BATCHES)]
    own += [2_000_000 + n for n in _shared(promised_by_liar)]
    found_own = Facts(database, 1).look_up(pin, [ids.of(call(n)) for n in own])

    assert len(found) == len(_shared(BATCHES))
    assert len(found_own) == len(own)
    assert all(isinstance(one, StoredFact) for one in found_own.values())
    told_twice = {ids.of(call(n)) for n in _shared(promised_by_liar) if n % 10 == 0}
    doubted = {i for i, one in found.items() if isinstance(one, EndpointsDisagreeError)}
    assert told_twice <= doubted
    assert doubted <= {ids.of(call(n)) for n in _shared(BATCHES) if n % 10 == 0}
    with database.lease() as cursor:
        twice = cursor.execute("SELECT read_id FROM facts GROUP BY read_id HAVING count(*) > 1")
        assert twice.fetchall() == []
    assert count(database).facts >= len(found) + len(own)
