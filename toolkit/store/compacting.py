"""Writes the store anew, so that it is small and quick to search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import duckdb

from toolkit.errors import StoreUnusableError
from toolkit.store.database import Database

# What a search is filtered by, in this order: then its rows stand together in the file.
_SORTED_BY: Final = (
    *("chain_id", "block_number", "number", "filter", "from_block", "slice_id"),
    *("block_hash", "log_index", "batch_id"),
)

_COLUMNS: Final = """
    SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()
    WHERE database_name = $1 AND NOT internal GROUP BY table_name ORDER BY table_name"""

# A number that was drawn and not used is drawn again; no row bears it.
_SEQUENCES: Final = """
    SELECT sequence_name, coalesce(last_value, start_value - 1) + 1 FROM duckdb_sequences()
    WHERE database_name = $1 ORDER BY sequence_name"""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What came of it. Unit: bytes on disk."""

    bytes_before: int
    bytes_after: int


def compact(database: Database) -> Compacted:
    """Write every row of the store into a fresh file, sorted, and move that into its place.

    It takes seconds per million facts, and the room of the file once more; other programs
    wait, or go on without the store. A crash leaves the old file or the new one, each whole.
    Errors: StoreBusyError, StoreUnusableError; then the store is as it was.
    """
    with database.lease():
        before = database.size_bytes()
    database.replace_file(_copy)
    with database.lease():
        return Compacted(before, database.size_bytes())


def _copy(cursor: duckdb.DuckDBPyConnection, old: str, new: str) -> None:
    """Copy all tables and counters, and prove that every row has arrived."""
    for table, columns in _rows(cursor, _COLUMNS, old):
        names = ", ".join(columns)
        cursor.execute(f"DELETE FROM {new}.{table}")  # noqa: S608  # names out of our own schema
        cursor.execute(_copy_of(table, columns, old, new))
        if _digest(cursor, f"{old}.{table}", names) != _digest(cursor, f"{new}.{table}", names):
            raise StoreUnusableError(
                f"The copy of {table} differs from what was read; nothing was changed.",
                remedy="Check the disk, then try again.",
            )
    for name, following in _rows(cursor, _SEQUENCES, old):
        cursor.execute(f"CREATE OR REPLACE SEQUENCE {new}.{name} START {following}")


def _copy_of(table: str, columns: list[str], old: str, new: str) -> str:
    """Write down how a table is copied: its rows sorted by how they are looked for."""
    names = ", ".join(columns)
    order = ", ".join(name for name in _SORTED_BY if name in columns) or names
    return (
        f"INSERT INTO {new}.{table} ({names}) "  # noqa: S608
        f"SELECT {names} FROM {old}.{table} ORDER BY {order}"
    )


def _digest(cursor: duckdb.DuckDBPyConnection, table: str, names: str) -> tuple[Any, ...]:
    """Say in two numbers what a table holds, in whatever order."""
    ((count, total),) = cursor.execute(
        f"SELECT count(*), sum(hash({names})) FROM {table}"  # noqa: S608
    ).fetchall()
    return count, total


def _rows(cursor: duckdb.DuckDBPyConnection, query: str, of: str) -> list[tuple[Any, ...]]:
    return cursor.execute(query, [of]).fetchall()
