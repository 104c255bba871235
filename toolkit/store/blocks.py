"""Block headers of one chain that were seen, and what was seen of their finality."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import duckdb

from toolkit.chain.reader import PinnedBlock
from toolkit.models import Finality, FinalityObservation, Pin
from toolkit.store.database import Database

_COLUMNS: Final = (
    "number, hash, parent_hash, timestamp, state_root, lineage, finality, observed_at, endpoint_id"
)

_BY_HASH: Final = f"SELECT {_COLUMNS} FROM blocks WHERE chain_id = ? AND hash = ?"  # noqa: S608

_AT: Final = f"""
    SELECT {_COLUMNS} FROM blocks
    WHERE chain_id = ? AND number = ? AND lineage IS NOT DISTINCT FROM ?"""  # noqa: S608

_FORGET: Final = "DELETE FROM blocks WHERE chain_id = ? AND number = ? AND hash = ?"

_KEEP: Final = f"""
    INSERT INTO blocks ({_COLUMNS}, chain_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""  # noqa: S608

# What was seen finalized is not taken back: that another block was seen there is a contradiction.
_ORPHAN: Final = """
    UPDATE blocks SET finality = 'orphaned', observed_at = ?
    WHERE chain_id = ? AND number = ? AND hash = ? AND finality <> 'finalized'"""


class Blocks:
    """The headers of one chain in a database. Only a finalized height names one block for ever."""

    def __init__(self, database: Database, chain_id: int) -> None:
        self._database = database
        self._chain_id = chain_id

    def remember(self, pinned: PinnedBlock) -> None:
        """Keep a header that stands on the canonical chain, and what is now seen of its finality.

        Each other block that was seen at its height, and not finalized, is now orphaned.
        Errors: StoreBusyError, StoreUnusableError.
        """
        pin, now = pinned.pin, pinned.finality
        at_height = self._at(pin.number, pin.lineage)
        known = next((one for one in at_height if one.pin.hash == pin.hash), None)
        replaced = [one for one in at_height if one is not known and _can_leave(one)]
        is_news = known is None or _is_news(known.finality.status, now.status)
        if not is_news and not replaced:
            return
        with self._database.transaction() as cursor:
            for one in replaced:
                self._orphan(cursor, one.pin, now.observed_at)
            if is_news:
                cursor.execute(_FORGET, [self._chain_id, pin.number, _packed(pin.hash)])
                cursor.execute(_KEEP, [*_row(pinned), self._chain_id])

    def orphan(self, pin: Pin) -> None:
        """Note that a block was found replaced at its height, where its header is known.

        Errors: StoreBusyError, StoreUnusableError.
        """
        known = self.by_hash(pin.hash)
        if known is not None and known.finality.status != "finalized":
            with self._database.transaction() as cursor:
                self._orphan(cursor, pin, self._database.now())

    def stands_again(self, pinned: PinnedBlock) -> None:
        """Note that a block that was orphaned is canonical now. Errors: as `remember`."""
        seen = FinalityObservation("unknown", self._database.now())
        self.remember(replace(pinned, finality=seen))

    def by_hash(self, block_hash: str) -> PinnedBlock | None:
        """Find a header by its hash. Errors: StoreBusyError, StoreUnusableError."""
        found = self._find(_BY_HASH, [_packed(block_hash)])
        return found[0] if found else None

    def finalized_at(self, number: int, lineage: str | None) -> PinnedBlock | None:
        """Find the one header that was seen finalized at a height.

        Two that were are a contradiction, and then the store knows none.
        Errors: StoreBusyError, StoreUnusableError.
        """
        found = [one for one in self._at(number, lineage) if one.finality.status == "finalized"]
        return found[0] if len(found) == 1 else None

    def _at(self, number: int, lineage: str | None) -> list[PinnedBlock]:
        """Find the headers that were seen at a height of one chain, or of one lineage of it."""
        return self._find(_AT, [number, _packed(lineage) if lineage else None])

    def _orphan(self, cursor: duckdb.DuckDBPyConnection, pin: Pin, seen_at: str) -> None:
        cursor.execute(_ORPHAN, [seen_at, self._chain_id, pin.number, _packed(pin.hash)])

    def _find(self, query: str, values: list[Any]) -> list[PinnedBlock]:
        where = [self._chain_id, *values]
        rows = self._database.recall(
            (query, *where), lambda cursor: cursor.execute(query, where).fetchall()
        )
        return [_pinned(self._chain_id, row) for row in rows]


def _can_leave(known: PinnedBlock) -> bool:
    """Whether a block that another one replaces is to be labelled now."""
    return known.finality.status not in {"finalized", "orphaned"}


def _is_news(known: Finality, seen: Finality) -> bool:
    """Whether what is seen of a canonical block tells more than what is known of it.

    Nothing follows "finalized", and an endpoint that cannot tell takes no word back.
    """
    if known == "finalized" or known == seen:
        return False
    return seen != "unknown" or known == "orphaned"


def _row(pinned: PinnedBlock) -> list[Any]:
    """Lay a header out in the order of the columns."""
    pin = pinned.pin
    return [
        pin.number,
        _packed(pin.hash),
        _packed(pin.parent_hash),
        pin.timestamp,
        _packed(pin.state_root),
        _packed(pin.lineage) if pin.lineage else None,
        pinned.finality.status,
        pinned.finality.observed_at,
        pinned.endpoint_id,
    ]


def _pinned(chain_id: int, row: tuple[Any, ...]) -> PinnedBlock:
    """Read a row back. Only what was seen finalized cannot have left the chain since."""
    number, block_hash, parent_hash, timestamp, state_root, lineage, status, at, endpoint_id = row
    pin = Pin(
        chain_id=chain_id,
        number=number,
        hash=_hex(block_hash),
        parent_hash=_hex(parent_hash),
        timestamp=timestamp,
        state_root=_hex(state_root),
        lineage=_hex(lineage) if lineage else None,
    )
    return PinnedBlock(
        pin=pin,
        finality=FinalityObservation(status=status, observed_at=at),
        endpoint_id=endpoint_id,
        needs_confirmation=status != "finalized",
    )


def _packed(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def _hex(data: bytes) -> str:
    return "0x" + data.hex()
