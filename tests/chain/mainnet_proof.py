"""One real mainnet block and its proven WETH state, served by a local node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.chain.anvil import running_anvil
from tests.chain.node import Node

BLOCK_NUMBER: Final = 23_223_655
WETH: Final = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
HOLDER: Final = "0xDe5ae63A348C4d63343C8E20Fb6286909418c8A4"


@dataclass(frozen=True)
class MainnetProof:
    """A node that answers as mainnet did at one block, for one contract and one holder.

    Unit: both balances in wei. Not: the block's own hash, which no local node can mine.
    """

    node: Node
    block_number: int = BLOCK_NUMBER
    weth: str = WETH
    holder: str = HOLDER
    raw_native_balance: int = 2221356247135323604826973
    raw_weth_balance: int = 2921291143473600000


@contextmanager
def load_mainnet_proof(folder: Path, shared_data: Path) -> Iterator[MainnetProof]:
    """Run a node whose block 23223655 holds the proven code, slot and balance."""
    source = shared_data / "mainnet-proof"
    proof = _read(source / "weth_storage_proof.json")
    timestamp = int(_read(source / "block_23223655.json")["timestamp"], 16)
    options = ("--number", str(BLOCK_NUMBER - 1), "--timestamp", str(timestamp - 12))
    with running_anvil(folder, *options, chain_id=1) as node:
        node.set_code(WETH, bytes.fromhex(_read(source / "weth_code.json")[2:]))
        node.set_balance(WETH, int(proof["balance"], 16))
        for slot in proof["storageProof"]:
            key = f"0x{int(slot['key'], 16):064x}"
            node.set_storage(WETH, key, int(slot["value"], 16))
        node.ask("evm_setNextBlockTimestamp", timestamp)
        node.mine()  # The state was set on the parent: this block makes it part of a height.
        yield MainnetProof(node)


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))
