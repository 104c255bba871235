"""The shipped demo: a recorded small chain, and what to look at in it first."""

from __future__ import annotations

import tomllib
from pathlib import Path

from toolkit.chain.recorded_world import RecordedWorld
from toolkit.chain.recording import RecordedTransport
from toolkit.models import Frozen


class ComparisonSelection(Frozen):
    """A first comparison: these addresses and tokens, at a block and at an earlier one."""

    block: int
    before_block: int
    native: bool
    addresses: tuple[str, ...]
    tokens: tuple[str, ...]


class DepthSelection(Frozen):
    """First pools to measure, at a block and at an earlier one."""

    block: int
    before_block: int
    pools: tuple[str, ...]


class TransferSelection(Frozen):
    """A first list of transfers."""

    address: str
    from_block: int
    to_block: int
    limit: int


class Demo(Frozen):
    """What the demo holds. The names are ours; names on its chain are other text.

    Shape: each of accounts, tokens, pools and others maps a name to an address; moments map
    what had happened to a height.
    """

    chain_id: int
    head: int
    label: str
    accounts: dict[str, str]
    tokens: dict[str, str]
    pools: dict[str, str]
    others: dict[str, str]
    moments: dict[str, int]
    compare: ComparisonSelection
    depth: DepthSelection
    transfers: TransferSelection


def load_demo(data_folder: Path) -> Demo:
    """Read what the demo holds from the shipped data."""
    with (data_folder / "demo" / "demo.toml").open("rb") as file:
        return Demo.model_validate(tomllib.load(file))


def demo_transport(data_folder: Path) -> RecordedTransport:
    """Open the demo's recording as an endpoint."""
    return RecordedTransport(RecordedWorld.load(data_folder / "demo" / "world.json.gz"))
