"""One DuckDB file that several threads and several processes work on by turns."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb

from toolkit.errors import StoreBusyError, StoreError
from toolkit.models import iso_time
from toolkit.store.engine import Engine
from toolkit.store.faults import busy, duckdb_fault, holder_in, is_held, left_log, os_fault
from toolkit.store.files import flush_folder, logs_of
from toolkit.store.migrations import migrate
from toolkit.store.turn import Turn

T = TypeVar("T")

_IDLE_SECONDS: Final = 1.0
_LOOK_ROUND_SECONDS: Final = 0.01
_LONGEST_HOLD_SECONDS: Final = 0.5
_RETRY_SECONDS: Final = 0.02
_MOST_RECALLED: Final = 10_000
# A writer and its caller would take turns on one interpreter, and both be late.
_GRACE_SECONDS: Final = 0.02
# Once a full wait was in vain, the next asks only briefly, so that a page of many reads
# beside a program that keeps the file open does not wait anew for each of them.
_BRIEF_WAIT_SECONDS: Final = 0.1
_BRIEF_FOR_SECONDS: Final = 5.0

_STORE: Final = "store"
_DRAFT: Final = "draft"


class Database:
    """The file `facts.duckdb` in one folder, opened late and closed early.

    DuckDB lets one process open a file, so a dashboard that kept it would lock the notebook
    out. A lease opens it behind a file lock; it stays open while used and a second beyond. An
    idle file passes on within 10 ms of another process asking, a busy one after 500 ms.
    Leases of one process run one at a time, so that writers need no key to keep rows unique.
    What the first opening started in DuckDB stays, so that a later one takes two milliseconds.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float] = time.time,
        wait_seconds: float = 2.0,
    ) -> None:
        self.path = folder / "facts.duckdb"
        self._draft = folder / "facts.new"
        self._clock = clock
        self._wait_seconds = wait_seconds
        self._turn = Turn(folder, "facts")
        self._engine = Engine(folder)
        self._in_use = threading.RLock()
        self._asked_for = threading.Event()
        self._depth = 0
        self._is_open = False
        self._closed = threading.Event()
        self._closer: threading.Thread | None = None
        self._opened_at = 0.0
        self._last_used = 0.0
        self._brief_until = 0.0
        self._memory: dict[tuple[Hashable, ...], Any] = {}

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the file open, and everybody else out, for what belongs together.

        Errors: StoreBusyError after a bounded wait, StoreUnusableError.
        """
        self._asked_for.set()
        if not self._in_use.acquire(timeout=self._wait_seconds):
            raise StoreBusyError(
                "The store is held by another job of this program.",
                remedy="Ask again when that job is done.",
            )
        self._asked_for.clear()
        self._depth += 1
        try:
            if not self._is_open:
                self._open()
            yield
        finally:
            self._depth -= 1
            self._last_used = time.monotonic()
            if self._depth == 0 and self._is_overdue():
                self._close(hand_over=True)
            self._in_use.release()

    @contextmanager
    def lease(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor of its own for a few statements; do not keep it beyond the block.

        Errors: StoreBusyError after a bounded wait, StoreUnusableError.
        """
        with self.hold():
            try:
                cursor = self._engine.cursor(_STORE)
                try:
                    yield cursor
                finally:
                    cursor.close()
            except duckdb.Error as error:
                fault = duckdb_fault(error, self.path)
                if fault is None:
                    raise
                self._close(broken=True)
                raise fault from error

    def recall(
        self, key: tuple[Hashable, ...], read: Callable[[duckdb.DuckDBPyConnection], T]
    ) -> T:
        """Read something once while the file is open, when no other process can write it.

        It is forgotten when the file closes and with every transaction, but those that say
        they change nothing of it. Errors: StoreBusyError, StoreUnusableError.
        """
        with self.hold():
            if key not in self._memory:
                if len(self._memory) >= _MOST_RECALLED:
                    self.forget()
                with self.lease() as cursor:
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

    def replace_file(self, fill: Callable[[duckdb.DuckDBPyConnection, str, str], None]) -> None:
        """Move a fresh file into the place of this one, once `fill` has filled it from it.

        `fill` gets a cursor, and the names under which both files are attached to it. The
        others wait. A crash before the move leaves the file as it was, one after it the new
        one; whatever stands half-written is swept away when the file is next opened.
        Errors: StoreBusyError, StoreUnusableError, what `fill` raises; then nothing changed.
        """
        with self.hold():
            try:
                self._fill_draft(lambda cursor: fill(cursor, _STORE, _DRAFT))
                self._engine.close(_STORE)
                self._move_in()
            except duckdb.Error as error:
                raise duckdb_fault(error, self.path) or error from error
            except OSError as error:
                raise os_fault(error, self.path) from error
            finally:
                self._engine.stop()
                with suppress(OSError):
                    self._sweep()
                self._close(broken=True)

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
                with self.hold():
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

    def now(self) -> str:
        """The time by the store's clock. Unit: ISO 8601 UTC."""
        return iso_time(self._clock())

    def size_bytes(self) -> int:
        """Measure what the store takes on disk, the write-ahead log included."""
        files = (self.path, *logs_of(self.path))
        return sum(file.stat().st_size for file in files if file.exists())

    def _is_overdue(self) -> bool:
        """Say whether another process waits for a file that was held long enough."""
        if not self._is_open:
            return False
        held = self._last_used - self._opened_at
        return held >= _LONGEST_HOLD_SECONDS and self._turn.others_wait()

    def _open(self) -> None:
        """Take the turn among processes and open the file."""
        brief = time.monotonic() < self._brief_until
        wait = min(self._wait_seconds, _BRIEF_WAIT_SECONDS) if brief else self._wait_seconds
        deadline = time.monotonic() + wait
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._turn.take(wait)
            try:
                self._open_file(deadline)
            except BaseException:
                self._engine.stop()
                self._turn.give_back()
                raise
        except StoreBusyError:
            self._brief_until = time.monotonic() + _BRIEF_FOR_SECONDS
            raise
        except OSError as error:
            raise os_fault(error, self.path) from error
        self._is_open, self._opened_at = True, time.monotonic()
        self._last_used = self._opened_at
        self._closed = threading.Event()
        self._closer = threading.Thread(
            target=self._close_when_idle, args=(self._closed,), name="store-closer", daemon=True
        )
        self._closer.start()
        # A daemon that the interpreter ends while it is inside DuckDB takes the process down.
        atexit.unregister(self.close)
        atexit.register(self.close)

    def _open_file(self, deadline: float) -> None:
        """Open the file, which is made first where there is none."""
        self._sweep()
        try:
            if not self.path.exists():
                self._fill_draft(lambda _: None)
                self._move_in()
            self._open_until(deadline)
            with closing(self._engine.cursor(_STORE)) as cursor:
                migrate(cursor, self.path, self.now())
        except duckdb.Error as error:
            raise duckdb_fault(error, self.path) or error from error

    def _fill_draft(self, fill: Callable[[duckdb.DuckDBPyConnection], None]) -> None:
        """Make a new file under another name, with our tables, and fill it.

        A process killed while DuckDB writes a new file's header would leave one that nobody
        can open.
        """
        self._engine.open(self._draft, _DRAFT)
        with closing(self._engine.cursor(_DRAFT)) as cursor:
            migrate(cursor, self._draft, self.now())
            fill(cursor)
        self._engine.close(_DRAFT)

    def _move_in(self) -> None:
        """Put the draft into the file's place, whole. Errors: OSError, StoreUnusableError."""
        logs = [log for path in (self.path, self._draft) for log in logs_of(path)]
        if left := [log for log in logs if log.exists()]:
            raise left_log(left[0])
        self._draft.replace(self.path)
        flush_folder(self.path.parent)

    def _sweep(self) -> None:
        """Remove what a process that was killed left of a draft. Only in one's turn."""
        for leftover in (self._draft, *logs_of(self._draft)):
            leftover.unlink(missing_ok=True)

    def _open_until(self, deadline: float) -> None:
        """Open the file, waiting for a program that holds it without our lock."""
        while True:
            try:
                self._engine.open(self.path, _STORE)
            except duckdb.IOException as error:
                if not is_held(error):
                    raise
                if time.monotonic() >= deadline:
                    raise busy(holder_in(error)) from error
            else:
                return
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
                if self._turn.others_wait():
                    self._close(hand_over=True)
                elif idle >= _IDLE_SECONDS:
                    self._close()
            finally:
                self._in_use.release()

    def _close(self, *, hand_over: bool = False, broken: bool = False) -> None:
        """Close the file and give the turn back.

        Whoever waits for it reads the log sooner than it is written into the file here.
        """
        if not self._is_open:
            return
        self._is_open = False
        self.forget()
        self._closed.set()
        try:
            if not broken:
                self._engine.close(_STORE, leave_log=hand_over)
        except duckdb.Error:
            # A full disk makes the closing checkpoint fail; the log already holds what was kept.
            broken = True
        finally:
            if broken:
                self._engine.stop()
            self._turn.give_back()
