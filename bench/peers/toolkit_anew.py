"""The toolkit as a short program runs it: workspace and store are opened and closed each time."""

from __future__ import annotations

from endpoint import opened
from task import Ask, Round, run


def prepare(task: dict) -> Ask:
    """Nothing is kept open between two rounds."""

    def ask(one: Round):
        calls = [
            (
                "get_erc20_balance",
                {"chain_id": 1, "holder": holder, "token": token, "block": one["block"]},
            )
            for token, holder in one["reads"]
        ]
        with opened(task["url"], task["store"]) as workspace:
            answers = workspace.tools.batch(calls)
        return lambda: [answer.data.raw_amount for answer in answers]

    return ask


run(prepare, ("duckdb",))
