"""Facts of one chain, kept for ever: blocks, what was read at them, and who said so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import duckdb
import pyarrow as pa

from toolkit.chain.facts import Fact, NoCode, Outcome, Reverted, Value, Witness
from toolkit.errors import EndpointsDisagreeError, StoreError
from toolkit.models import Pin
from toolkit.models.value import value
from toolkit.store.columns import binary_column, integer_column, table
from toolkit.store.database import Database

_VALUE: Final = 0
_REVERTED: Final = 1
_NO_CODE: Final = 2

# Filtered by chain and height first: whole row groups are skipped by their statistics.
_LOOK_UP: Final = """
    SELECT read_id, outcome, value, batch_id FROM facts
    SEMI JOIN wanted USING (read_id)
    WHERE chain_id = $chain_id AND block_number = $number AND block_hash = $hash"""

_ANY: Final = """
    SELECT 1 FROM facts
    WHERE chain_id = $chain_id AND block_number = $number AND block_hash = $hash LIMIT 1"""

_FLAGGED: Final = """
    SELECT DISTINCT read_id FROM witnesses
    WHERE chain_id = $chain_id AND block_number = $number AND block_hash = $hash AND NOT agrees"""

_BATCHES: Final = """
    SELECT batch_id, endpoint_id, read_at, transport, assurance, source
    FROM batches WHERE list_contains($batch_ids, batch_id)"""

_KEEP_FACTS: Final = """
    INSERT INTO facts
    SELECT $chain_id, $number, $hash, i.read_id, i.outcome, i.value, i.batch_id
    FROM incoming i
    ANTI JOIN (SELECT read_id FROM facts
          WHERE chain_id = $chain_id AND block_number = $number AND block_hash = $hash) f
      ON f.read_id = i.read_id"""

# What the statement above has just kept is no second witness of itself.
_KEEP_WITNESSES: Final = """
    INSERT INTO witnesses
    SELECT $chain_id, $number, $hash, i.read_id, i.outcome, i.value, i.batch_id,
           i.outcome = f.outcome AND i.value = f.value
    FROM incoming i
    JOIN (SELECT read_id, outcome, value, batch_id FROM facts
          WHERE chain_id = $chain_id AND block_number = $number AND block_hash = $hash) f
      ON f.read_id = i.read_id
    WHERE f.batch_id <> i.batch_id OR f.outcome <> i.outcome OR f.value <> i.value"""


@value
class StoredFact:
    """An outcome out of the store, with its first witness."""

    outcome: Outcome
    witness: Witness


LookUp: TypeAlias = dict[bytes, StoredFact | EndpointsDisagreeError]


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """What the store holds. `facts_by_chain` maps each chain id to its number of facts."""

    facts: int
    blocks: int
    flagged: int
    bytes_on_disk: int
    facts_by_chain: dict[int, int]


class Facts:
    """The facts of one chain in a database. Values are raw bytes; no number is ever a column."""

    def __init__(self, database: Database, chain_id: int) -> None:
        self._database = database
        self._chain_id = chain_id

    def look_up(self, pin: Pin, read_ids: Iterable[bytes]) -> LookUp:
        """Find what is known of these reads, in one query for any number of them.

        Two more tell who was behind them and where endpoints disagree; they are asked once. At
        a block that was empty when it was first looked at nothing is asked: what this process
        has added since is all there is.

        Ids that are not in the answer are not known. A fact with a contradicting witness
        answers with the error. Errors: StoreBusyError, StoreUnusableError.
        """
        ids = dict.fromkeys(read_ids)
        with self._database.lease() as cursor:
            here = self._all_here(pin)
            if here is not None:
                return {read_id: here[read_id] for read_id in ids if read_id in here}
            cursor.register("wanted", table({"read_id": binary_column(ids)}))
            rows = cursor.execute(_LOOK_UP, self._here(pin)).fetchall()
            if not rows:
                return {}
            flagged = self._flagged(pin)
            witnesses = self._witnesses(frozenset(row[3] for row in rows))
        found: LookUp = {
            read_id: StoredFact(_outcome(outcome, value), witnesses[batch_id])
            for read_id, outcome, value, batch_id in rows
        }
        found.update({read_id: _disagreement(pin) for (read_id,) in flagged if read_id in found})
        return found

    def _all_here(self, pin: Pin) -> dict[bytes, StoredFact] | None:
        """All facts at a block that was empty when it was first looked at, else None.

        Nobody else writes while the file is open, so what this process adds is all there is.
        """

        def begin(cursor: duckdb.DuckDBPyConnection) -> dict[bytes, StoredFact] | None:
            return None if cursor.execute(_ANY, self._here(pin)).fetchone() else {}

        return self._database.recall((_ANY, self._chain_id, pin.number, pin.hash), begin)

    def _flagged(self, pin: Pin) -> list[tuple[bytes]]:
        """Find the reads at a block whose witnesses contradict each other."""
        return self._database.recall(
            (_FLAGGED, self._chain_id, pin.number, pin.hash),
            lambda cursor: cursor.execute(_FLAGGED, self._here(pin)).fetchall(),
        )

    def _witnesses(self, batch_ids: frozenset[int]) -> dict[int, Witness]:
        """Read who was behind each batch. A batch's row never changes."""
        rows = self._database.recall(
            (_BATCHES, batch_ids),
            lambda cursor: cursor.execute(_BATCHES, {"batch_ids": list(batch_ids)}).fetchall(),
        )
        return {batch_id: Witness(*told) for batch_id, *told in rows}

    def keep(self, pin: Pin, facts: Sequence[Fact]) -> None:
        """Keep facts, all in one transaction; they survive a crash once this returns.

        A read that is already known gets another witness. A differing answer overwrites
        nothing: it is kept beside the first and flags it.
        Errors: StoreBusyError, StoreUnusableError; then none of them is kept.
        """
        if not facts:
            return
        with self._database.transaction(forget=False) as cursor:
            here = self._all_here(pin)
            batch_ids = _keep_batches(cursor, facts)
            for wave in _waves(facts):
                cursor.register("incoming", _incoming(wave, batch_ids))
                kept = cursor.execute(_KEEP_FACTS, self._here(pin)).fetchone()
                if kept != (len(wave),):
                    self._database.forget()
                    cursor.execute(_KEEP_WITNESSES, self._here(pin))
                cursor.unregister("incoming")
        if here is not None:
            here.update({f.read_id: StoredFact(f.outcome, f.witness) for f in facts})

    def keep_later(
        self, pin: Pin, facts: Sequence[Fact], failed: Callable[[StoreError], None]
    ) -> None:
        """Keep facts while the caller goes on; whoever looks next sees them. See `keep`.

        `failed` gets what became of it where it failed. Errors: StoreBusyError,
        StoreUnusableError where it could not begin.
        """

        def write() -> None:
            try:
                self.keep(pin, facts)
            except StoreError as error:
                failed(error)

        if facts:
            self._database.write_later(write)

    def invalidate(self, block_number: int) -> int:
        """Drop all that is known at one height, and return how many facts that were.

        Errors: StoreBusyError, StoreUnusableError.
        """
        place = [self._chain_id, block_number]
        with self._database.transaction() as cursor:
            counted = cursor.execute(
                "SELECT count(*) FROM facts WHERE chain_id = ? AND block_number = ?", place
            ).fetchone()
            cursor.execute("DELETE FROM facts WHERE chain_id = ? AND block_number = ?", place)
            cursor.execute("DELETE FROM witnesses WHERE chain_id = ? AND block_number = ?", place)
            cursor.execute("DELETE FROM blocks WHERE chain_id = ? AND number = ?", place)
        return counted[0] if counted else 0

    def _here(self, pin: Pin) -> dict[str, Any]:
        """Name the pin's place for a query."""
        return {
            "chain_id": self._chain_id,
            "number": pin.number,
            "hash": bytes.fromhex(pin.hash[2:]),
        }


def count(database: Database) -> StoreCounts:
    """Count what the store holds, over all chains. Errors: StoreBusyError, StoreUnusableError."""
    with database.lease() as cursor:
        by_chain = cursor.execute(
            "SELECT chain_id, count(*) FROM facts GROUP BY chain_id ORDER BY chain_id"
        ).fetchall()
        rest = cursor.execute(
            "SELECT (SELECT count(*) FROM blocks), (SELECT count(DISTINCT read_id) "
            "FROM witnesses WHERE NOT agrees)"
        ).fetchone()
    blocks, flagged = rest or (0, 0)
    return StoreCounts(
        facts=sum(facts for _, facts in by_chain),
        blocks=blocks,
        flagged=flagged,
        bytes_on_disk=database.size_bytes(),
        facts_by_chain=dict(by_chain),
    )


def _disagreement(pin: Pin) -> EndpointsDisagreeError:
    return EndpointsDisagreeError(
        f"Two answers for this read at block {pin.number} differ, and neither is taken for the "
        "truth.",
        remedy=f"Find the endpoint that is wrong, then drop both answers with `toolkit store "
        f"invalidate --chain-id {pin.chain_id} --block {pin.number}`.",
    )


def _outcome(kind: int, value: bytes) -> Outcome:
    if kind == _VALUE:
        return Value(value)
    if kind == _REVERTED:
        return Reverted(value)
    return NoCode()


def _kind_and_value(outcome: Outcome) -> tuple[int, bytes]:
    match outcome:
        case Value(data):
            return _VALUE, data
        case Reverted(data):
            return _REVERTED, data
        case NoCode():
            return _NO_CODE, b""


def _keep_batches(cursor: duckdb.DuckDBPyConnection, facts: Iterable[Fact]) -> dict[Witness, int]:
    """Write one row per witness, and return its id."""
    batch_ids: dict[Witness, int] = {}
    for witness in dict.fromkeys(fact.witness for fact in facts):
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
        batch_ids[witness] = row[0] if row else 0
    return batch_ids


def _waves(facts: Iterable[Fact]) -> Iterator[list[Fact]]:
    """Split facts so that no read stands twice in one insert; equal repetitions are one."""
    rest = list(facts)
    while rest:
        wave: dict[bytes, Fact] = {}
        rest = [fact for fact in rest if wave.setdefault(fact.read_id, fact) != fact]
        yield list(wave.values())


def _incoming(facts: Sequence[Fact], batch_ids: dict[Witness, int]) -> pa.Table:
    """Lay facts out as the columns that an insert takes."""
    kinds, values = zip(*[_kind_and_value(fact.outcome) for fact in facts], strict=True)
    return table(
        {
            "read_id": binary_column([fact.read_id for fact in facts]),
            "outcome": integer_column(kinds),
            "value": binary_column(values),
            "batch_id": integer_column(batch_ids[fact.witness] for fact in facts),
        }
    )
