"""The shipped demo must be what its own story gives when it is played again."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests.chain.anvil import NoAnvilError, find_anvil
from tests.chain.deployments import ROOT, NoContractError, uniswap_code, vyper_code
from toolkit.chain.recorded_world import RecordedWorld

DEMO = ROOT / "data" / "demo"


@pytest.fixture
def recorder_tools() -> None:
    """What the recorder needs on this machine."""
    try:
        find_anvil()
        uniswap_code("v2-core", "UniswapV2Factory")
        vyper_code("Token")
    except (NoAnvilError, NoContractError) as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("recorder_tools")
def test_recording_the_demo_again_gives_the_same_world() -> None:
    """A demo that nobody can reproduce is a story, not evidence."""
    command = [sys.executable, str(DEMO / "record.py"), "--check"]

    checked = subprocess.run(  # our own script
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )

    assert checked.returncode == 0, checked.stderr


def test_the_suggested_selections_lie_inside_the_world() -> None:
    """A newcomer's first click must not end in an error."""
    world = RecordedWorld.load(DEMO / "world.json.gz")
    demo = tomllib.loads((DEMO / "demo.toml").read_text("utf-8"))
    compare, depth, transfers = demo["compare"], demo["depth"], demo["transfers"]
    chosen = [*compare["addresses"], *compare["tokens"], *depth["pools"], transfers["address"]]

    assert demo["chain_id"] == world.chain_id == 31_337_000
    assert all(address.lower() in world.reads for address in chosen)
    heights = {compare["block"], compare["before_block"], depth["block"], depth["before_block"]}
    assert max(heights | {demo["head"]}) == world.head
