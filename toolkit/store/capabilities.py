"""What probes found out about endpoints, remembered so that not every start has to probe."""

from __future__ import annotations

from typing import NamedTuple

from toolkit.store.database import Database


class Finding(NamedTuple):
    """What was kept of an endpoint, and when it was probed."""

    found: str
    probed_at: float


class CapabilityMemory:
    """Probe findings by endpoint. `fingerprint` changes with the endpoint's URL, which is not kept.

    Unit: times in seconds since 1970. Shape: `found` is JSON text, understood by the caller.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def recall(
        self, chain_id: int, endpoint_id: str, fingerprint: bytes, *, not_before: float
    ) -> Finding | None:
        """Find what was probed at or after a time. Errors: StoreBusyError, StoreUnusableError."""
        with self._database.lease() as cursor:
            row = cursor.execute(
                "SELECT found, probed_at FROM capabilities WHERE chain_id = ? AND endpoint_id = ? "
                "AND fingerprint = ? AND probed_at >= ?",
                [chain_id, endpoint_id, fingerprint, not_before],
            ).fetchone()
        return Finding(str(row[0]), float(row[1])) if row else None

    def remember(
        self, chain_id: int, endpoint_id: str, fingerprint: bytes, found: str, probed_at: float
    ) -> None:
        """Keep the newest finding of an endpoint. Errors: StoreBusyError, StoreUnusableError."""
        with self._database.transaction() as cursor:
            cursor.execute(
                "DELETE FROM capabilities WHERE chain_id = ? AND endpoint_id = ?",
                [chain_id, endpoint_id],
            )
            cursor.execute(
                "INSERT INTO capabilities VALUES (?, ?, ?, ?, ?)",
                [chain_id, endpoint_id, fingerprint, found, probed_at],
            )
