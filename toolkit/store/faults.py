"""What DuckDB and the file system complain of, as sentences with a way out."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Final

import duckdb

from toolkit.errors import StoreBusyError, StoreError, StoreUnusableError

_ELSEWHERE: Final = "set TOOLKIT_STORE to another folder"
_HELD: Final = re.compile(r"Could not set lock|Conflicting lock|used by another process")
_HELD_HERE: Final = re.compile(r"is already attached by database")
_PID: Final = re.compile(r"\(PID (\d+)\)")
_FULL: Final = re.compile(r"No space left|File too large|[Dd]isk quota|not enough space")
_DENIED: Final = re.compile(r"Permission denied|Read-only file system|Access is denied")
_FOREIGN_FILE: Final = re.compile(r"not a valid DuckDB database")
# Windows has no errno for a quota.
_FULL_ERRNOS: Final = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})

# Faults of the file or the disk. Any other DuckDB error is a mistake in our own SQL.
_OF_THE_FILE: Final = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.OutOfMemoryException,
    duckdb.PermissionException,
    duckdb.SerializationException,
    duckdb.TransactionException,
)


def busy(pid: int | None) -> StoreBusyError:
    """Say that the store is held, and by whom as far as that is known."""
    if pid == os.getpid():
        return StoreBusyError(
            f"The store is held by this program itself (process {pid}).",
            remedy=f"Close its other connection to the store or {_ELSEWHERE}.",
        )
    who = f" (process {pid})" if pid else ""
    return StoreBusyError(
        f"The store is held by another program{who}.",
        remedy=f"Close it or {_ELSEWHERE}.",
    )


def holder_in(error: duckdb.Error) -> int | None:
    """Read the holder's process id from DuckDB's words, where they tell it."""
    found = _PID.search(str(error))
    return int(found.group(1)) if found else None


def is_held(error: duckdb.Error) -> bool:
    """Say whether somebody else has the file open."""
    return bool(_HELD.search(str(error)))


def duckdb_fault(error: duckdb.Error, path: Path) -> StoreError | None:
    """Turn DuckDB's error into ours, or None where it is no fault of the file."""
    text = str(error)
    if is_held(error):
        return busy(holder_in(error))
    if _HELD_HERE.search(text):
        return busy(os.getpid())
    if not isinstance(error, _OF_THE_FILE):
        return None
    if _FULL.search(text):
        return _full(path)
    if _DENIED.search(text):
        return _denied(path)
    if _FOREIGN_FILE.search(text):
        return not_ours(path, "is not a DuckDB file")
    return StoreUnusableError(
        f"DuckDB could not use {path} ({type(error).__name__}).",
        remedy=f"Move the file away, so that a new one is made, or {_ELSEWHERE}.",
    )


def os_fault(error: OSError, path: Path) -> StoreError:
    """Turn the file system's refusal into ours."""
    if error.errno in _FULL_ERRNOS:
        return _full(path)
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return _denied(path)
    return StoreUnusableError(
        f"The store's folder {path.parent} cannot be used: {error.strerror or 'unknown reason'}.",
        remedy=f"Make it a folder that you can write to, or {_ELSEWHERE}.",
    )


def not_ours(path: Path, why: str) -> StoreUnusableError:
    """Say that what stands at the store's place is something else. Nothing is overwritten."""
    return StoreUnusableError(
        f"{path} {why}; it was left as it is.",
        remedy=f"Move the file away or {_ELSEWHERE}.",
    )


def left_log(log: Path) -> StoreUnusableError:
    """Say that a log stands beside the store whose facts are in no file."""
    return StoreUnusableError(
        f"{log} holds facts that are not written into the store's file; nothing was changed.",
        remedy=f"Move it away if its store is gone, or {_ELSEWHERE}.",
    )


def _full(path: Path) -> StoreUnusableError:
    return StoreUnusableError(
        f"The disk that holds the store in {path.parent} is full; nothing was half-written.",
        remedy=f"Free some space or {_ELSEWHERE}.",
    )


def _denied(path: Path) -> StoreUnusableError:
    return StoreUnusableError(
        f"The store's folder {path.parent} cannot be written to.",
        remedy=f"Allow writing to it or {_ELSEWHERE}.",
    )
