"""`toolkit transfers` on a live node: ended and gone on with, and held against its blocks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.chain.faults import delay, faults_before, node_at
from tests.command_line import CommandLine

WIDEST = 5


@pytest.fixture
def settings(monkeypatch, tmp_path):
    """An empty store and no settings of the developer's own."""
    for name in list(os.environ):
        if name.startswith(("TOOLKIT_RPC_", "TOOLKIT_CONFIG", "LC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    return monkeypatch


@pytest.fixture
def narrow(anvil):
    """A proxy before anvil that gives logs of five blocks at most."""
    anvil.mine(80)
    forward = node_at(anvil.port)

    def upstream(request):
        items = request if isinstance(request, list) else [request]
        answer = forward(request)
        answers = answer if isinstance(answer, list) else [answer]
        too_wide = {item["id"] for item in items if _width(item) > WIDEST}
        cut = [_refused(one) if one["id"] in too_wide else one for one in answers]
        return cut if isinstance(answer, list) else cut[0]

    with faults_before(upstream) as proxy:
        yield proxy


def _width(item):
    if item["method"] != "eth_getLogs":
        return 0
    wanted = item["params"][0]
    return int(wanted["toBlock"], 16) - int(wanted["fromBlock"], 16) + 1


def _refused(answer):
    error = {"code": -32000, "message": f"eth_getLogs is limited to a {WIDEST} block range"}
    return {"jsonrpc": "2.0", "id": answer["id"], "error": error}


def _slices(proxy):
    """The ranges that were asked for and given since the last look."""
    asked = {
        (int(item["params"][0]["fromBlock"], 16), int(item["params"][0]["toBlock"], 16))
        for body in proxy.bodies
        for item in (body if isinstance(body, list) else [body])
        if 0 < _width(item) <= WIDEST
    }
    proxy.bodies.clear()
    return asked


def test_ctrl_c_ends_in_one_line_and_the_same_command_goes_on(narrow, settings, anvil):
    """An hour of reading that a key press throws away is an hour that nobody spends again."""
    settings.setenv("TOOLKIT_RPC_31337", narrow.url())
    command = (
        *(sys.executable, "-m", "toolkit", "transfers", "--chain-id", "31337"),
        *("--address", anvil.accounts[0], "--from-block", "1"),
        *("--to-block", str(anvil.height), "--limit", "100", "--json"),
    )
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    narrow.always = delay(0.05)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        deadline = time.monotonic() + 30
        while narrow.requests < 14 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    first = _slices(narrow)
    narrow.always = None

    again = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, timeout=60
    )
    second = _slices(narrow)

    assert process.returncode == 130
    assert out == ""
    assert "blocks were read. Ask again to go on" in err
    assert "Traceback" not in err
    assert again.returncode == 0
    assert '"complete": true' in again.stdout
    assert len(first) >= 5
    # The slice that was on its way is the only one that is read twice.
    assert len(first & second) <= 1
    assert min(foot for foot, _ in first | second) == 1


def test_a_cross_check_is_said_and_one_that_fails_is_no_answer(settings, anvil, uniswap_v2, capsys):
    """An analyst who asks for proof must see what was proven, and a script must see a failure."""
    owner, ann = anvil.accounts[:2]
    first = anvil.height + 1
    anvil.transact(owner, uniswap_v2.token_a, "transfer(address,uint256)", ann, 5)
    anvil.mine(3)
    forward, hidden = node_at(anvil.port), []

    def upstream(request):
        answer = forward(request)
        if hidden and isinstance(answer, list):
            return [
                one | {"result": []} if item["method"] == "eth_getLogs" else one
                for item, one in zip(request, answer, strict=True)
            ]
        return answer

    with faults_before(upstream) as proxy:
        settings.setenv("TOOLKIT_RPC_31337", proxy.url())
        command_line = CommandLine(capsys)
        at = ("--chain-id", "31337", "--address", ann, "--from-block", str(first))
        asked = ("transfers", *at, "--to-block", str(anvil.height), "--limit", "9", "--cross-check")
        good = command_line(*asked)
        told = command_line(*asked, "--json").document
        settings.setenv("TOOLKIT_STORE", "elsewhere")
        hidden.append(True)
        bad = command_line(*asked)

    assert good.code == 0
    assert "Cross-check: blocks" in good.out
    assert told["cross_check"]["holds"]
    assert told["cross_check"]["compared_with_receipts"] == 1
    assert bad.code == 1
    assert "CROSS-CHECK FAILED" in bad.out
    assert "NOT COMPLETE" in bad.out
    assert "receipts of block" in bad.err
