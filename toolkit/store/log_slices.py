"""Which stretches of a chain were searched for which logs, and what was found in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from toolkit.chain.facts import Witness
from toolkit.chain.logs import Log, LogScan, LogSlice
from toolkit.errors import EndpointsDisagreeError
from toolkit.store.columns import binary_column, table
from toolkit.store.database import Database
from toolkit.store.log_rows import COLUMNS, DISPUTE, KEEP, as_logs, condition, incoming

UNPROVEN: Final = 0
STOOD: Final = 1
FINAL: Final = 2

_FIND: Final = """
    SELECT slice_id, run, from_block, to_block, to_hash, standing, batch_id
    FROM log_slices
    WHERE chain_id = $chain_id AND filter = $filter
      AND from_block <= $top AND to_block >= $foot
    ORDER BY to_block DESC, slice_id DESC"""

_DISPUTED: Final = """
    SELECT block_number FROM log_disputes
    SEMI JOIN (SELECT block_hash FROM log_blocks WHERE list_contains($ids, slice_id))
      USING (block_hash)
    WHERE chain_id = $chain_id AND block_number BETWEEN $foot AND $top LIMIT 1"""


@dataclass(frozen=True, slots=True)
class KnownSlice:
    """Heights that were searched whole. `to_hash` is the topmost block's hash as 0x and hex.

    `standing` says how sure it is that they are of the canonical chain. What was read in one
    `run` was read from the top down: where a slice's topmost block still stands, so does all
    that was read below it later in that run.
    """

    slice_id: int
    run: int
    from_block: int
    to_block: int
    to_hash: str
    standing: int
    batch_id: int


@dataclass(frozen=True, slots=True)
class Told:
    """The ids of a run and of who told it. A `batch_id` of 0 is still to be given."""

    run: int
    batch_id: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a slice. `slice_id` is None where only its logs were kept."""

    slice_id: int | None
    told: Told


class LogSlicesKept:
    """The searched stretches of one chain in a database, with their logs as immutable facts."""

    def __init__(self, database: Database, chain_id: int) -> None:
        self._database = database
        self._chain_id = chain_id

    def find(self, digest: bytes, foot: int, top: int) -> list[KnownSlice]:
        """Find what was searched between two heights, the topmost first.

        Errors: StoreBusyError, StoreUnusableError.
        """
        place = {"filter": digest, "foot": foot, "top": top, "chain_id": self._chain_id}
        with self._database.lease() as cursor:
            rows = cursor.execute(_FIND, place).fetchall()
        return [
            KnownSlice(slice_id, run, low, high, "0x" + to_hash.hex(), standing, batch_id)
            for slice_id, run, low, high, to_hash, standing, batch_id in rows
        ]

    def witnesses(self, batch_ids: Sequence[int]) -> dict[int, Witness]:
        """Read who told each slice. Errors: as `find`."""
        with self._database.lease() as cursor:
            rows = cursor.execute(
                "SELECT batch_id, endpoint_id, read_at, transport, assurance, source "
                "FROM batches WHERE list_contains(?, batch_id)",
                [list(batch_ids)],
            ).fetchall()
        return {batch_id: Witness(*told) for batch_id, *told in rows}

    def keep(
        self,
        found: LogSlice,
        digest: bytes,
        standing: int | None,
        told: Told | None = None,
        grows: int | None = None,
    ) -> Kept:
        """Keep a slice's logs, and that it was searched.

        `told` is whom an earlier slice of the same run was kept under; a `standing` of None
        keeps the logs alone; `grows` is the slice just above, which this one lengthens. All of
        it is on disk when this returns. Errors: EndpointsDisagreeError where a log was told
        differently before: both are kept, and no slice that holds the log answers any more.
        Else as `find`.
        """
        place = {"chain_id": self._chain_id, "foot": found.from_block, "top": found.to_block}
        columns = incoming(found.logs) if found.logs else None
        disputed: list[tuple[int]] = []
        slice_id: int | None = None
        with self._database.transaction(forget=False) as cursor:
            batch_id = told.batch_id if told and told.batch_id else _begin(cursor, found.witness)
            kept = Told(run=told.run if told else batch_id, batch_id=batch_id)
            if columns is not None:
                cursor.register("incoming", columns)
                if cursor.execute(KEEP, place).fetchone() != (len(found.logs),):
                    disputed = cursor.execute(DISPUTE, place).fetchall()
                cursor.unregister("incoming")
            if standing is not None and not disputed:
                slice_id = grows or self._insert(cursor, found, digest, standing, kept)
                self._add_blocks(cursor, slice_id, found, lengthen=grows is not None)
        if disputed:
            raise disagreement(self._chain_id, disputed[0][0])
        return Kept(slice_id, kept)

    def _insert(
        self,
        cursor: duckdb.DuckDBPyConnection,
        found: LogSlice,
        digest: bytes,
        standing: int,
        told: Told,
    ) -> int:
        place = [found.from_block, found.to_block, bytes.fromhex(found.to_hash[2:])]
        row = cursor.execute(
            "INSERT INTO log_slices VALUES "
            "(?, ?, nextval('log_slice_ids'), ?, ?, ?, ?, ?, ?) RETURNING slice_id",
            [self._chain_id, digest, told.run, *place, standing, told.batch_id],
        ).fetchone()
        return row[0] if row else 0

    @staticmethod
    def _add_blocks(
        cursor: duckdb.DuckDBPyConnection, slice_id: int, found: LogSlice, *, lengthen: bool
    ) -> None:
        """Write down which blocks hold the slice's logs."""
        if lengthen:
            cursor.execute(
                "UPDATE log_slices SET from_block = ? WHERE slice_id = ?",
                [found.from_block, slice_id],
            )
        hashes = dict.fromkeys(log.block_hash for log in found.logs)
        if hashes:
            packed = binary_column([bytes.fromhex(block_hash[2:]) for block_hash in hashes])
            cursor.register("blocks_found", table({"block_hash": packed}))
            cursor.execute("INSERT INTO log_blocks SELECT ?, * FROM blocks_found", [slice_id])
            cursor.unregister("blocks_found")

    def load(
        self, scan: LogScan, slice_ids: Sequence[int], foot: int, top: int, limit: int
    ) -> list[Log]:
        """Read the newest logs of searched slices between two heights.

        A log of a block that left the chain is not among them: each slice names its blocks.
        Errors: EndpointsDisagreeError; else as `find`.
        """
        wanted, values = condition(scan)
        place = {
            "chain_id": self._chain_id,
            "foot": foot,
            "top": top,
            "ids": list(slice_ids),
        }
        with self._database.lease() as cursor:
            disputed = cursor.execute(_DISPUTED, place).fetchone()
            if disputed is not None:
                raise disagreement(self._chain_id, disputed[0])
            rows = cursor.execute(
                f"SELECT {COLUMNS} FROM logs SEMI JOIN (SELECT block_hash FROM log_blocks "  # noqa: S608
                "WHERE list_contains($ids, slice_id)) USING (block_hash) "
                "WHERE chain_id = $chain_id AND block_number BETWEEN $foot AND $top "
                f"AND {wanted} ORDER BY block_number DESC, log_index DESC LIMIT $limit",
                {**place, **values, "limit": limit},
            ).fetchall()
        return as_logs(rows)

    def in_block(self, block_hash: str) -> list[Log]:
        """Read every log kept of one block, whether it still stands or not. Errors: as `find`."""
        with self._database.lease() as cursor:
            rows = cursor.execute(
                f"SELECT {COLUMNS} FROM logs WHERE chain_id = ? AND block_hash = ? "  # noqa: S608
                "ORDER BY log_index",
                [self._chain_id, bytes.fromhex(block_hash[2:])],
            ).fetchall()
        return as_logs(rows)

    def forget(self, block_number: int) -> None:
        """Forget every stretch with a height in it, so that it is read anew. Errors: as `find`."""
        with self._database.transaction(forget=False) as cursor:
            _drop_slices(cursor, self._chain_id, block_number)

    def mark(self, slice_ids: Sequence[int], standing: int, run: int | None = None) -> None:
        """Remember that slices stood, or are final, and that they belong to one run.

        Errors: as `find`.
        """
        if not slice_ids:
            return
        with self._database.transaction(forget=False) as cursor:
            cursor.execute(
                "UPDATE log_slices SET standing = greatest(standing, $standing), "
                "run = coalesce($run, run) "
                "WHERE chain_id = $chain_id AND list_contains($ids, slice_id)",
                {
                    "standing": standing,
                    "run": run,
                    "chain_id": self._chain_id,
                    "ids": list(slice_ids),
                },
            )


def _drop_slices(cursor: duckdb.DuckDBPyConnection, chain_id: int, block_number: int) -> None:
    cursor.execute(
        "DELETE FROM log_slices WHERE chain_id = ? AND ? BETWEEN from_block AND to_block",
        [chain_id, block_number],
    )


def _begin(cursor: duckdb.DuckDBPyConnection, witness: Witness) -> int:
    """Write down who is asked, and return the id."""
    row = cursor.execute(
        "INSERT INTO batches VALUES (nextval('batch_ids'), ?, ?, ?, ?, ?) RETURNING batch_id",
        [
            witness.endpoint_id,
            witness.read_at,
            witness.transport,
            witness.assurance,
            witness.source,
        ],
    ).fetchone()
    return row[0] if row else 0


def drop_logs(cursor: duckdb.DuckDBPyConnection, chain_id: int, block_number: int) -> None:
    """Drop the logs of one height, and that any stretch with it was searched."""
    place: list[Any] = [chain_id, block_number]
    _drop_slices(cursor, chain_id, block_number)
    for name in ("logs", "log_disputes"):
        cursor.execute(
            f"DELETE FROM {name} WHERE chain_id = ? AND block_number = ?",  # noqa: S608
            place,
        )


def disagreement(chain_id: int, block_number: int) -> EndpointsDisagreeError:
    """Say that one log was told in two ways."""
    return EndpointsDisagreeError(
        f"Two answers for one log of block {block_number} differ, and neither is taken for the "
        "truth.",
        remedy="Find the endpoint that is wrong, then drop both answers with `toolkit store "
        f"invalidate --chain-id {chain_id} --block {block_number}`.",
    )
