"""The file: shared by programs, and honest when it cannot be used."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from toolkit.chain.facts import Fact
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.errors import StoreBusyError, StoreUnusableError
from toolkit.models import Pin
from toolkit.store import Database, Facts, count
from toolkit.store.migrations import MIGRATIONS, Migration, migrate

FOREIGN = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""

FULL_DISK = """
import resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from toolkit.chain.facts import Fact, Value, Witness
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.errors import StoreError
from toolkit.models import Pin
from toolkit.store import Database, Facts
pin = Pin(1, 100, "0x" + "64" * 32, "0x" + "63" * 32, 1_700_000_000, "0x" + "65" * 32)
ids, facts = ReadIds(pin), Facts(Database(Path(sys.argv[1])), 1)
facts.look_up(pin, [])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
witness = Witness("primary", "2026-03-01T08:14:12Z", "multicall3")
for first in range(0, 10_000_000, 1000):
    reads = [CallRead("0x" + "11" * 20, n.to_bytes(32, "big")) for n in range(first, first + 1000)]
    try:
        facts.keep(pin, [Fact(read, ids.of(read), Value(read.data), witness) for read in reads])
    except StoreError as error:
        print(type(error).__name__, error, flush=True)
        break
    print(first, flush=True)
"""


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that this user cannot write to; root becomes an ordinary user for the test."""
    if not hasattr(os, "geteuid"):
        pytest.skip("folder permissions of this kind exist on POSIX systems only")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o555)
        was_root = os.geteuid() == 0
        if was_root:
            os.seteuid(65534)
        yield folder
        if was_root:
            os.seteuid(0)
        folder.chmod(0o755)


def _known(database: Database, pin: Pin, reads: list[CallRead]) -> int:
    ids = ReadIds(pin)
    return len(Facts(database, pin.chain_id).look_up(pin, [ids.of(read) for read in reads]))


def test_two_programs_that_write_at_once_lose_nothing(
    writer: Callable[..., subprocess.Popen[str]],
    database: Database,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """An analyst works in the dashboard and in a notebook on one store."""
    others = [writer(10_000, 40, 25), writer(20_000, 40, 25)]

    for number in range(40):
        Facts(database, 1).keep(pin, [fact_of(call(number))])

    for other in others:
        _, complaints = other.communicate(timeout=60)
        assert (other.returncode, complaints) == (0, "")
    kept = [*range(40), *range(10_000, 11_000), *range(20_000, 21_000)]
    assert _known(database, pin, [call(number) for number in kept]) == 2_040
    assert count(database).facts == 2_040


def test_a_program_killed_while_writing_loses_no_acknowledged_batch(
    writer: Callable[..., subprocess.Popen[str]],
    database: Database,
    pin: Pin,
    call: Callable[[int], CallRead],
) -> None:
    """A number that was shown as kept must still be there after a crash."""
    chance = random.Random(7)  # a repeatable choice of moments, no secret
    for start in range(0, 40_000, 10_000):
        process = writer(start, 200, 50)
        stdout = process.stdout
        assert stdout is not None
        acknowledged = [int(stdout.readline()) for _ in range(chance.randint(1, 15))]
        process.kill()
        acknowledged += [int(line) for line in stdout.read().splitlines()]

        promised = [call(start + number) for number in range(50 * (max(acknowledged) + 1))]
        assert _known(database, pin, promised) == len(promised)


def test_a_program_that_holds_the_file_itself_is_named(
    program: Callable[..., subprocess.Popen[str]], database: Database, folder: Path, pin: Pin
) -> None:
    """Whoever left a DuckDB shell open must learn which program to close."""
    with database.lease():
        pass
    database.close()
    foreign = program(FOREIGN, database.path)
    assert foreign.stdout is not None
    assert foreign.stdout.readline() == "open\n"

    with pytest.raises(StoreBusyError) as busy:
        Facts(Database(folder, wait_seconds=0.1), 1).look_up(pin, [])

    assert f"process {foreign.pid}" in str(busy.value)
    assert "TOOLKIT_STORE" in str(busy.value)
    assert busy.value.retryable


def test_a_store_is_usable_again_once_the_other_program_closes_it(
    program: Callable[..., subprocess.Popen[str]], database: Database, pin: Pin
) -> None:
    """Nobody should have to restart the dashboard because a notebook was busy."""
    with database.lease():
        pass
    database.close()
    foreign = program(FOREIGN, database.path)
    assert foreign.stdout is not None
    foreign.stdout.readline()
    impatient = Database(database.path.parent, wait_seconds=0.05)
    with pytest.raises(StoreBusyError):
        Facts(impatient, 1).look_up(pin, [])

    foreign.communicate("done")

    assert Facts(impatient, 1).look_up(pin, []) == {}
    impatient.close()


def test_threads_that_keep_the_same_facts_store_each_once(
    database: Database,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """Two dashboard sessions of one address must not double its history."""
    same = [fact_of(call(number)) for number in range(100)]

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: Facts(database, 1).keep(pin, same), range(12)))

    assert count(database).facts == 100


def test_whoever_looks_next_sees_what_is_written_behind_an_answer(
    database: Database,
    facts: Facts,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """An analyst who asks again at once must not pay the endpoint twice for one number."""
    fact, looking = fact_of(call(1)), threading.Event()

    def write() -> None:
        assert looking.wait(10)
        facts.keep(pin, [fact])

    def look() -> int:
        looking.set()
        return len(facts.look_up(pin, [fact.read_id]))

    database.write_later(write)

    with ThreadPoolExecutor(max_workers=1) as other_page:
        assert other_page.submit(look).result() == 1


def test_an_error_inside_a_transaction_keeps_nothing_of_it(database: Database) -> None:
    """Half a batch is worse than none: it looks complete."""

    def fail_half_way() -> None:
        with database.transaction() as cursor:
            cursor.execute("INSERT INTO labels VALUES (1, '0x', 'half')")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()

    with database.lease() as cursor:
        assert cursor.execute("SELECT count(*) FROM labels").fetchone() == (0,)


def test_a_read_only_folder_is_one_sentence_with_a_way_out(
    read_only_folder: Path, pin: Pin
) -> None:
    """A shared machine's folder must not end in a traceback."""
    with pytest.raises(StoreUnusableError, match=r"cannot be written to\. .*TOOLKIT_STORE"):
        Facts(Database(read_only_folder), 1).look_up(pin, [])

    assert list(read_only_folder.iterdir()) == []


def test_a_folder_that_is_a_file_is_one_sentence_with_a_way_out(folder: Path, pin: Pin) -> None:
    """A mistyped TOOLKIT_STORE must say what is wrong with it."""
    folder.write_text("notes", encoding="utf-8")

    with pytest.raises(StoreUnusableError, match="TOOLKIT_STORE"):
        Facts(Database(folder), 1).look_up(pin, [])


def test_a_file_that_is_not_duckdb_is_left_as_it_is(folder: Path, pin: Pin) -> None:
    """Somebody's own file of that name must not be overwritten."""
    folder.mkdir()
    (folder / "facts.duckdb").write_text("my notes\n" * 1000, encoding="utf-8")

    with pytest.raises(StoreUnusableError, match="is not a DuckDB file"):
        Facts(Database(folder), 1).look_up(pin, [])

    assert (folder / "facts.duckdb").read_text(encoding="utf-8") == "my notes\n" * 1000


def test_a_duckdb_file_of_another_program_is_left_as_it_is(folder: Path, pin: Pin) -> None:
    """Somebody's own database must not get our tables."""
    folder.mkdir()
    with duckdb.connect(str(folder / "facts.duckdb")) as theirs:
        theirs.execute("CREATE TABLE facts (theirs INTEGER)")

    with pytest.raises(StoreUnusableError, match="of another program"):
        Facts(Database(folder), 1).look_up(pin, [])

    with duckdb.connect(str(folder / "facts.duckdb")) as theirs:
        assert theirs.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("facts",)]


def test_a_store_of_a_newer_toolkit_is_refused(database: Database, pin: Pin) -> None:
    """An old toolkit must not write rows that a new one would misread."""
    with database.transaction() as cursor:
        cursor.execute("INSERT INTO migrations VALUES (999, 'tomorrow', '2030-01-01T00:00:00Z')")
    database.close()

    with pytest.raises(StoreUnusableError, match=r"newer toolkit .* Upgrade"):
        Facts(database, 1).look_up(pin, [])


def test_a_migration_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    """A broken upgrade must leave the store as it was."""
    path = tmp_path / "facts.duckdb"
    with duckdb.connect(str(path)) as connection:
        migrate(connection, path, "2026-01-01T00:00:00Z")
        broken = Migration(99, "broken", ("CREATE TABLE half (n INTEGER)", "CREATE nonsense"))

        with pytest.raises(duckdb.ParserException):
            migrate(connection, path, "2026-01-01T00:00:00Z", (*MIGRATIONS, broken))

        assert connection.execute("SELECT max(version) FROM migrations").fetchone() == (
            MIGRATIONS[-1].version,
        )
        assert not connection.execute(
            "SELECT 1 FROM duckdb_tables() WHERE table_name = 'half'"
        ).fetchall()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="file size limits exist on POSIX systems only")
def test_a_full_disk_is_one_sentence_and_keeps_what_was_acknowledged(
    program: Callable[..., subprocess.Popen[str]],
    folder: Path,
    pin: Pin,
    call: Callable[[int], CallRead],
) -> None:
    """A long job on a full disk must not spoil what it has read already."""
    process = program(FULL_DISK, folder)

    said, complaints = process.communicate(timeout=60)

    *acknowledged, last = said.splitlines()
    assert complaints == ""
    assert acknowledged
    assert last.startswith("StoreUnusableError The disk that holds the store in")
    database = Database(folder)
    promised = [call(number) for number in range(int(acknowledged[-1]) + 1000)]
    assert _known(database, pin, promised) == len(promised)
    assert count(database).facts == len(promised)
    database.close()


def test_the_first_read_of_a_command_does_not_load_pandas(
    writer: Callable[..., subprocess.Popen[str]],
) -> None:
    """A command line that thinks for a second before each answer is not used."""
    process = writer(0, 1, 1, "import sys; sys.exit('pandas' in sys.modules)")

    _, complaints = process.communicate(timeout=60)

    assert (process.returncode, complaints) == (0, "")
