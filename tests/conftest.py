"""Fixtures for every test: local chains, real contracts, and the shared recordings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.chain.anvil import DEFAULT_CHAIN_ID, NoAnvilError, running_anvil
from tests.chain.deployments import (
    MULTICALL3,
    NoContractError,
    UniswapV2,
    deploy_odd_tokens,
    deploy_uniswap_v2,
    multicall3_code,
)
from tests.chain.mainnet_proof import MainnetProof, load_mainnet_proof
from tests.chain.node import Node

_START_OF_TIME = "1767571200"  # 2026-01-05T00:00:00Z


@contextmanager
def _skipped_without_tools() -> Iterator[None]:
    """Turn a missing anvil or package into a skip that says how to get it."""
    try:
        yield
    except (NoAnvilError, NoContractError) as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared recordings: TOOLKIT_SHARED/data, else ../shared/data."""
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("TOOLKIT_SHARED") or root.parent / "shared") / "data"
    if not folder.is_dir():
        pytest.skip("The shared recordings are not here: name their folder in TOOLKIT_SHARED.")
    return folder


@pytest.fixture(scope="session")
def anvil_session(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Node]:
    """One anvil for the session. Parametrise indirectly with another chain id."""
    chain_id = getattr(request, "param", DEFAULT_CHAIN_ID)
    folder = tmp_path_factory.mktemp("anvil")
    with (
        _skipped_without_tools(),
        running_anvil(folder, "--timestamp", _START_OF_TIME, chain_id=chain_id) as node,
    ):
        node.ask("anvil_setBlockTimestampInterval", 12)
        yield node


@pytest.fixture
def anvil(anvil_session: Node) -> Iterator[Node]:
    """The session's anvil, brought back after the test to where it was before."""
    snapshot = anvil_session.snapshot()
    yield anvil_session
    anvil_session.revert(snapshot)


@pytest.fixture
def pruned_anvil(tmp_path: Path) -> Iterator[Node]:
    """A node of its own that keeps no state but the newest block's."""
    with _skipped_without_tools(), running_anvil(tmp_path, "--prune-history") as node:
        yield node


@pytest.fixture
def uniswap_v2(anvil: Node) -> UniswapV2:
    """Uniswap V2's own contracts with a pair of two of our tokens."""
    with _skipped_without_tools():
        return deploy_uniswap_v2(anvil)


@pytest.fixture
def odd_tokens(anvil: Node) -> dict[str, str]:
    """Tokens that break an assumption, by what is odd in each."""
    with _skipped_without_tools():
        return deploy_odd_tokens(anvil)


@pytest.fixture
def multicall3(anvil: Node) -> str:
    """Multicall3's mainnet code at its own address, from the next block on."""
    with _skipped_without_tools():
        anvil.set_code(MULTICALL3, multicall3_code())
    anvil.mine()
    return MULTICALL3


@pytest.fixture(scope="session")
def mainnet_proof(
    shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainnetProof]:
    """Anvil as Ethereum mainnet at block 23223655, with the state that was proven there."""
    folder = tmp_path_factory.mktemp("mainnet_proof")
    with _skipped_without_tools(), load_mainnet_proof(folder, shared_data) as proof:
        yield proof
