"""Block headers of one chain that were seen, and what was seen of their finality."""

from __future__ import annotations

from typing import Any, Final

from toolkit.chain.reader import PinnedBlock
from toolkit.models import FinalityObservation, Pin
from toolkit.store.database import Database

_BY_HASH: Final = """
    SELECT number, hash, parent_hash, timestamp, state_root, lineage,
           finality, observed_at, endpoint_id
    FROM blocks WHERE chain_id = ? AND hash = ?"""

_FINALIZED_AT: Final = """
    SELECT number, hash, parent_hash, timestamp, state_root, lineage,
           finality, observed_at, endpoint_id
    FROM blocks
    WHERE chain_id = ? AND number = ? AND lineage IS NOT DISTINCT FROM ?
      AND finality = 'finalized'"""


class Blocks:
    """The headers of one chain in a database. Only a finalized height names one block for ever."""

    def __init__(self, database: Database, chain_id: int) -> None:
        self._database = database
        self._chain_id = chain_id

    def remember(self, pinned: PinnedBlock) -> None:
        """Keep a header, or that it was now seen finalized.

        Errors: StoreBusyError, StoreUnusableError.
        """
        known = self.by_hash(pinned.pin.hash)
        if known is not None and (
            known.finality.status == "finalized" or pinned.finality.status != "finalized"
        ):
            return
        with self._database.transaction() as cursor:
            cursor.execute(
                "DELETE FROM blocks WHERE chain_id = ? AND number = ? AND hash = ?",
                [self._chain_id, pinned.pin.number, _packed(pinned.pin.hash)],
            )
            cursor.execute(
                "INSERT INTO blocks (number, hash, parent_hash, timestamp, state_root, lineage, "
                "finality, observed_at, endpoint_id, chain_id) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*_row(pinned), self._chain_id],
            )

    def by_hash(self, block_hash: str) -> PinnedBlock | None:
        """Find a header by its hash. Errors: StoreBusyError, StoreUnusableError."""
        found = self._find(_BY_HASH, [_packed(block_hash)])
        return found[0] if found else None

    def finalized_at(self, number: int, lineage: str | None) -> PinnedBlock | None:
        """Find the one header that was seen finalized at a height.

        Two that were are a contradiction, and then the store knows none.
        Errors: StoreBusyError, StoreUnusableError.
        """
        found = self._find(_FINALIZED_AT, [number, _packed(lineage) if lineage else None])
        return found[0] if len(found) == 1 else None

    def _find(self, query: str, values: list[Any]) -> list[PinnedBlock]:
        where = [self._chain_id, *values]
        rows = self._database.recall(
            (query, *where), lambda cursor: cursor.execute(query, where).fetchall()
        )
        return [_pinned(self._chain_id, row) for row in rows]


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
