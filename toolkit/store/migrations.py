"""The store's tables, as ordered steps that are each applied once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from toolkit.errors import StoreUnusableError
from toolkit.store.faults import not_ours


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema. A step that was released is never edited; a new one follows it."""

    version: int
    name: str
    statements: tuple[str, ...]


# No table has a primary key: its index costs three times the file and four times the insert.
# Writers run one at a time, so an anti-join keeps rows unique.
MIGRATIONS: Final = (
    Migration(
        1,
        "facts",
        (
            """CREATE TABLE blocks (
                chain_id BIGINT NOT NULL, lineage BLOB, number BIGINT NOT NULL,
                hash BLOB NOT NULL, parent_hash BLOB NOT NULL, timestamp BIGINT NOT NULL,
                state_root BLOB NOT NULL, finality VARCHAR NOT NULL,
                observed_at VARCHAR NOT NULL, endpoint_id VARCHAR NOT NULL)""",
            "CREATE SEQUENCE batch_ids",
            """CREATE TABLE batches (
                batch_id BIGINT NOT NULL, endpoint_id VARCHAR NOT NULL, read_at VARCHAR NOT NULL,
                transport VARCHAR NOT NULL, assurance VARCHAR NOT NULL, source VARCHAR NOT NULL)""",
            """CREATE TABLE facts (
                chain_id BIGINT NOT NULL, block_number BIGINT NOT NULL, block_hash BLOB NOT NULL,
                read_id BLOB NOT NULL, outcome TINYINT NOT NULL, value BLOB NOT NULL,
                batch_id BIGINT NOT NULL)""",
            """CREATE TABLE witnesses (
                chain_id BIGINT NOT NULL, block_number BIGINT NOT NULL, block_hash BLOB NOT NULL,
                read_id BLOB NOT NULL, outcome TINYINT NOT NULL, value BLOB NOT NULL,
                batch_id BIGINT NOT NULL, agrees BOOLEAN NOT NULL)""",
        ),
    ),
    Migration(
        2,
        "labels",
        (
            """CREATE TABLE labels (
                chain_id BIGINT NOT NULL, address VARCHAR NOT NULL, label VARCHAR NOT NULL)""",
        ),
    ),
    Migration(
        3,
        "capabilities",
        (
            """CREATE TABLE capabilities (
                chain_id BIGINT NOT NULL, endpoint_id VARCHAR NOT NULL, fingerprint BLOB NOT NULL,
                found VARCHAR NOT NULL, probed_at DOUBLE NOT NULL)""",
        ),
    ),
    Migration(
        4,
        "logs",
        (
            # A topic that a log does not have is empty.
            """CREATE TABLE logs (
                chain_id BIGINT NOT NULL, block_number BIGINT NOT NULL, block_hash BLOB NOT NULL,
                log_index BIGINT NOT NULL, transaction_hash BLOB NOT NULL, address BLOB NOT NULL,
                topic0 BLOB NOT NULL, topic1 BLOB NOT NULL, topic2 BLOB NOT NULL,
                topic3 BLOB NOT NULL, data BLOB NOT NULL)""",
            "CREATE TABLE log_disputes AS FROM logs",
            "CREATE SEQUENCE log_slice_ids",
            """CREATE TABLE log_slices (
                chain_id BIGINT NOT NULL, filter BLOB NOT NULL, slice_id BIGINT NOT NULL,
                run BIGINT NOT NULL, from_block BIGINT NOT NULL, to_block BIGINT NOT NULL,
                to_hash BLOB NOT NULL, standing TINYINT NOT NULL, batch_id BIGINT NOT NULL)""",
            """CREATE TABLE log_blocks (
                slice_id BIGINT NOT NULL, block_hash BLOB NOT NULL)""",
        ),
    ),
)

_RECORDS: Final = """CREATE TABLE migrations (
    version INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at VARCHAR NOT NULL)"""

_ANY_TABLE: Final = "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() LIMIT 1"


def migrate(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    applied_at: str,
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> None:
    """Bring the file's schema up to date, each step in one transaction with its record.

    Unit: `applied_at` ISO 8601 UTC. Errors: StoreUnusableError where the file is of a newer
    toolkit or of another program.
    """
    current = _version_of(connection, path)
    newest = migrations[-1].version
    if current > newest:
        raise StoreUnusableError(
            f"{path} was written by a newer toolkit (schema {current}, this one knows {newest}).",
            remedy="Upgrade the toolkit or set TOOLKIT_STORE to another folder.",
        )
    for migration in migrations:
        if migration.version > current:
            _apply(connection, migration, applied_at)


def _version_of(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """Read the file's schema version; 0 for a file without tables."""
    try:
        row = connection.execute("SELECT max(version) FROM migrations").fetchone()
    except (duckdb.CatalogException, duckdb.BinderException):
        if connection.execute(_ANY_TABLE).fetchone():
            raise not_ours(path, "is a DuckDB file of another program") from None
        connection.execute(_RECORDS)
        return 0
    return row[0] or 0 if row else 0


def _apply(connection: duckdb.DuckDBPyConnection, migration: Migration, applied_at: str) -> None:
    """Apply one step and its record, both or neither."""
    connection.execute("BEGIN")
    try:
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute(
            "INSERT INTO migrations VALUES (?, ?, ?)",
            [migration.version, migration.name, applied_at],
        )
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
