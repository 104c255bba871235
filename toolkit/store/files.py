"""The files that a store is made of, as the file system sees them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_LOGS: Final = (".wal", ".wal.checkpoint", ".wal.recovery")


def logs_of(path: Path) -> list[Path]:
    """Name the files in which DuckDB may keep what is not written into `path` yet."""
    return [path.with_name(path.name + ending) for ending in _LOGS]


def flush_folder(folder: Path) -> None:
    """Make a move within a folder survive a power cut, where the system lets one ask for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
