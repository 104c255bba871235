"""The command line against live nodes: real numbers, broken endpoints, chains left alone."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack

import pytest

import toolkit as tk
from tests.chain.faults import (
    answer_html,
    cut_body,
    faults_before,
    hang,
    node_at,
    serve_chain,
    too_many_requests,
)
from tests.chain.mainnet_proof import BLOCK_NUMBER, HOLDER, WETH
from tests.command_line import CommandLine

KEY = "/v3/0123456789abcdef"


@pytest.fixture
def command_line(capsys, monkeypatch, tmp_path) -> CommandLine:
    """`toolkit` on an empty store, in an empty folder, in English."""
    for name in list(os.environ):
        if name.startswith(("TOOLKIT_RPC_", "TOOLKIT_CONFIG", "TOOLKIT_LLM_", "LC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    return CommandLine(capsys)


@pytest.fixture
def proxied(anvil):
    """A proxy before anvil that can be told to misbehave."""
    anvil.mine(3)
    with faults_before(node_at(anvil.port)) as proxy:
        yield proxy


def asking(chain_id: int, address: str) -> tuple[str, ...]:
    return (
        *("call", "get_native_balance", "--chain-id", str(chain_id)),
        *("--address", address, "--block", "1"),
    )


def test_the_proven_mainnet_balances_come_out_digit_for_digit(
    command_line, mainnet_proof, monkeypatch
):
    """The numbers that a state proof proves must be the numbers that we print."""
    monkeypatch.setenv("TOOLKIT_RPC_1", mainnet_proof.node.url)
    at = ("--chain-id", "1", "--block", str(BLOCK_NUMBER))

    native = command_line("call", "get_native_balance", *at, "--address", WETH)
    weth = command_line("call", "get_erc20_balance", *at, "--holder", HOLDER, "--token", WETH)
    told = command_line("call", "get_native_balance", *at, "--address", WETH, "--json").document

    assert (native.code, weth.code) == (0, 0)
    assert "2221356247135323604826973" in native.out
    assert "2921291143473600000" in weth.out
    assert told["data"]["raw_amount"] == "2221356247135323604826973"
    assert told["provenance"]["block_number"] == 23223655
    assert mainnet_proof.node.url not in native.out + native.err + weth.out + weth.err


def test_nothing_is_asked_of_a_chain_that_was_not_named(command_line, anvil, monkeypatch):
    """Seven chains configured, one named: six endpoints must not learn that anybody asked."""
    anvil.mine(2)
    with ExitStack() as stack:
        proxies = {
            chain_id: stack.enter_context(faults_before(node_at(anvil.port)))
            for chain_id in (1, 10, 56, 137, 8453, 42161, anvil.chain_id)
        }
        for chain_id, proxy in proxies.items():
            monkeypatch.setenv(f"TOOLKIT_RPC_{chain_id}", proxy.url(KEY))
        chain = ("--chain-id", str(anvil.chain_id))
        holder = anvil.accounts[0]

        ran = [
            command_line(*asking(anvil.chain_id, holder)),
            command_line("pin", *chain, "--block", "latest"),
            command_line("compare", *chain, "--block", "1", "--addresses", holder, "--native"),
            command_line("endpoint", "list"),
            command_line("endpoint", "test", *chain),
        ]

        assert [each.code for each in ran] == [0] * 5
        asked = {chain_id for chain_id, proxy in proxies.items() if proxy.requests}
        assert asked == {anvil.chain_id}
        assert all("0123456789abcdef" not in each.out + each.err for each in ran)


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        pytest.param(serve_chain(5), 1, "chain 5", id="wrong chain"),
        pytest.param(answer_html(), 1, "JSON", id="HTML"),
        pytest.param(cut_body, 3, "", id="half a body"),
        pytest.param(hang, 3, "did not answer", id="slow"),
        pytest.param(too_many_requests("0"), 3, "", id="rate limited"),
    ],
)
def test_an_endpoint_that_misbehaves_is_one_sentence_and_an_exit_code(
    command_line, proxied, anvil, tmp_path, fault, code, words
):
    """A script must know whether to wait, to change the endpoint or to mend the settings."""
    settings = tmp_path / "toolkit.toml"
    settings.write_text(
        f'[[endpoint]]\nid = "mine"\nchain_id = {anvil.chain_id}\n'
        f'url = "{proxied.url(KEY)}"\ntimeout_seconds = 0.5\n',
        "utf-8",
    )
    proxied.always = fault

    ran = command_line(*asking(anvil.chain_id, anvil.accounts[0]))

    assert ran.code == code, ran.err
    assert words in ran.err
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    for secret in ("0123456789abcdef", str(proxied.port), "Traceback"):
        assert secret not in ran.err


def test_an_endpoint_that_is_down_is_unavailable(command_line, monkeypatch):
    """Nobody home is no statement about the chain."""
    monkeypatch.setenv("TOOLKIT_RPC_10", "http://127.0.0.1:9" + KEY)

    ran = command_line(*asking(10, HOLDER))
    tested = command_line("endpoint", "test")
    doctor = command_line("doctor", "--json")

    assert (ran.code, tested.code, doctor.code) == (3, 3, 3)
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert doctor.document["ok"] is False
    for each in (ran, tested, doctor):
        assert "0123456789abcdef" not in each.out + each.err


def test_a_block_above_the_head_says_where_the_head_is(command_line, proxied, anvil, monkeypatch):
    """A mistyped height must not look like an empty wallet."""
    monkeypatch.setenv(f"TOOLKIT_RPC_{anvil.chain_id}", proxied.url(KEY))

    ran = command_line(
        *("call", "get_native_balance", "--chain-id", str(anvil.chain_id)),
        *("--address", HOLDER, "--block", "99999999", "--json"),
    )

    assert ran.code == 1
    assert ran.document["error"]["code"] == "block_ahead_of_head"
    assert ran.document["data"] is None


def test_evidence_of_a_live_chain_is_the_same_from_python(
    command_line, proxied, anvil, odd_tokens, monkeypatch, tmp_path
):
    """What the command wrote must be what a notebook writes from the store, byte for byte."""
    anvil.mine()
    monkeypatch.setenv(f"TOOLKIT_RPC_{anvil.chain_id}", proxied.url(KEY))
    block, tokens = anvil.block()["hash"], list(odd_tokens.values())
    holders = anvil.accounts[:3]

    ran = command_line(
        *("export", "--from", "compare", "--out", "ours.csv", "--chain-id", anvil.chain_id),
        *("--block", block, "--addresses", ",".join(holders), "--tokens", ",".join(tokens)),
        "--native",
    )
    node = tk.connect(chain_id=anvil.chain_id)
    reading = node.at(block=block).compare(addresses=holders, tokens=tokens, native=True)
    reading.to_csv(tmp_path / "theirs.csv")
    node.close()

    ours = (tmp_path / "ours.csv").read_bytes()
    assert ran.code == 0
    assert ours == (tmp_path / "theirs.csv").read_bytes()
    assert ours.isascii()
    assert b"0123456789abcdef" not in ours


def test_a_batch_merges_its_reads(command_line, proxied, anvil, monkeypatch, tmp_path):
    """A thousand lines must not cost a thousand requests."""
    monkeypatch.setenv(f"TOOLKIT_RPC_{anvil.chain_id}", proxied.url(KEY))
    command_line("endpoint", "test", "--chain-id", anvil.chain_id)
    probed = proxied.requests
    lines = [
        {
            "tool": "get_native_balance",
            "args": {"chain_id": anvil.chain_id, "address": f"0x{n:040x}", "block": "latest"},
        }
        for n in range(1, 501)
    ]
    (tmp_path / "calls.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")

    ran = command_line("batch", "calls.jsonl")

    envelopes = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 0, ran.err
    assert len(envelopes) == 500
    assert len({each["provenance"]["block_hash"] for each in envelopes}) == 1
    assert proxied.requests - probed <= 6


def test_a_web3_object_is_a_way_to_the_chain(anvil, monkeypatch, tmp_path):
    """Whoever has a provider with its own authentication must not have to configure it twice."""
    from web3 import HTTPProvider, Web3

    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    anvil.mine()
    holder = anvil.accounts[0]

    node = tk.connect(chain_id=anvil.chain_id, web3=Web3(HTTPProvider(anvil.url)))
    balances = node.at(block=1).native_balances([holder])
    node.close()

    assert balances[holder].raw_amount == int(anvil.ask("eth_getBalance", holder, "0x1"), 16)


def test_reads_come_from_the_endpoint_that_was_named(anvil, monkeypatch, tmp_path):
    """Pinning with one endpoint and reading from another proves nothing."""
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    anvil.mine()
    with (
        faults_before(node_at(anvil.port)) as first,
        faults_before(node_at(anvil.port)) as second,
    ):
        monkeypatch.setenv(f"TOOLKIT_RPC_{anvil.chain_id}", f"{first.url()},{second.url()}")

        node = tk.connect(chain_id=anvil.chain_id, endpoint="second")
        balances = node.at(block=1).native_balances([anvil.accounts[0]])
        node.close()

        assert first.requests == 0
        assert second.requests > 0
        assert set(balances.evidence["endpoint_id"].to_list()) == {"second"}
