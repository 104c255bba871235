"""Tokens that change, that lead elsewhere, and that are told apart where they answer nothing."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from tests.chain.deployments import deploy_token, vyper_code
from tests.chain.faults import answering, faults_before
from toolkit.chain.transport import HttpTransport
from toolkit.chain.web3_provider import Web3Transport
from toolkit.store.labels import parse_labels
from toolkit.workspace import open_workspace


@pytest.fixture
def opened(anvil, tmp_path):
    """Opens a workspace over the session's anvil, as a new process would, on one store."""

    def open_(**given):
        environ = {} if given else {"TOOLKIT_RPC_31337": anvil.url}
        return open_workspace(environ, tmp_path, store=tmp_path / "store", **given)

    return open_


def _metadata(workspace, token, block):
    call = {"chain_id": 31337, "token": token, "block": block}
    return workspace.tools.call("get_token_metadata", call)


def test_a_renamed_token_has_at_each_block_the_name_it_had_there(anvil, opened):
    """Under today's name and decimals, last year's balance is another amount of another thing."""
    owner = anvil.accounts[0]
    token = anvil.deploy(owner, vyper_code("RenamedToken"), "(uint256)", 10**24)
    before = str(anvil.height)
    anvil.transact(owner, token, "rename(string,uint8)", "Oak", 6)
    after = str(anvil.height)

    seen = []
    for _ in range(2):
        with opened() as workspace:
            answers = [_metadata(workspace, token, block) for block in (before, after, before)]
            seen.append([(a.data.name.raw, a.data.decimals, a.data.total_supply) for a in answers])
            cached = [answer.envelope().provenance.from_cache for answer in answers]

    old, new = (b"Acorn", 18, "1000000." + "0" * 18), (b"Oak", 6, str(10**18) + ".000000")
    assert seen == [[old, new, old], [old, new, old]]
    assert cached == [True, True, True]


@pytest.mark.parametrize("way", ["http", "web3"])
def test_a_token_cannot_make_the_reader_ask_an_address_of_its_choosing(anvil, opened, way):
    """The machine of whoever looks at a token would tell its owner that somebody looks."""
    with faults_before(answering(lambda *_: "0x")) as gateway:
        code, url = vyper_code("OffchainName"), gateway.url("/{sender}/{data}")
        token = anvil.deploy(anvil.accounts[0], code, "(string,uint256)", url, 5)
        if way == "web3":
            web3 = pytest.importorskip("web3")
            transport = Web3Transport(web3.Web3(web3.Web3.HTTPProvider(anvil.url)))
        else:
            transport = HttpTransport("local", SecretStr(anvil.url))
        with opened(transports={31337: transport}) as workspace:
            answer = _metadata(workspace, token, "latest")
        asked = gateway.requests

    (reverted,) = [one.answer for one in answer.observations if one.field == "name"]
    assert reverted.outcome.data[:4].hex() == "556f1830"  # OffchainLookup, EIP-3668
    assert asked == 0
    assert answer.data.name.code == "call_reverted"
    assert answer.data.decimals == 18
    assert gateway.url() not in answer.envelope().model_dump_json()


def test_no_code_a_revert_and_an_old_text_are_three_answers(anvil, odd_tokens, opened):
    """A reader that says "nothing" to all three leaves the analyst to guess which it was."""
    with opened() as workspace:
        calls = [
            ("get_token_metadata", {"chain_id": 31337, "token": token, "block": "latest"})
            for token in (
                anvil.accounts[4],
                odd_tokens["reverting"],
                odd_tokens["bytes32"],
                odd_tokens["silent"],
                odd_tokens["bytes32"],
            )
        ]
        nobody, reverting, old, silent, again = workspace.tools.batch(calls)

    assert nobody.error.code == "not_a_contract"
    assert reverting.error.code == silent.error.code == "not_supported_by_contract"
    assert old.data.symbol.encoding == "bytes32"
    assert old.data == again.data
    assert {seen.value.code for seen in reverting.observations if hasattr(seen.value, "code")} == {
        "call_reverted"
    }


def test_what_a_token_says_counts_and_no_list_says_otherwise(anvil, opened):
    """A list that believes in 18 decimals makes ten thousand millionfold of eight."""
    owner = anvil.accounts[0]
    token = deploy_token(anvil, owner, "Eight", "EIGHT", 8, 10**12)
    labels = parse_labels(f"chain_id,address,label\n31337,{token},Eight with 18 decimals\n")
    question = {"chain_id": 31337, "holder": owner, "token": token, "block": "latest"}
    with opened() as workspace:
        workspace.labels.keep(labels)
        answer = workspace.tools.call("get_erc20_balance", question)

    assert (answer.data.raw_amount, answer.data.decimals) == (10**12, 8)
    assert answer.data.amount == "10000.00000000"


def test_latest_is_asked_anew_each_time(anvil, opened):
    """A cache that keeps "latest" shows the balance of the day it was switched on, for ever."""
    who = anvil.accounts[7]
    call = {"chain_id": 31337, "address": who, "block": "latest"}
    seen = []
    with opened() as workspace:
        for _ in range(3):
            answer = workspace.tools.call("get_native_balance", call)
            seen.append((answer.pinned.pin.number, answer.data.raw_amount))
            anvil.send({"from": anvil.accounts[0], "to": who, "value": "0x5"})

    (height, wei), *_ = seen
    assert seen == [(height + n, wei + 5 * n) for n in range(3)]


def test_what_the_node_s_owner_sets_by_hand_replaces_no_fact(anvil, opened):
    """A balance that was tried out at a block would be its balance in every later report."""
    anvil.mine()
    who, block = anvil.accounts[8], str(anvil.height)
    call = {"chain_id": 31337, "address": who, "block": block}
    with opened() as workspace:
        first = workspace.tools.call("get_native_balance", call)
    anvil.set_balance(who, 1)
    with opened() as workspace:
        kept = workspace.tools.call("get_native_balance", call)

    assert anvil.ask("eth_getBalance", who, hex(int(block))) == "0x1"
    assert kept.data.raw_amount == first.data.raw_amount == 10**22
    assert kept.envelope().provenance.from_cache is True
