"""Facts of one chain, kept for ever: blocks, what was read at them, and who said so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import duckdb
import pyarrow as pa

from toolkit.chain.facts import Fact, NoCode, Outcome, Reverted, Value, Witness
from toolkit.errors import EndpointsDisagreeError, StoreError
from toolkit.models import Pin
from toolkit.models.value import value
from toolkit.store.columns import binary_column, integer_column, table
from toolkit.store.database import Database
from toolkit.store.log_slices import LogSlicesKept, drop_logs

_VALUE: Final = 0
_REVERTED: Final = 1
_NO_CODE: Final = 2

# A block that holds little more than what is asked of it is read whole: that is quicker than
# a join, and what is asked of it next is known.
_WHOLE_BELOW: Final = 1_000
_WHOLE_TIMES: Final = 4
_MOST_REMEMBERED: Final = 100_000
_MOST_BLOCKS: Final = 10_000

# Filtered by chain and height first: whole row groups are skipped by their statistics.
_HERE: Final = "WHERE chain_id = $chain_id AND block_number = $number AND block_hash = $hash"

_COUNTED: Final = f"""
    SELECT (SELECT count(*) FROM facts {_HERE}),
           (SELECT count(*) FROM witnesses {_HERE} AND NOT agrees)"""  # noqa: S608  # our own text

_FLAGGED: Final = f"SELECT DISTINCT read_id FROM witnesses {_HERE} AND NOT agrees"  # noqa: S608

_WHOLE: Final = f"SELECT read_id, outcome, value, batch_id FROM facts {_HERE}"  # noqa: S608

# Materialized, or the join would load what is known of the ids of every row group.
_LOOK_UP: Final = f"""
    WITH here AS MATERIALIZED ({_WHOLE})
    SELECT * FROM here SEMI JOIN wanted USING (read_id)"""  # noqa: S608

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


@dataclass(slots=True)
class _AtBlock:
    """What is known of a block. `facts` holds all of them, or None."""

    count: int
    flagged: frozenset[bytes]
    facts: dict[bytes, StoredFact] | None


@dataclass(slots=True)
class _Memory:
    """What need not be asked again while the file is open, since nobody else can write then."""

    blocks: dict[tuple[int, int, str], _AtBlock] = field(default_factory=dict)
    facts: int = 0
    witnesses: dict[int, Witness] = field(default_factory=dict)

    def make_room(self) -> None:
        """Forget the blocks once they are too many, so that a long job stays small."""
        if self.facts > _MOST_REMEMBERED or len(self.blocks) > _MOST_BLOCKS:
            self.blocks.clear()
            self.facts = 0

    def add(self, block: _AtBlock, kept: Iterable[Fact], count: int) -> None:
        """Follow what was written to a block; the same fact may stand in `kept` twice."""
        block.count += count
        if block.facts is not None and block.count > _MOST_REMEMBERED:
            block.facts = None
        if block.facts is not None:
            self.facts += count
            block.facts.update({f.read_id: StoredFact(f.outcome, f.witness) for f in kept})


class Facts:
    """The facts of one chain in a database. Values are raw bytes; no number is ever a column."""

    def __init__(self, database: Database, chain_id: int) -> None:
        self._database = database
        self._chain_id = chain_id

    @property
    def logs(self) -> LogSlicesKept:
        """The event logs of the same chain."""
        return LogSlicesKept(self._database, self._chain_id)

    def look_up(self, pin: Pin, read_ids: Iterable[bytes]) -> LookUp:
        """Find what is known of these reads, in one query for any number of them.

        Two more tell how much the block holds and who was behind it; they are asked once while
        the file is open, and nothing is asked again of a block that was read whole.

        Ids that are not in the answer are not known. A fact with a contradicting witness
        answers with the error. Errors: StoreBusyError, StoreUnusableError.
        """
        ids = dict.fromkeys(read_ids)
        with self._database.hold():
            memory = self._memory()
            block = self._at(pin, memory)
            facts = self._whole(pin, block, len(ids), memory)
            if facts is None:
                facts = self._some(pin, ids, memory)
        found: LookUp = {read_id: facts[read_id] for read_id in ids if read_id in facts}
        found.update({i: _disagreement(pin) for i in block.flagged if i in found})
        return found

    def _memory(self) -> _Memory:
        return self._database.recall((_Memory,), lambda _: _Memory())

    def _at(self, pin: Pin, memory: _Memory) -> _AtBlock:
        """Count what stands at a block, once while the file is open."""
        key, place = (self._chain_id, pin.number, pin.hash), self._here(pin)
        if key not in memory.blocks:
            memory.make_room()
            with self._database.lease() as cursor:
                ((count, doubts),) = cursor.execute(_COUNTED, place).fetchall()
                rows = cursor.execute(_FLAGGED, place).fetchall() if doubts else []
            flagged = frozenset(row[0] for row in rows)
            memory.blocks[key] = _AtBlock(count, flagged, None if count else {})
        return memory.blocks[key]

    def _whole(
        self, pin: Pin, block: _AtBlock, asked: int, memory: _Memory
    ) -> dict[bytes, StoredFact] | None:
        """Give all facts of a block, or None where it holds far more than is asked."""
        few = min(_WHOLE_TIMES * asked + _WHOLE_BELOW, _MOST_REMEMBERED)
        if block.facts is None and block.count <= few:
            with self._database.lease() as cursor:
                rows = cursor.execute(_WHOLE, self._here(pin)).fetchall()
            block.facts = self._stored(rows, memory)
            memory.facts += len(rows)
        return block.facts

    def _some(self, pin: Pin, ids: Collection[bytes], memory: _Memory) -> dict[bytes, StoredFact]:
        """Find these facts among very many."""
        with self._database.lease() as cursor:
            cursor.register("wanted", table({"read_id": binary_column(ids)}))
            rows = cursor.execute(_LOOK_UP, self._here(pin)).fetchall()
        return self._stored(rows, memory)

    def _stored(self, rows: Sequence[tuple[Any, ...]], memory: _Memory) -> dict[bytes, StoredFact]:
        """Read rows back, with who was behind each batch. A batch's row never changes."""
        witnesses = memory.witnesses
        if missing := {row[3] for row in rows} - witnesses.keys():
            with self._database.lease() as cursor:
                told = cursor.execute(_BATCHES, {"batch_ids": list(missing)}).fetchall()
            witnesses.update({batch_id: Witness(*rest) for batch_id, *rest in told})
        return {
            read_id: StoredFact(
                Value(value) if kind == _VALUE else _failed(kind, value), witnesses[batch_id]
            )
            for read_id, kind, value, batch_id in rows
        }

    def keep(self, pin: Pin, facts: Sequence[Fact]) -> None:
        """Keep facts, all in one transaction; they survive a crash once this returns.

        A read that is already known gets another witness. A differing answer overwrites
        nothing: it is kept beside the first and flags it.
        Errors: StoreBusyError, StoreUnusableError; then none of them is kept.
        """
        if not facts:
            return
        place = self._here(pin)
        with self._database.hold():
            memory = self._memory()
            block = self._at(pin, memory)
            with self._database.transaction(forget=False) as cursor:
                batch_ids = _keep_batches(cursor, facts)
                kept, count = 0, 0
                for wave in _waves(facts):
                    cursor.register("incoming", _incoming(wave, batch_ids))
                    ((new,),) = cursor.execute(_KEEP_FACTS, place).fetchall()
                    if new != len(wave):
                        cursor.execute(_KEEP_WITNESSES, place)
                    cursor.unregister("incoming")
                    kept, count = kept + new, count + len(wave)
            if kept == count:
                memory.add(block, facts, kept)
            else:
                self._database.forget()

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
            drop_logs(cursor, self._chain_id, block_number)
        return counted[0] if counted else 0

    def _here(self, pin: Pin) -> dict[str, Any]:
        """Name the pin's place for a query."""
        return {
            "chain_id": self._chain_id,
            "number": pin.number,
            "hash": bytes.fromhex(pin.hash[2:]),
        }


def _disagreement(pin: Pin) -> EndpointsDisagreeError:
    return EndpointsDisagreeError(
        f"Two answers for this read at block {pin.number} differ, and neither is taken for the "
        "truth.",
        remedy=f"Find the endpoint that is wrong, then drop both answers with `toolkit store "
        f"invalidate --chain-id {pin.chain_id} --block {pin.number}`.",
    )


def _failed(kind: int, data: bytes) -> Outcome:
    return Reverted(data) if kind == _REVERTED else NoCode()


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
