"""What probes found out about endpoints, remembered so that not every start has to probe."""

from __future__ import annotations

from toolkit.store.database import Database


class CapabilityMemory:
    """Probe findings by endpoint. `fingerprint` changes with the endpoint's URL, which is not kept.

    Unit: times in seconds since 1970. Shape: `found` is JSON text, understood by the caller.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def recall(
        self, chain_id: int, endpoint_id: str, fingerprint: bytes, *, not_before: float
    ) -> str | None:
        """Find what was learned at or after a time. Errors: StoreBusyError, StoreUnusableError."""
        with self._database.lease() as cursor:
            row = cursor.execute(
                "SELECT found FROM capabilities WHERE chain_id = ? AND endpoint_id = ? "
                "AND fingerprint = ? AND probed_at >= ?",
                [chain_id, endpoint_id, fingerprint, not_before],
            ).fetchone()
        return str(row[0]) if row else None

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
