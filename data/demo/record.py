"""Record the demo: play its story on anvil, read everything of it, and write it down.

    python data/demo/record.py            writes world.json.gz and demo.toml beside this file
    python data/demo/record.py --check    records again and compares; exit 1 where they differ

Needs a checkout, anvil, the npm packages of Uniswap V2 and Vyper: see data/README.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from scenario import HEAD, Cast, play  # noqa: E402  # after the path is set
from selections import demo_toml  # noqa: E402

from tests.chain.anvil import running_anvil  # noqa: E402
from tests.chain.calldata import calldata  # noqa: E402
from tests.chain.node import Node, NodeRefusedError  # noqa: E402

CHAIN_ID: Final = 31_337_000
FORMAT: Final = 1
EIP1967_IMPLEMENTATION: Final = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
CALLER: Final = "0xcA11bde05977b3631167028862bE2a173976CA11"
CALL_GAS: Final = 10_000_000
BATCH: Final = 2_000

FUNCTIONS: Final = (
    "name()", "symbol()", "decimals()", "totalSupply()",
    "getReserves()", "token0()", "token1()", "factory()", "kLast()",
    "fee()", "slot0()", "stable()", "liquidity()",
)  # fmt: skip
"""What is asked of every address that has code, whether it is of the right kind or not."""

ANVIL_OPTIONS: Final = (
    *("--timestamp", "1767571200"),  # 2026-01-05T00:00:00Z
    *("--mnemonic-seed-unsafe", "31337000", "--accounts", "11", "--balance", "1000"),
    *("--hardfork", "prague", "--slots-in-an-epoch", "2", "--gas-price", "1000000000"),
)


def record(folder: Path) -> tuple[dict[str, Any], Cast]:
    """Play the story and read all of it. `folder` takes the node's own files."""
    with running_anvil(folder, *ANVIL_OPTIONS, chain_id=CHAIN_ID) as node:
        node.ask("anvil_setBlockTimestampInterval", 12)
        cast = play(node)
        document = {
            "format": FORMAT,
            "chain_id": CHAIN_ID,
            "client": node.ask("web3_clientVersion"),
            "tags": {
                tag: int(node.block(tag)["number"], 16)
                for tag in ("earliest", "finalized", "latest", "safe")
            },
            "names": {
                group: getattr(cast, group) for group in ("accounts", "tokens", "pools", "others")
            },
            "blocks": [node.block(height) for height in range(HEAD + 1)],
            "logs": node.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": hex(HEAD)}),
            "reads": {address: _reads(node, cast, address) for address in cast.addresses},
        }
    return document, cast


def _reads(node: Node, cast: Cast, address: str) -> dict[str, dict[str, list[Any]]]:
    """Everything that can be asked of one address, as lists of changes."""
    code = _changes(node, "eth_getCode", address)
    reads: dict[str, dict[str, list[Any]]] = {
        "balance": {"": _changes(node, "eth_getBalance", address)},
        "nonce": {"": _changes(node, "eth_getTransactionCount", address)},
        "code": {"": code},
        "storage": {},
        "call": {},
    }
    if code == [[0, "0x"]]:
        return reads
    slot = EIP1967_IMPLEMENTATION
    reads["storage"] = {slot: _changes(node, "eth_getStorageAt", address, slot)}
    for data in _call_data(cast):
        message = {"to": address, "data": data, "from": CALLER, "gas": hex(CALL_GAS)}
        reads["call"][data] = _changes(node, "eth_call", message)
    return reads


def _call_data(cast: Cast) -> Iterator[str]:
    """What every contract is asked: each function, and everybody's balance."""
    yield from (calldata(function) for function in FUNCTIONS)
    yield from (calldata("balanceOf(address)", holder) for holder in cast.addresses)


def _changes(node: Node, method: str, *params: Any) -> list[Any]:
    """Ask one question at every height, and keep the answers that differ from the one before."""
    questions = [(method, [*params, hex(height)]) for height in range(HEAD + 1)]
    changes: list[Any] = []
    for height, result in enumerate(node.ask_many(questions)):
        answer = _recorded(result)
        if not changes or changes[-1][1] != answer:
            changes.append([height, answer])
    return changes


def _recorded(result: Any) -> Any:
    """A result as it is, a revert as its bytes. Errors: NodeRefusedError for anything else."""
    if not isinstance(result, NodeRefusedError):
        return result
    if result.data is None:
        raise result
    return {"revert": result.data}


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def main() -> int:
    """Write the recording, or compare it with a new one."""
    parser = argparse.ArgumentParser(description="Record the demo's chain.")
    parser.add_argument("--check", action="store_true", help="record again and compare")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        document, cast = record(Path(folder))
    world, selections = HERE / "world.json.gz", HERE / "demo.toml"
    if check:
        # The text is compared, not the compressed bytes: zlib differs between machines.
        same = gzip.decompress(world.read_bytes()).decode() == _text(document)
        same = same and selections.read_text("utf-8") == demo_toml(cast)
        sys.stderr.write("The demo is as recorded.\n" if same else "The demo differs.\n")
        return 0 if same else 1
    world.write_bytes(gzip.compress(_text(document).encode(), compresslevel=9, mtime=0))
    selections.write_text(demo_toml(cast), "utf-8")
    sys.stderr.write(f"Recorded {HEAD + 1} blocks: {world.stat().st_size:,} bytes.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
