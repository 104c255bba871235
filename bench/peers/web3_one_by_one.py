"""web3.py as its documentation shows it: a contract, and one call for each holder."""

from __future__ import annotations

from task import Ask, Round, run
from web3 import HTTPProvider, Web3

ABI = [
    {
        "name": "balanceOf",
        "type": "function",
        "stateMutability": "view",
        "inputs": [{"name": "holder", "type": "address"}],
        "outputs": [{"name": "", "type": "uint256"}],
    }
]


def contracts_of(web3: Web3, task: dict) -> dict:
    """The contract object of each token that the task asks."""
    tokens = {token for one in task["rounds"] for token, _ in one["reads"]}
    return {token: web3.eth.contract(token, abi=ABI) for token in tokens}


def prepare(task: dict) -> Ask:
    """Make the contract objects."""
    contracts = contracts_of(Web3(HTTPProvider(task["url"])), task)

    def ask(one: Round):
        return [
            contracts[token].functions.balanceOf(holder).call(block_identifier=int(one["block"]))
            for token, holder in one["reads"]
        ]

    return ask


if __name__ == "__main__":
    run(prepare, ("web3",))
