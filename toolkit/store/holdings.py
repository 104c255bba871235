"""What the store holds, counted for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolkit.models import FinalityObservation
from toolkit.store.database import Database

_BY_CHAIN: Final = "SELECT chain_id, count(*) FROM facts GROUP BY chain_id ORDER BY chain_id"

_REST: Final = """
    SELECT (SELECT count(*) FROM blocks),
           (SELECT count(DISTINCT read_id) FROM witnesses WHERE NOT agrees),
           (SELECT count(*) FROM logs)"""

# A fact's block is known by its header, unless the store could not be written at that moment.
_AT_HEIGHT: Final = """
    SELECT hash, any_value(finality), any_value(observed_at), sum(facts), sum(flagged), sum(logs)
    FROM (
        SELECT hash, finality, observed_at, 0 AS facts, 0 AS flagged, 0 AS logs FROM blocks
        WHERE chain_id = $chain_id AND number = $number
        UNION ALL
        SELECT block_hash, NULL, NULL, count(*), 0, 0 FROM facts
        WHERE chain_id = $chain_id AND block_number = $number GROUP BY block_hash
        UNION ALL
        SELECT block_hash, NULL, NULL, 0, count(DISTINCT read_id), 0 FROM witnesses
        WHERE chain_id = $chain_id AND block_number = $number AND NOT agrees GROUP BY block_hash
        UNION ALL
        SELECT block_hash, NULL, NULL, 0, 0, count(*) FROM logs
        WHERE chain_id = $chain_id AND block_number = $number GROUP BY block_hash)
    GROUP BY hash ORDER BY hash"""


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """What the store holds. `facts_by_chain` maps each chain id to its number of facts."""

    facts: int
    blocks: int
    flagged: int
    logs: int
    bytes_on_disk: int
    facts_by_chain: dict[int, int]


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """One of the blocks that were seen at a height, and what is kept of it.

    `finality` is what was last seen of it; None where its header was never kept.
    """

    hash: str
    finality: FinalityObservation | None
    facts: int
    flagged: int
    logs: int


def count(database: Database) -> StoreCounts:
    """Count what the store holds, over all chains. Errors: StoreBusyError, StoreUnusableError."""
    with database.lease() as cursor:
        by_chain = cursor.execute(_BY_CHAIN).fetchall()
        ((blocks, flagged, logs),) = cursor.execute(_REST).fetchall()
    return StoreCounts(
        facts=sum(facts for _, facts in by_chain),
        blocks=blocks,
        flagged=flagged,
        logs=logs,
        bytes_on_disk=database.size_bytes(),
        facts_by_chain=dict(by_chain),
    )


def blocks_at(database: Database, chain_id: int, number: int) -> list[StoredBlock]:
    """List the blocks that were seen at a height. Errors: StoreBusyError, StoreUnusableError."""
    with database.lease() as cursor:
        rows = cursor.execute(_AT_HEIGHT, {"chain_id": chain_id, "number": number}).fetchall()
    return [
        StoredBlock(
            hash="0x" + block_hash.hex(),
            finality=FinalityObservation(status, observed_at) if status else None,
            facts=int(facts),
            flagged=int(flagged),
            logs=int(logs),
        )
        for block_hash, status, observed_at, facts, flagged, logs in rows
    ]
