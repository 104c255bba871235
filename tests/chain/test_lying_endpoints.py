"""Endpoints that lie, lag or hang, and contracts that do: an error with a name, never a number."""

from __future__ import annotations

import copy
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from tests.chain.faults import faults_before, node_at
from toolkit.chain.facts import Fact, Failure, Value
from toolkit.chain.limits import Limits
from toolkit.chain.reads import BalanceRead, CallRead, CodeRead, read_id
from toolkit.chain.retry import Backoff
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpTransport
from toolkit.chain.web3_provider import Web3Transport
from toolkit.config import EndpointSettings
from toolkit.errors import (
    ChainMismatchError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    ReorgedError,
)
from toolkit.models import BlockHash, BlockTag, Unknown, checksummed
from toolkit.store import Blocks, CachedReader, Database, Facts
from toolkit.tools import BUILT_IN, Coin, Toolset
from toolkit.workspace import open_workspace
from toolkit.workspace.endpoints import Endpoints

WHO = checksummed("0x" + "ab" * 20)
STATE_METHODS = {"eth_call": 1, "eth_getBalance": 1, "eth_getCode": 1, "eth_getStorageAt": 2}


def _now():
    return datetime.now(tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _no_coin(_):
    return Coin(Unknown(code="metadata_unknown", message="A development chain names no coin."), 18)


def _reader(port, limits=None, chain_id=31337):
    transport = HttpTransport(
        "local", SecretStr(f"http://127.0.0.1:{port}"), backoff=Backoff(first_wait=0.001)
    )
    return RpcReader(
        transport, chain_id=chain_id, development=chain_id == 31337, now=_now, limits=limits
    )


def _tools(reader):
    return Toolset(lambda _: reader, _no_coin, BUILT_IN)


def _always_latest(upstream):
    """A node without history that answers every old block from its newest, in good faith."""

    def answer(request):
        changed = copy.deepcopy(request)
        for item in changed if isinstance(changed, list) else [changed]:
            if item["method"] in STATE_METHODS:
                item["params"][STATE_METHODS[item["method"]]] = "latest"
        return upstream(changed)

    return answer


def _few_at_a_time(upstream, most):
    """A node that refuses larger batches than it says."""

    def answer(request):
        if isinstance(request, list) and len(request) > most:
            message = f"batch limit of {most} exceeded"
            return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}
        return upstream(request)

    return answer


def _replace_two_blocks(anvil):
    payment = {"from": anvil.accounts[6], "to": anvil.accounts[7], "value": hex(12345)}
    anvil.reorg(2, [(payment, 0)])


def _codes(count):
    return [CodeRead(f"0x{number:040x}") for number in range(100_000, 100_000 + count)]


def test_an_endpoint_without_real_history_is_refused(anvil, tmp_path):
    """Today's balance under last year's block is the lie that looks most like a fact."""
    anvil.mine(20)
    database = Database(tmp_path / "store")
    with faults_before(_always_latest(node_at(anvil.port))) as proxy:
        settings = EndpointSettings(id="bad", chain_id=31337, url=SecretStr(proxy.url()))
        endpoints = Endpoints(database, clock=lambda: 1_767_571_200.0)

        with pytest.raises(EndpointMisbehavedError, match="from another block"):
            endpoints.limits(settings)
        endpoints.close()
    database.close()


def test_a_web3_provider_without_real_history_is_refused(anvil, tmp_path):
    """A provider that the analyst already trusts is looked at like any other."""
    web3 = pytest.importorskip("web3")
    anvil.mine(20)
    with faults_before(_always_latest(node_at(anvil.port))) as proxy:
        provider = Web3Transport(web3.Web3(web3.Web3.HTTPProvider(proxy.url())))
        with open_workspace({}, tmp_path, store=tmp_path / "s", transports={31337: provider}) as w:
            call = {"chain_id": 31337, "address": WHO, "block": "5"}
            answer = w.tools.call("get_native_balance", call)

    assert answer.error.code == "endpoint_misbehaved"


def test_an_aggregate_of_another_block_is_refused(anvil, multicall3):
    """An aggregate that does not tell the pinned block's time was run somewhere else."""
    anvil.mine(5)
    old = str(anvil.height)
    anvil.mine(5)
    with faults_before(_always_latest(node_at(anvil.port))) as proxy:
        reader = _reader(proxy.port)
        calls = [
            ("get_native_balance", {"chain_id": 31337, "address": a, "block": old})
            for a in anvil.accounts[:6]
        ]
        answers = _tools(reader).batch(calls)

    assert {answer.error.code for answer in answers} == {"endpoint_misbehaved"}


def test_reads_name_the_block_by_hash_and_only_while_it_is_canonical(anvil):
    """By height a node answers from whatever stands there now."""
    anvil.mine(2)
    with faults_before(node_at(anvil.port)) as proxy:
        reader = _reader(proxy.port)
        pin = reader.pin(BlockTag(tag="latest")).pin
        reader.read(pin, [BalanceRead(WHO)])
        (sent,) = [item for item in proxy.bodies[-1] if item["method"] == "eth_getBalance"]

    assert sent["params"][1] == {"blockHash": pin.hash, "requireCanonical": True}


def test_a_hash_that_is_no_longer_canonical_is_told(anvil):
    """A report pinned to an orphaned block is a report of a chain that never was."""
    anvil.mine(3)
    gone = anvil.block("latest")
    _replace_two_blocks(anvil)

    def still_knows_it(request):
        upstream = node_at(anvil.port)(request)
        for asked, told in zip(
            request if isinstance(request, list) else [request],
            upstream if isinstance(upstream, list) else [upstream],
            strict=True,
        ):
            if asked["method"] == "eth_getBlockByHash":
                told.pop("error", None)
                told["result"] = gone
        return upstream

    with faults_before(still_knows_it) as proxy, pytest.raises(ReorgedError, match="canonical"):
        _reader(proxy.port).pin(BlockHash(hash=gone["hash"]))


def test_by_height_nothing_is_kept_before_its_block_was_confirmed(anvil, tmp_path):
    """One reorg between pin and read would file another branch's balance for ever."""
    anvil.mine(3)
    database = Database(tmp_path / "store")
    facts = Facts(database, 31337)
    reader = CachedReader(
        _reader(anvil.port, Limits(hash_pins=False)), facts, Blocks(database, 31337)
    )
    read = BalanceRead(anvil.accounts[7])
    gone = reader.pin(BlockTag(tag="latest"))
    _replace_two_blocks(anvil)
    reader.read(gone.pin, [read])
    with pytest.raises(ReorgedError):
        reader.confirm(gone)
    standing = reader.pin(BlockTag(tag="latest"))
    reader.read(standing.pin, [read])
    reader.confirm(standing)

    assert facts.look_up(gone.pin, [read_id(gone.pin, read)]) == {}
    assert len(facts.look_up(standing.pin, [read_id(standing.pin, read)])) == 1
    database.close()


def test_two_jobs_at_one_block_are_both_told_that_it_is_gone(anvil):
    """The second page must not be confirmed because the first one took the bad news away."""
    anvil.mine(3)
    reader = _reader(anvil.port)
    pinned = reader.pin(BlockTag(tag="latest"))
    reader.read(pinned.pin, [BalanceRead(anvil.accounts[7])])
    _replace_two_blocks(anvil)
    reader.read(pinned.pin, [BalanceRead(anvil.accounts[6])])

    for _ in range(2):
        with pytest.raises(ReorgedError):
            reader.confirm(pinned)


def test_the_calls_that_ride_along_count_against_the_batch_limit(anvil):
    """One item over a node's limit would fail every third read of an honest endpoint."""
    anvil.mine(2)
    with faults_before(_few_at_a_time(node_at(anvil.port), 20)) as proxy:
        reader = _reader(proxy.port, Limits(batch=20))
        pin = reader.pin(BlockTag(tag="latest")).pin
        answers = reader.read(pin, _codes(60))
        sizes = [len(body) if isinstance(body, list) else 1 for body in proxy.bodies]

    assert all(isinstance(answer, Fact) for answer in answers)
    assert max(sizes) <= 20


def test_no_read_counts_before_the_chain_was_checked(anvil):
    """A refused first request must not smuggle another chain's facts into this one's store."""
    pin = _reader(anvil.port).pin(BlockTag(tag="latest")).pin
    with faults_before(_few_at_a_time(node_at(anvil.port), 5)) as proxy:
        reader = _reader(proxy.port, Limits(batch=20), chain_id=1)
        answers = reader.read(pin, _codes(40))

    assert all(isinstance(answer, Failure) for answer in answers)
    assert {type(answer.error) for answer in answers} == {ChainMismatchError}


def test_one_block_ahead_of_the_head_costs_one_request_for_any_number_of_calls(anvil):
    """A mistyped block in a list of two hundred must not hammer the endpoint."""
    with faults_before(node_at(anvil.port)) as proxy:
        calls = [
            ("get_native_balance", {"chain_id": 31337, "address": r.address, "block": "999999"})
            for r in _codes(200)
        ]
        answers = _tools(_reader(proxy.port)).batch(calls)
        asked = proxy.requests

    assert {answer.error.code for answer in answers} == {"block_ahead_of_head"}
    assert asked == 1


def test_a_hanging_endpoint_is_given_up_after_two_timeouts(anvil):
    """A thousand reads halved down to one, thirty seconds each, would hang for days."""

    class Hanging:
        endpoint_id = "hanging"
        source = "rpc"
        requests = 0

        def send(self, _calls):
            self.requests += 1
            raise EndpointTimeoutError("It did not answer.")

    pin = _reader(anvil.port).pin(BlockTag(tag="latest")).pin
    for limits in (Limits(), Limits(batch=10)):
        hanging = Hanging()
        reader = RpcReader(hanging, chain_id=31337, development=True, now=_now, limits=limits)
        answers = reader.read(pin, [BalanceRead(read.address) for read in _codes(1000)])

        assert {answer.error.code for answer in answers} == {"timeout"}
        assert hanging.requests <= 4


@pytest.mark.parametrize("number", range(1, 11))
def test_a_precompile_is_not_a_token(anvil, number):
    """SHA-256 of the calldata is not a balance, whatever its length."""
    call = {"chain_id": 31337, "holder": WHO, "token": f"0x{number:040x}", "block": "latest"}

    answer = _tools(_reader(anvil.port)).call("get_erc20_balance", call)

    assert answer.error.code == "not_a_contract"


def test_a_gas_hog_does_not_change_its_neighbours_number(anvil, multicall3):
    """A contract that survives its starved inner call answers 0 where it holds 42."""
    hog, inner, token = (checksummed("0x" + pair * 20) for pair in ("b0", "1c", "7a"))
    burn_a_million_gas_then_return_42 = "6180005b60019003806003" + "57602a5f5260205ff3"
    anvil.set_code(hog, bytes.fromhex("5b5f56"))
    anvil.set_code(inner, bytes.fromhex(burn_a_million_gas_then_return_42))
    anvil.set_code(token, bytes.fromhex("60205f5f5f73" + inner[2:] + "5afa5060205ff3"))
    anvil.mine()
    reader = _reader(anvil.port)
    pin = reader.pin(BlockTag(tag="latest")).pin
    calls = [CallRead(address, b"\1\2\3\4") for address in (hog, token)]
    others = [BalanceRead(read.address) for read in _codes(4)]

    alone = reader.read(pin, [calls[1]])[0]
    beside = reader.read(pin, [*calls, *others])

    assert alone.outcome == Value((42).to_bytes(32, "big"))
    assert beside[1].outcome == alone.outcome
    assert isinstance(beside[0], Failure)


def test_an_endpoint_that_fails_on_decimals_is_an_error_and_not_unknown_decimals(anvil, odd_tokens):
    """A network fault filed as a property of the token would stay with it."""
    upstream = node_at(anvil.port)

    def without_decimals(request):
        items = request if isinstance(request, list) else [request]
        answers = upstream(request)
        for asked, told in zip(
            items, answers if isinstance(answers, list) else [answers], strict=True
        ):
            if asked["method"] == "eth_call" and asked["params"][0]["data"] == "0x313ce567":
                told.pop("result", None)
                told["error"] = {"code": -32000, "message": "missing trie node"}
        return answers

    with faults_before(without_decimals) as proxy:
        call = {
            "chain_id": 31337,
            "holder": anvil.accounts[0],
            "token": odd_tokens["whole"],
            "block": "latest",
        }
        answer = _tools(_reader(proxy.port)).call("get_erc20_balance", call)

    assert answer.data is None
    assert answer.error.code == "state_unavailable"


def test_a_store_that_was_busy_once_is_not_mentioned_for_ever(anvil, tmp_path):
    """A note that never leaves makes every later answer look second-hand."""
    database = Database(tmp_path / "store")
    reader = CachedReader(_reader(anvil.port), Facts(database, 31337), Blocks(database, 31337))
    call = {"chain_id": 31337, "address": anvil.accounts[1], "block": "latest"}
    (tmp_path / "store").write_text("a file where the folder belongs")
    busy = _tools(reader).call("get_native_balance", call)
    (tmp_path / "store").unlink()
    _tools(reader).call("get_native_balance", call)
    free = _tools(reader).call("get_native_balance", call)
    database.close()

    assert "passed by" in busy.envelope().provenance.store_note
    assert free.envelope().provenance.store_note is None
    assert free.envelope().provenance.from_cache is True


def test_nothing_of_an_unconfirmed_job_stands(anvil, odd_tokens):
    """A refusal read at a block that may be gone is as unproven as a number read there."""
    upstream = node_at(anvil.port)

    def no_second_header(request):
        if isinstance(request, dict) and request["method"] == "eth_getBlockByNumber":
            error = {"code": -32000, "message": "weird"}
            return {"jsonrpc": "2.0", "id": request["id"], "error": error}
        return upstream(request)

    token = {"chain_id": 31337, "token": odd_tokens["reverting"]}
    with faults_before(no_second_header) as proxy:
        answers = _tools(_reader(proxy.port, Limits(hash_pins=False))).batch(
            [
                ("get_native_balance", {"chain_id": 31337, "address": WHO, "block": "latest"}),
                ("get_token_metadata", {**token, "block": "latest"}),
                ("get_token_metadata", {**token, "block": "999999"}),
            ]
        )

    assert [answer.error.code for answer in answers] == [
        "endpoint_misbehaved",
        "endpoint_misbehaved",
        "block_ahead_of_head",
    ]
    assert not any(answer.observations for answer in answers)
