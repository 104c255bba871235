"""The toolkit through its public API: pin, look up, read, check the header, decode, keep."""

from __future__ import annotations

import sys
from pathlib import Path

from task import Ask, Round, run

from toolkit.workspace import open_workspace


def prepare(task: dict) -> Ask:
    """Open a workspace whose store is a folder of this run."""
    environ = {"TOOLKIT_STORE": task["store"], "TOOLKIT_RPC_1": task["url"]}
    workspace = open_workspace(environ, Path(task["store"]))

    def ask(one: Round):
        calls = [
            (
                "get_erc20_balance",
                {"chain_id": 1, "holder": h, "token": task["token"], "block": one["block"]},
            )
            for h in one["holders"]
        ]
        answers = workspace.tools.batch(calls)
        if "--until-kept" in sys.argv:
            wait_until_kept()

        def values() -> list[int]:
            wait_until_kept()  # Off the clock, so that no round pays for the write before it.
            return [answer.data.raw_amount for answer in answers]

        return values

    def wait_until_kept() -> None:
        with workspace.database.lease():
            pass

    return ask


run(prepare, ("duckdb", "pydantic", "urllib3"))
