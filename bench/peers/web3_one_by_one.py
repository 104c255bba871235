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


def prepare(task: dict) -> Ask:
    """Make the contract object."""
    token = Web3(HTTPProvider(task["url"])).eth.contract(task["token"], abi=ABI)

    def ask(one: Round):
        return [
            token.functions.balanceOf(holder).call(block_identifier=int(one["block"]))
            for holder in one["holders"]
        ]

    return ask


if __name__ == "__main__":
    run(prepare, ("web3",))
