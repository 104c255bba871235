"""The toolkit's list of transfers: fetched, checked, decoded, stored."""

from __future__ import annotations

from pathlib import Path

from endpoint import opened
from task import Ask, Ready, Round, run

from toolkit.workspace import Workspace


def prepare(task: dict) -> tuple[Ready, Ask]:
    """Give each cold round a store of its own, whose endpoint has been probed."""
    held: list[Workspace] = []

    def ready(one: Round) -> None:
        if one["name"].startswith("warm"):
            return
        while held:
            held.pop().close()
        folder = Path(task["store"]) / one["name"]
        folder.mkdir()
        held.append(opened(task["url"], str(folder)))
        asked = {"chain_id": 1, "address": one["token"], "block": str(one["last"])}
        answer = held[0].tools.call("get_native_balance", asked)
        if answer.error is not None:
            raise answer.error
        wait_until_kept()

    def ask(one: Round):
        asked = {
            "chain_id": 1,
            "address": one["sender"],
            "from_block": str(one["first"]),
            "to_block": str(one["last"]),
            "limit": one["count"],
        }
        answer = held[0].tools.call("list_recent_transfers", asked)
        rows = answer.data.rows  # Decoded and built within the clock.
        wait_until_kept()
        return lambda: _texts(answer, rows)

    def wait_until_kept() -> None:
        with held[0].database.lease():
            pass

    return ready, ask


def _texts(answer, rows) -> list[str]:
    if not answer.data.complete:
        raise SystemExit("The list is not complete.")
    rows = sorted(rows, key=lambda row: (row.block_number, row.log_index))
    return [
        f"{row.block_number}:{row.log_index}:{row.sender.lower()}:{row.receiver.lower()}:"
        f"{row.raw_amount}"
        for row in rows
    ]


run(prepare, ("duckdb", "pydantic", "urllib3"))
