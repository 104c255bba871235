"""The Compare page's job: addresses by tokens at one block, with each token's own facts."""

from __future__ import annotations

import task as frame
from endpoint import opened
from task import Ask, Ready, Round, run


def prepare(task: dict) -> tuple[Ready, Ask]:
    """Open a workspace whose store is a folder of this run."""
    workspace = opened(task["url"], task["store"])

    def ready(_: Round) -> None:
        with workspace.database.lease():
            pass  # No round pays for the write before it.

    def ask(one: Round):
        tokens = list(dict.fromkeys(token for token, _ in one["reads"]))
        holders = list(dict.fromkeys(holder for _, holder in one["reads"]))
        before = workspace.reader(1).traffic.facts_read
        snapshot = workspace.snapshot(chain_id=1, block=one["block"])
        compared = snapshot.compare(holders, tokens, native=False)
        if one["name"].startswith("cold"):
            read = workspace.reader(1).traffic.facts_read - before
            frame.notes.add(f"{read - len(one['reads'])} facts more than cells")
        return lambda: [compared.cell(holder, token).raw_amount for token, holder in one["reads"]]

    return ready, ask


run(prepare, ("duckdb", "pydantic"))
