"""web3.py pool by pool: one call for each thing that the toolkit reads."""

from __future__ import annotations

from task import Ask, Round, run
from web3 import HTTPProvider, Web3


def _view(name: str, inputs: list[str], outputs: list[str]) -> dict:
    return {
        "name": name,
        "type": "function",
        "stateMutability": "view",
        "inputs": [{"name": "", "type": kind} for kind in inputs],
        "outputs": [{"name": "", "type": kind} for kind in outputs],
    }


PAIR = [
    _view("getReserves", [], ["uint112", "uint112", "uint32"]),
    _view("token0", [], ["address"]),
    _view("token1", [], ["address"]),
    _view("factory", [], ["address"]),
]
TOKEN = [_view("balanceOf", ["address"], ["uint256"]), _view("decimals", [], ["uint8"])]


def prepare(task: dict) -> Ask:
    """Make the client."""
    web3 = Web3(HTTPProvider(task["url"]))

    def ask(one: Round):
        at = {"block_identifier": int(one["block"])}
        return [_pool(web3, pool, at) for pool in one["pools"]]

    return ask


def _pool(web3: Web3, address: str, at: dict) -> str:
    pair = web3.eth.contract(address, abi=PAIR).functions
    reserve0, reserve1, _ = pair.getReserves().call(**at)
    tokens = [pair.token0().call(**at), pair.token1().call(**at)]
    pair.factory().call(**at)
    faces = [web3.eth.contract(token, abi=TOKEN).functions for token in tokens]
    balances = [face.balanceOf(address).call(**at) for face in faces]
    decimals = [face.decimals().call(**at) for face in faces]
    return ":".join(map(str, (*tokens, reserve0, reserve1, *balances, decimals[0])))


run(prepare, ("web3",))
