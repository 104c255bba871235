"""web3.py's get_logs and its event decoding. Nothing is stored."""

from __future__ import annotations

from task import Ask, Round, run
from web3 import HTTPProvider, Web3

ABI = [
    {
        "name": "Transfer",
        "type": "event",
        "anonymous": False,
        "inputs": [
            {"name": "sender", "type": "address", "indexed": True},
            {"name": "receiver", "type": "address", "indexed": True},
            {"name": "amount", "type": "uint256", "indexed": False},
        ],
    }
]


def prepare(task: dict) -> Ask:
    """Make the contract object."""
    web3 = Web3(HTTPProvider(task["url"]))
    event = web3.eth.contract(task["rounds"][0]["token"], abi=ABI).events.Transfer

    def ask(one: Round):
        found = event.get_logs(
            argument_filters={"sender": one["sender"]},
            from_block=one["first"],
            to_block=one["last"],
        )
        return lambda: [_text(log) for log in found]

    return ask


def _text(log) -> str:
    told = log["args"]
    return (
        f"{log['blockNumber']}:{log['logIndex']}:{told['sender'].lower()}:"
        f"{told['receiver'].lower()}:{told['amount']}"
    )


run(prepare, ("web3",))
