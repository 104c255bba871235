"""The toolkit through its public API: pin, look up, read, check the header, decode, keep."""

from __future__ import annotations

import sys

import task as frame
from endpoint import opened
from task import Ask, Ready, Round, run


def prepare(task: dict) -> tuple[Ready, Ask]:
    """Open a workspace whose store is a folder of this run."""
    workspace = opened(task["url"], task["store"])

    def calls_of(one: Round) -> list:
        block = one["block"]
        return [
            (
                "get_erc20_balance",
                {"chain_id": 1, "holder": holder, "token": token, "block": block},
            )
            for token, holder in one["reads"]
        ]

    def ready(_: Round) -> None:
        if "--store-reopened" in sys.argv:
            workspace.database.close()

    def ask(one: Round):
        answers = workspace.tools.batch(calls_of(one))
        if "--until-kept" in sys.argv:
            wait_until_kept()
        if "--store-reopened" in sys.argv:
            workspace.database.close()

        def values() -> list[int]:
            wait_until_kept()  # Off the clock, so that no round pays for the write before it.
            frame.notes.add(str(answers[-1].envelope().provenance.transport))
            return [answer.data.raw_amount for answer in answers]

        return values

    def wait_until_kept() -> None:
        with workspace.database.lease():
            pass

    return ready, ask


run(prepare, ("duckdb", "pydantic", "urllib3"))
