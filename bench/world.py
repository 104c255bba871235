"""What is measured on: local chains whose every answer follows from a closed form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from eth_hash.auto import keccak
from vyper import compile_code

from tests.chain.anvil import running_anvil
from tests.chain.calldata import calldata
from tests.chain.deployments import (
    MULTICALL3,
    address_in,
    deploy_exchange,
    deploy_token,
    multicall3_code,
    uniswap_code,
)
from tests.chain.node import Node
from toolkit.models import checksummed

CHAIN_ID = 1  # multicall.py knows its contract's address by chain id only.
HEIGHT = 150  # anvil calls the newest 64 blocks not final: there are blocks of both kinds.
FINAL_BLOCK = 40
FIRST_OPEN_BLOCK = 90  # Not final here, so that the toolkit must look at its header again.
TOKENS = 20
LOGS = 10_000
_LOGS_A_BLOCK = 200
_POOL_TOKENS = 21
_POOLS = 200
_LOTS = 10**30


@dataclass(frozen=True, slots=True)
class World:
    """A running chain. From block TOKENS + 1 on, its tokens answer the same at every block."""

    port: int
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogWorld:
    """A running chain with LOGS transfers from one sender, in blocks `first` to `last`."""

    port: int
    token: str
    sender: str
    first: int
    last: int
    transfers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """A pair, its tokens in its own order, and what stands behind each."""

    address: str
    token0: str
    token1: str
    reserve0: int
    reserve1: int


@dataclass(frozen=True, slots=True)
class PoolWorld:
    """A running chain with real pairs, which answer the same from block `first` on."""

    port: int
    pools: tuple[Pool, ...]
    first: int


def holders(seed: str, count: int) -> list[str]:
    """Make addresses that no other seed gives."""
    return [checksummed(f"0x{keccak(f'{seed}-{n}'.encode())[:20].hex()}") for n in range(count)]


def balance_of(token: str, holder: str) -> int:
    """The token's closed form: what HashToken.vy must answer. Unit: 57 to 256 bits."""
    words = bytes(12) + bytes.fromhex(holder[2:]) + bytes(12) + bytes.fromhex(token[2:])
    seed = int.from_bytes(keccak(words), "big")
    return seed >> (seed % 200)


def transfer_text(block: int, index: int, sender: str, receiver: str, amount: int) -> str:
    """How a transfer is written down to be compared."""
    return f"{block}:{index}:{sender.lower()}:{receiver.lower()}:{amount}"


@contextmanager
def running_world(folder: Path) -> Iterator[World]:
    """Start a chain with tokens on it, and mine it to its height."""
    with _chain(folder) as node:
        code = _compiled("HashToken")
        tokens = [node.deploy(node.accounts[0], code) for _ in range(TOKENS)]
        node.mine(HEIGHT - node.height)
        yield World(node.port, tuple(map(checksummed, tokens)))


@contextmanager
def running_log_world(folder: Path) -> Iterator[LogWorld]:
    """Start a chain with its transfers on it, and make the last of them final."""
    with _chain(folder) as node:
        sender = node.accounts[0]
        token = node.deploy(sender, _compiled("ScatterToken"))
        first, written = node.height + 1, []
        for start in range(0, LOGS, _LOGS_A_BLOCK):
            node.transact(sender, token, "scatter(uint256,uint256)", start, _LOGS_A_BLOCK)
            written += _scattered(node.height, sender, start)
        last = node.height
        node.mine(100)
        yield LogWorld(
            node.port, checksummed(token), checksummed(sender), first, last, tuple(written)
        )


@contextmanager
def running_pool_world(folder: Path) -> Iterator[PoolWorld]:
    """Start a chain with pairs of the real exchange, each with reserves of its own."""
    with _chain(folder) as node:
        owner = node.accounts[0]
        weth = node.deploy(owner, uniswap_code("v2-periphery", "WETH9"))
        factory, router = deploy_exchange(node, owner, weth)
        tokens = []
        for number in range(_POOL_TOKENS):
            tokens.append(deploy_token(node, owner, f"Token {number}", f"T{number}", 18, _LOTS))
            node.transact(owner, tokens[-1], "approve(address,uint256)", router, _LOTS)
        pairs = list(combinations(sorted(tokens), 2))[:_POOLS]
        amounts = [(10**21 + 7 * n, 3 * 10**21 + 11**9 * n) for n in range(_POOLS)]
        for pair, put in zip(pairs, amounts, strict=True):
            _add(node, owner, router, pair, put)
        asked = [("eth_call", _pair_call(factory, pair)) for pair in pairs]
        found = [address_in(bytes.fromhex(word[2:])) for word in node.ask_many(asked)]
        pools = [
            Pool(checksummed(at), checksummed(pair[0]), checksummed(pair[1]), *put)
            for at, pair, put in zip(found, pairs, amounts, strict=True)
        ]
        first = node.height + 1
        node.mine(60)
        yield PoolWorld(node.port, tuple(pools), first)


@contextmanager
def _chain(folder: Path) -> Iterator[Node]:
    """Start a chain with Multicall3 where it stands everywhere."""
    folder.mkdir(exist_ok=True)
    with running_anvil(folder, chain_id=CHAIN_ID) as node:
        node.set_code(MULTICALL3, multicall3_code())
        yield node


def _compiled(name: str) -> bytes:
    source = Path(__file__).with_name(f"{name}.vy").read_text("utf-8")
    return bytes.fromhex(compile_code(source, output_formats=["bytecode"])["bytecode"][2:])


def _scattered(block: int, sender: str, start: int) -> Iterator[str]:
    """The closed form of one transaction's transfers: what ScatterToken.vy must emit."""
    for index in range(_LOGS_A_BLOCK):
        word = keccak((start + index).to_bytes(32, "big"))
        seed = int.from_bytes(word, "big")
        yield transfer_text(block, index, sender, "0x" + word[:20].hex(), seed >> (seed % 200))


def _add(node: Node, owner: str, router: str, pair: tuple[str, ...], put: tuple[int, int]) -> None:
    signature = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)"
    node.transact(owner, router, signature, *pair, *put, 0, 0, owner, 2**63)


def _pair_call(factory: str, pair: tuple[str, ...]) -> list[object]:
    return [{"to": factory, "data": calldata("getPair(address,address)", *pair)}, "latest"]
