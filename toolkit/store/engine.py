"""The DuckDB of this process, which the store's file is attached to and detached from."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import duckdb

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # Packing a log into the file takes 30 ms a megabyte, and reading it anew three.
    "checkpoint_on_detach": "disabled",
}

# A store of a thousand facts would take half a megabyte in blocks of DuckDB's usual size, and
# one that many programs add to in turn never comes under 90 bytes a fact.
_BLOCK_SIZE: Final = 32_768


class Engine:
    """One DuckDB in memory. Starting it takes as long as twenty openings of a file in it.

    SQL here is our own; even so it can reach no file outside the store's folder, fetch nothing,
    and change none of this.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._instance: duckdb.DuckDBPyConnection | None = None

    def open(self, path: Path, name: str) -> None:
        """Attach a file, made where there is none. Errors: duckdb.Error."""
        instance = self._started()
        # The size counts for a new file only; one that exists keeps its own.
        size = "" if path.exists() else f" (BLOCK_SIZE {_BLOCK_SIZE})"
        instance.execute(f"ATTACH {_quoted(path)} AS {name}{size}")

    def cursor(self, name: str) -> duckdb.DuckDBPyConnection:
        """Give a new cursor that works on an attached file. Errors: duckdb.Error."""
        cursor = self._started().cursor()
        cursor.execute(f"USE {name}")
        return cursor

    def close(self, name: str, *, leave_log: bool = False) -> None:
        """Detach a file, its log written into it first unless it may be left beside it.

        Errors: duckdb.Error; then it may still be open.
        """
        if self._instance is not None:
            if not leave_log:
                self._instance.execute(f"CHECKPOINT {name}")
            self._instance.execute(f"DETACH {name}")

    def stop(self) -> None:
        """End it and let go of its files, whatever state they are in."""
        instance, self._instance = self._instance, None
        if instance is not None:
            with suppress(duckdb.Error):
                instance.close()

    def _started(self) -> duckdb.DuckDBPyConnection:
        if self._instance is None:
            spills = self._folder / "facts.duckdb.tmp"
            instance = duckdb.connect(config=_CONFIG | {"temp_directory": str(spills)})
            instance.execute("SET allowed_directories = $1", [[str(self._folder)]])
            instance.execute("SET enable_external_access = false")
            instance.execute("SET lock_configuration = true")
            self._instance = instance
        return self._instance


def _quoted(path: Path) -> str:
    """Write a path as SQL text; ATTACH takes no parameters."""
    return "'" + str(path).replace("'", "''") + "'"
