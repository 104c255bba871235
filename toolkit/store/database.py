"""One DuckDB file that several threads and several processes work on by turns."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb

from toolkit.errors import StoreBusyError, StoreError
from toolkit.models import iso_time
from toolkit.store.faults import busy, duckdb_fault, holder_in, is_held, os_fault
from toolkit.store.migrations import migrate
from toolkit.store.turn import Turn

T = TypeVar("T")

_IDLE_SECONDS: Final = 1.0
_LOOK_ROUND_SECONDS: Final = 0.01
_LONGEST_HOLD_SECONDS: Final = 0.5
_RETRY_SECONDS: Final = 0.02
# A writer and its caller would take turns on one interpreter, and both be late.
_GRACE_SECONDS: Final = 0.02
# Once a full wait was in vain, the next asks only briefly, so that a page of many reads
# beside a program that keeps the file open does not wait anew for each of them.
_BRIEF_WAIT_SECONDS: Final = 0.1
_BRIEF_FOR_SECONDS: Final = 5.0

# SQL here is our own; even so it can reach no other file and fetch nothing.
_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_access": False,
}


class Database:
    """The file `facts.duckdb` in one folder, opened late and closed early.

    DuckDB lets one process open a file, so a dashboard that kept it would lock the notebook
    out. A lease opens it behind a file lock; it stays open while used and a second beyond. An
    idle file passes on within 10 ms of another process asking, a busy one after 500 ms.
    Leases of one process run one at a time, so that writers need no key to keep rows unique.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float] = time.time,
        wait_seconds: float = 2.0,
    ) -> None:
        self.path = folder / "facts.duckdb"
        self._clock = clock
        self._wait_seconds = wait_seconds
        self._turn = Turn(folder, "facts")
        self._in_use = threading.RLock()
        self._asked_for = threading.Event()
        self._depth = 0
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._closed = threading.Event()
        self._closer: threading.Thread | None = None
        self._opened_at = 0.0
        self._last_used = 0.0
        self._brief_until = 0.0
        self._memory: dict[tuple[Hashable, ...], Any] = {}

    @contextmanager
    def lease(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor of its own for a few statements; do not keep it beyond the block.

        Errors: StoreBusyError after a bounded wait, StoreUnusableError.
        """
        with self._entered() as connection:
            try:
                cursor = connection.cursor()
                try:
                    yield cursor
                finally:
                    cursor.close()
            except duckdb.Error as error:
                fault = duckdb_fault(error, self.path)
                if fault is None:
                    raise
                self._close()
                raise fault from error

    def recall(
        self, key: tuple[Hashable, ...], read: Callable[[duckdb.DuckDBPyConnection], T]
    ) -> T:
        """Read something once while the file is open, when no other process can write it.

        It is forgotten when the file closes and with every transaction, but those that say
        they change nothing of it. Errors: StoreBusyError, StoreUnusableError.
        """
        with self.lease() as cursor:
            if key not in self._memory:
                self._memory[key] = read(cursor)
            recalled: T = self._memory[key]
            return recalled

    def forget(self) -> None:
        """Recall nothing of what was read before. Only from inside a lease."""
        self._memory.clear()

    @contextmanager
    def transaction(self, *, forget: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lease a cursor for writing: all of the block is durable when it ends, or nothing is.

        Errors: StoreBusyError, StoreUnusableError.
        """
        with self.lease() as cursor:
            if forget:
                self.forget()
            cursor.execute("BEGIN")
            try:
                yield cursor
            except BaseException:
                with suppress(duckdb.Error):
                    cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")

    def write_later(self, write: Callable[[], None]) -> None:
        """Write while the caller goes on: the turn is taken when this returns.

        The caller gets a moment to finish its answer first, unless somebody asks for the file.
        Whoever uses the file next, here or in another process, waits for the write and sees
        it. `write` takes its leases as ever and handles its own errors. Errors: StoreBusyError,
        StoreUnusableError where the turn cannot be had. Not: durable when this returns; not
        from inside a lease, whose end it would wait for.
        """
        begun = threading.Event()
        refused: list[StoreError] = []

        def run() -> None:
            try:
                with self._entered():
                    begun.set()
                    self._asked_for.wait(_GRACE_SECONDS)
                    write()
            except StoreError as error:
                refused.append(error)
            finally:
                begun.set()

        threading.Thread(target=run, name="store-writer").start()
        begun.wait()
        if refused:
            raise refused[0]

    def close(self) -> None:
        """Close the file now and let others in. The next lease opens it again."""
        with self._in_use:
            self._close()
        if self._closer is not None:
            self._closer.join()
        atexit.unregister(self.close)

    def size_bytes(self) -> int:
        """Measure what the store takes on disk, the write-ahead log included."""
        files = (self.path, self.path.with_name(self.path.name + ".wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    @contextmanager
    def _entered(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Hold the process's own turn, with the file open."""
        self._asked_for.set()
        if not self._in_use.acquire(timeout=self._wait_seconds):
            raise StoreBusyError(
                "The store is held by another job of this program.",
                remedy="Ask again when that job is done.",
            )
        self._asked_for.clear()
        self._depth += 1
        try:
            yield self._open() if self._connection is None else self._connection
        finally:
            self._depth -= 1
            self._last_used = time.monotonic()
            if self._depth == 0 and self._is_overdue():
                self._close()
            self._in_use.release()

    def _is_overdue(self) -> bool:
        """Say whether another process waits for a file that was held long enough."""
        if self._connection is None:
            return False
        held = self._last_used - self._opened_at
        return held >= _LONGEST_HOLD_SECONDS and self._turn.others_wait()

    def _open(self) -> duckdb.DuckDBPyConnection:
        """Take the turn among processes and open the file."""
        brief = time.monotonic() < self._brief_until
        wait = min(self._wait_seconds, _BRIEF_WAIT_SECONDS) if brief else self._wait_seconds
        deadline = time.monotonic() + wait
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._turn.take(wait)
            try:
                connection = self._open_file(deadline)
            except BaseException:
                self._turn.give_back()
                raise
        except StoreBusyError:
            self._brief_until = time.monotonic() + _BRIEF_FOR_SECONDS
            raise
        except OSError as error:
            raise os_fault(error, self.path) from error
        self._connection, self._opened_at = connection, time.monotonic()
        self._last_used = self._opened_at
        self._closed = threading.Event()
        self._closer = threading.Thread(
            target=self._close_when_idle, args=(self._closed,), name="store-closer", daemon=True
        )
        self._closer.start()
        # A daemon that the interpreter ends while it is inside DuckDB takes the process down.
        atexit.unregister(self.close)
        atexit.register(self.close)
        return connection

    def _open_file(self, deadline: float) -> duckdb.DuckDBPyConnection:
        """Open the file, which is made first where there is none."""
        if not self.path.exists():
            self._create()
        try:
            connection = self._connect_until(deadline)
        except duckdb.Error as error:
            raise duckdb_fault(error, self.path) or error from error
        self._migrate(connection)
        return connection

    def _create(self) -> None:
        """Make the file under another name and move it in whole.

        A process killed while DuckDB writes a new file's header would leave one that nobody
        can open.
        """
        draft = self.path.with_name("facts.new")
        for leftover in (draft, draft.with_name("facts.new.wal")):
            leftover.unlink(missing_ok=True)
        try:
            connection = duckdb.connect(str(draft), config=_CONFIG)
        except duckdb.Error as error:
            raise duckdb_fault(error, self.path) or error from error
        self._migrate(connection)
        connection.close()
        draft.replace(self.path)

    def _migrate(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Bring the schema up to date, or close the connection again."""
        try:
            migrate(connection, self.path, iso_time(self._clock()))
        except duckdb.Error as error:
            connection.close()
            raise duckdb_fault(error, self.path) or error from error
        except BaseException:
            connection.close()
            raise

    def _connect_until(self, deadline: float) -> duckdb.DuckDBPyConnection:
        """Open the file, waiting for a program that holds it without our lock."""
        while True:
            try:
                return duckdb.connect(str(self.path), config=_CONFIG)
            except duckdb.IOException as error:
                if not is_held(error):
                    raise
                if time.monotonic() >= deadline:
                    raise busy(holder_in(error)) from error
            time.sleep(_RETRY_SECONDS)

    def _close_when_idle(self, closed: threading.Event) -> None:
        """Close the file once nobody uses it here and another process waits, or after a while."""
        while not closed.wait(_LOOK_ROUND_SECONDS):
            if not self._in_use.acquire(blocking=False):
                continue
            try:
                idle = time.monotonic() - self._last_used
                if closed.is_set() or idle < _LOOK_ROUND_SECONDS:
                    continue
                if idle >= _IDLE_SECONDS or self._turn.others_wait():
                    self._close()
            finally:
                self._in_use.release()

    def _close(self) -> None:
        """Close the file and give the turn back."""
        if self._connection is None:
            return
        connection, self._connection = self._connection, None
        self.forget()
        self._closed.set()
        try:
            # A full disk makes the closing checkpoint fail; the log already holds what was kept.
            with suppress(duckdb.Error):
                connection.close()
        finally:
            self._turn.give_back()
