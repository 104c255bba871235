"""Twenty thousand cells on one page: seen coming, stopped, taken up again, and kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.conftest import Screen, running_dashboard
from tests.chain.deployments import deploy_token
from tests.chain.faults import FaultsProxy, delay, faults_before, node_at

TOKENS, ADDRESSES = 20, 1_000


@pytest.fixture
def node(anvil) -> Iterator[tuple[FaultsProxy, list[str], list[str]]]:
    """An endpoint that counts, twenty tokens on it, and a thousand addresses."""
    owner = anvil.accounts[0]
    tokens = [deploy_token(anvil, owner, f"Token {n}", f"T{n}", 18, 10**27) for n in range(TOKENS)]
    anvil.mine(70)  # anvil calls what lies 64 blocks deep final.
    holders = [*anvil.accounts, *(f"0x{0x1000 + n:040x}" for n in range(ADDRESSES))]
    with faults_before(node_at(anvil.port)) as proxy:
        yield proxy, tokens, holders[:ADDRESSES]


def _ask(screen: Screen, tokens: list[str], holders: list[str], block: int) -> None:
    screen.open("compare_addresses", chain="31337", block=str(block))
    fields = screen.page.locator("textarea")
    for number, lines in enumerate((holders, tokens)):
        fields.nth(number).fill("\n".join(lines))
        fields.nth(number).press("Control+Enter")
        screen.page.wait_for_timeout(300)


def test_twenty_thousand_cells_can_be_stopped_and_open_again_from_the_store(
    screen, tmp_path, node, anvil
):
    """Whoever pastes a thousand addresses sees it move, may change their mind, loses nothing."""
    proxy, tokens, holders = node
    block = anvil.height - 66
    with running_dashboard(
        tmp_path, TOOLKIT_RPC_31337=f"http://127.0.0.1:{proxy.port}"
    ) as screen.address:
        proxy.always = delay(0.5)  # Far away, so that there is something to stop.
        _ask(screen, tokens, holders, block)
        screen.page.get_by_test_id("stProgress").wait_for()
        screen.page.get_by_role("button", name="Stop").click()
        proxy.always = None
        screen.page.get_by_role("button", name="Go on").click()
        screen.page.wait_for_selector(".st-key-matrix canvas", timeout=60_000)
        screen.settle()
        assert screen.faults == []
        cold = proxy.requests

    with running_dashboard(
        tmp_path, TOOLKIT_RPC_31337=f"http://127.0.0.1:{proxy.port}"
    ) as screen.address:
        _ask(screen, tokens, holders, block)
        screen.page.wait_for_selector(".st-key-matrix canvas", timeout=60_000)
        screen.settle()

    assert cold <= 40
    # Whose chain it is and which block stands there is asked again; no cell is.
    assert proxy.requests - cold <= 4
    later = [call["method"] for body in proxy.bodies[cold:] for call in _calls(body)]
    assert "eth_call" not in later


def _calls(body):
    return body if isinstance(body, list) else [body]
