"""web3.py's batch_requests: all calls in one JSON-RPC batch."""

from __future__ import annotations

from task import Ask, Round, run
from web3 import HTTPProvider, Web3
from web3_one_by_one import contracts_of


def prepare(task: dict) -> Ask:
    """Make the contract objects."""
    web3 = Web3(HTTPProvider(task["url"]))
    contracts = contracts_of(web3, task)

    def ask(one: Round):
        with web3.batch_requests() as batch:
            for token, holder in one["reads"]:
                call = contracts[token].functions.balanceOf(holder)
                batch.add(call.call(block_identifier=int(one["block"])))
            return batch.execute()

    return ask


run(prepare, ("web3",))
