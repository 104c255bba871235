"""The store written anew: nothing lost, whatever happens while that is done."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toolkit.chain.facts import Fact, Value
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.errors import EndpointsDisagreeError, StoreBusyError, StoreUnusableError
from toolkit.models import FinalityObservation, Pin
from toolkit.store import Blocks, Database, Facts, Label, Labels, compact, count

OFTEN = """
import sys
from pathlib import Path
from toolkit.store import Database, compact
database = Database(Path(sys.argv[1]), wait_seconds=20)
print("begin", flush=True)
while True:
    compact(database)
    print("done", flush=True)
"""

FULL_DISK = """
import resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from toolkit.errors import StoreError
from toolkit.store import Database, compact
database = Database(Path(sys.argv[1]), wait_seconds=20)
with database.lease():
    pass
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    compact(database)
except StoreError as error:
    print(type(error).__name__, error, flush=True)
"""

MANY = 60_000


def _fill(database: Database, rows: int) -> None:
    """Put many facts of many blocks into the store, in no good order."""
    with database.transaction() as cursor:
        cursor.execute(
            "INSERT INTO facts SELECT 10, 1000000 - i // 100, unhex(sha256((i // 100)::VARCHAR)), "
            "unhex(sha256(i::VARCHAR)), 0, unhex(lpad(md5(i::VARCHAR), 64, '0')), 1 "
            "FROM range($rows) numbers(i)",
            {"rows": rows},
        )
    database.close()


def _leftovers(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if file.name.startswith("facts.new")]


def test_all_that_was_known_is_known_after_it(
    database: Database,
    facts: Facts,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """Whoever tidies up must not lose a number, a name, a doubt or a contradiction."""
    told = [fact_of(call(number)) for number in range(300)]
    doubtful = fact_of(call(7), Value(b"other"), "second")
    facts.keep(pin, told)
    facts.keep(pin, [doubtful])
    final = PinnedBlock(pin, FinalityObservation("finalized", "2026-03-01T08:00:00Z"), "one", False)
    Blocks(database, 1).remember(final)
    Labels(database).keep([Label(1, "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "weth")])
    before = count(database)

    compact(database)

    found = facts.look_up(pin, [fact.read_id for fact in told])
    assert isinstance(found.pop(told[7].read_id), EndpointsDisagreeError)
    assert {i: one.outcome for i, one in found.items()} == {  # type: ignore[union-attr]
        fact.read_id: fact.outcome for fact in told if fact is not told[7]
    }
    assert Blocks(database, 1).finalized_at(100, None) == final
    assert [label.label for label in Labels(database).all()] == ["weth"]
    after = count(database)
    assert (after.facts, after.blocks, after.flagged) == (300, 1, 1)
    assert (before.facts, before.blocks, before.flagged) == (300, 1, 1)


def test_what_is_written_after_it_has_a_witness_of_its_own(
    database: Database,
    facts: Facts,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """A counter that started again would put one endpoint's name under another's answer."""
    facts.keep(pin, [fact_of(call(1), endpoint="first")])

    compact(database)
    facts.keep(pin, [fact_of(call(2), endpoint="later")])

    found = facts.look_up(pin, [fact_of(call(n)).read_id for n in (1, 2)])
    assert [one.witness.endpoint_id for one in found.values()] == [  # type: ignore[union-attr]
        "first",
        "later",
    ]


@pytest.mark.parametrize(("sessions", "most"), [(1, 90), (10, 110)])
def test_a_fact_takes_at_most_ninety_bytes(
    database: Database, pin: Pin, fact_of: Callable[..., Fact], sessions: int, most: int
) -> None:
    """A laptop's disk must hold a year of reading, whose many short sessions leave gaps."""
    noise = random.Random(3)  # a repeatable choice of bytes, no secret
    for session in range(sessions):
        calls = [CallRead("0x" + "11" * 20, noise.randbytes(20)) for _ in range(10_000 // sessions)]
        values = [bytes(16) + noise.randbytes(16) for _ in calls]
        at = [fact_of(c, Value(v)) for c, v in zip(calls, values, strict=True)]
        Facts(database, session + 1).keep(pin, at)
        database.close()
    assert count(database).facts == 10_000
    database.close()
    assert database.size_bytes() <= most * 10_000

    compact(database)

    database.close()
    assert database.size_bytes() <= 70 * 10_000


def test_a_program_killed_in_the_middle_leaves_the_store_whole(
    program: Callable[..., subprocess.Popen[str]],
    database: Database,
    folder: Path,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """A laptop that is shut at the wrong moment must not cost what was read."""
    facts = [fact_of(call(number)) for number in range(500)]
    Facts(database, 1).keep(pin, facts)
    _fill(database, MANY)
    chance = random.Random(11)
    for _ in range(6):
        database.close()
        process = program(OFTEN, folder)
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.02, 0.5))
        process.kill()
        process.wait()

        assert len(Facts(database, 1).look_up(pin, [fact.read_id for fact in facts])) == 500
        assert count(database).facts == MANY + 500
        assert _leftovers(folder) == []


def test_others_write_and_read_while_it_is_done_again_and_again(
    program: Callable[..., subprocess.Popen[str]],
    writer: Callable[..., subprocess.Popen[str]],
    database: Database,
    folder: Path,
    pin: Pin,
    call: Callable[[int], CallRead],
) -> None:
    """A notebook that writes while somebody tidies up must not write into the old file."""
    _fill(database, 5_000)
    tidying = program(OFTEN, folder)
    assert tidying.stdout is not None
    tidying.stdout.readline()

    other = writer(0, 30, 20)
    _, complaints = other.communicate(timeout=60)
    tidying.stdout.readline()
    tidying.kill()
    tidying.wait()

    assert (other.returncode, complaints) == (0, "")
    ids = ReadIds(pin)
    promised = [ids.of(call(number)) for number in range(600)]
    assert len(Facts(database, 1).look_up(pin, promised)) == 600
    assert count(database).facts == 5_600


def test_a_program_that_holds_the_file_is_not_pushed_aside(
    program: Callable[..., subprocess.Popen[str]], database: Database, folder: Path
) -> None:
    """A DuckDB shell that is looking at the store must not end up with a file of the past."""
    _fill(database, 10)
    shell = program(
        "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print(1, flush=True); input()",
        database.path,
    )
    assert shell.stdout is not None
    shell.stdout.readline()

    with pytest.raises(StoreBusyError, match=f"process {shell.pid}"):
        compact(Database(folder, wait_seconds=0.1))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="file size limits exist on POSIX systems only")
def test_a_full_disk_leaves_the_store_as_it_was(
    program: Callable[..., subprocess.Popen[str]], database: Database, folder: Path
) -> None:
    """Whoever tidies up because the disk is nearly full must not lose the store to it."""
    _fill(database, MANY)

    said, complaints = program(FULL_DISK, folder).communicate(timeout=60)

    assert complaints == ""
    assert said.startswith("StoreUnusableError The disk that holds the store in")
    assert _leftovers(folder) == []
    assert count(database).facts == MANY


def test_a_copy_that_differs_is_thrown_away(
    database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that loses rows while they are copied must not replace the file that has them."""
    _fill(database, 100)
    lossy = "INSERT INTO draft.facts SELECT * FROM store.facts LIMIT 99"
    monkeypatch.setattr("toolkit.store.compacting._copy_of", lambda *_: lossy)

    with pytest.raises(StoreUnusableError, match="nothing was changed"):
        compact(database)

    assert count(database).facts == 100
    assert _leftovers(folder) == []
