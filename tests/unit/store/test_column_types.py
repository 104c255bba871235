"""The store's columns: none is of a type that loses digits on its way out."""

from __future__ import annotations

from toolkit.store import Database

EXACT = {"BLOB", "VARCHAR", "BIGINT", "INTEGER", "TINYINT", "BOOLEAN"}
# When an endpoint was probed: seconds of a clock, which nobody adds up or shows.
CLOCKS = {("capabilities", "probed_at")}


def test_no_column_is_of_a_type_that_loses_digits(database: Database) -> None:
    """DuckDB hands its widest integers to Arrow as negative numbers, and to Parquet as DOUBLE."""
    with database.lease() as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()

    assert len(columns) > 20
    loose = [
        (table, column, kind)
        for table, column, kind in columns
        if kind not in EXACT and (table, column) not in CLOCKS
    ]
    assert loose == []
    assert {kind for _, column, kind in columns if column in ("value", "data")} == {"BLOB"}
