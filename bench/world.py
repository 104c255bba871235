"""What is measured on: a local chain with Multicall3 and a token whose balances are computable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eth_hash.auto import keccak
from vyper import compile_code

from tests.chain.anvil import running_anvil
from tests.chain.deployments import MULTICALL3, multicall3_code
from toolkit.models import checksummed

CHAIN_ID = 1  # multicall.py knows its contract's address by chain id only.
HEIGHT = 100  # anvil calls the newest 64 blocks not final: there are blocks of both kinds.


@dataclass(frozen=True, slots=True)
class World:
    """A running chain. From block 2 on, the token answers the same at every block."""

    port: int
    token: str


def holders(seed: str, count: int) -> list[str]:
    """Make addresses that no other seed gives."""
    return [checksummed(f"0x{keccak(f'{seed}-{n}'.encode())[:20].hex()}") for n in range(count)]


def balance_of(holder: str) -> int:
    """The token's closed form: what HashToken.vy must answer. Unit: 57 to 256 bits."""
    seed = int.from_bytes(keccak(bytes(12) + bytes.fromhex(holder[2:])), "big")
    return seed >> (seed % 200)


@contextmanager
def running_world(folder: Path) -> Iterator[World]:
    """Start the chain, put the contracts on it, and mine it to its height."""
    source = Path(__file__).with_name("HashToken.vy").read_text("utf-8")
    code = bytes.fromhex(compile_code(source, output_formats=["bytecode"])["bytecode"][2:])
    with running_anvil(folder, chain_id=CHAIN_ID) as node:
        node.set_code(MULTICALL3, multicall3_code())
        token = node.deploy(node.accounts[0], code)
        node.mine(HEIGHT - node.height)
        yield World(node.port, checksummed(token))
