"""Blocks that are not what was asked for: ignored, unnamed, not there, or answered with nothing."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from tests.chain import faults
from tests.chain.anvil import NoAnvilError, running_anvil
from tests.chain.faults import Upstream, faults_before, node_at
from toolkit.chain.facts import Fact, Failure, Value
from toolkit.chain.limits import Limits
from toolkit.chain.reads import BalanceRead, CallRead, CodeRead
from toolkit.chain.retry import Backoff
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpTransport
from toolkit.errors import EndpointMisbehavedError, ReorgedError, StateUnavailableError
from toolkit.models import BlockHeight, BlockTag, Unknown, checksummed
from toolkit.store import Blocks, CachedReader, Database, Facts
from toolkit.tools import BUILT_IN, Coin, Toolset
from toolkit.workspace import Workspace, open_workspace

LATEST = BlockTag(tag="latest")
PLACE = {"eth_call": 1, "eth_getBalance": 1, "eth_getCode": 1, "eth_getTransactionCount": 1,
         "eth_getStorageAt": 2}  # fmt: skip
QUANTITY = re.compile(r"0x(0|[1-9a-f][0-9a-f]*)")


@pytest.fixture
def open_reader() -> Iterator[Callable[..., RpcReader]]:
    """Opens readers over a port that do not wait, and closes their connections."""
    with contextlib.ExitStack() as stack:

        def open_(port: int, limits: Limits | None = None) -> RpcReader:
            transport = HttpTransport(
                "local",
                SecretStr(f"http://127.0.0.1:{port}"),
                backoff=Backoff(sleep=lambda _: None),
            )
            stack.callback(transport.close)
            return RpcReader(
                transport, chain_id=31337, development=True, now=lambda: "now", limits=limits
            )

        yield open_


@pytest.fixture
def opened(tmp_path) -> Callable[..., contextlib.AbstractContextManager[Workspace]]:
    """Opens a workspace over a port, as a new process would, on one store."""

    def open_(port: int, chain_id: int = 31337) -> Workspace:
        environ = {f"TOOLKIT_RPC_{chain_id}": f"http://127.0.0.1:{port}"}
        return open_workspace(environ, tmp_path, store=tmp_path / "store")

    return open_


def _tools(reader: RpcReader) -> Toolset:
    no_coin = Coin(Unknown(code="metadata_unknown", message="It names no coin."), 18)
    return Toolset(lambda _: reader, lambda _: no_coin, BUILT_IN)


def _changing(upstream: Upstream, change: Callable[[dict[str, Any]], Any]) -> Upstream:
    """A node of whose answers `change` may replace any result; None leaves it as it is."""

    def answer(request: Any) -> Any:
        items = request if isinstance(request, list) else [request]
        told = upstream(request)
        for asked, one in zip(items, told if isinstance(told, list) else [told], strict=True):
            result = change(asked)
            if result is not None:
                one.pop("error", None)
                one["result"] = result
        return told

    return answer


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _leaves(one)
    else:
        yield value


def _balances(anvil, block: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("get_native_balance", {"chain_id": 31337, "address": who, "block": block})
        for who in anvil.accounts[:6]
    ]


@pytest.mark.parametrize("by_hash", [True, False])
def test_every_question_names_its_block_and_writes_numbers_as_hex(
    open_reader, anvil, uniswap_v2, by_hash
):
    """A node that is sent no block, or one it cannot read, answers from its newest."""
    block = str(anvil.height)
    anvil.mine(3)
    calls = _balances(anvil, block)
    token = {"chain_id": 31337, "token": uniswap_v2.token_a, "block": block}
    listed = {"chain_id": 31337, "address": uniswap_v2.owner, "from_block": "1",
              "to_block": block, "limit": 9}  # fmt: skip
    calls += [("get_token_metadata", token), ("list_recent_transfers", listed)]
    with faults_before(node_at(anvil.port)) as proxy:
        reader = open_reader(proxy.port, Limits(hash_pins=by_hash, batch=100 if by_hash else 1))
        answers = _tools(reader).batch(calls)
        pin = answers[0].pinned.pin
        sent = [
            one for body in proxy.bodies for one in (body if isinstance(body, list) else [body])
        ]

    assert all(answer.ok for answer in answers)
    named = {"blockHash": pin.hash, "requireCanonical": True} if by_hash else hex(pin.number)
    state = [one for one in sent if one["method"] in PLACE]
    assert {one["method"] for one in state} >= {"eth_call", "eth_getStorageAt", "eth_getBalance"}
    assert all(one["params"][PLACE[one["method"]]] == named for one in state)
    for one in sent:
        assert all(isinstance(leaf, str | bool | None) for leaf in _leaves(one["params"]))
        numbers = [leaf for leaf in _leaves(one["params"]) if str(leaf)[:2] == "0x"]
        short = [text for text in numbers if 2 < len(text) < 20 and text not in ("0x06fdde03",)]
        if one["method"] == "eth_getLogs":
            assert int(one["params"][0]["toBlock"], 16) <= pin.number
        if one["method"] != "eth_call":
            assert all(QUANTITY.fullmatch(text) for text in short)
        else:
            assert QUANTITY.fullmatch(one["params"][0]["gas"])


def test_block_zero_is_the_first_block_and_not_the_newest(open_reader, anvil):
    """Zero that counts as "not given" reads today's balance for the first day."""
    who = anvil.accounts[6]
    at_first = int(anvil.ask("eth_getBalance", who, "0x0"), 16)
    anvil.send({"from": anvil.accounts[0], "to": who, "value": hex(77)})
    question = {"chain_id": 31337, "address": who}
    first, now = _tools(open_reader(anvil.port)).batch(
        [("get_native_balance", {**question, "block": name}) for name in ("0", "latest")]
    )

    assert first.pinned.pin.number == 0
    assert (first.data.raw_amount, now.data.raw_amount) == (at_first, at_first + 77)


def test_a_node_that_answers_old_state_with_nothing_is_refused(opened, anvil):
    """Pruned state told as empty makes a rich wallet of last year a wallet that never was."""
    anvil.mine(20)
    kept_from = anvil.height - 5

    def pruned(asked: dict[str, Any]) -> str | None:
        block = asked["params"][PLACE[asked["method"]]] if asked["method"] in PLACE else "latest"
        old = isinstance(block, str) and block[:2] == "0x" and int(block, 16) < kept_from
        return "0x" if old else None

    with (
        faults_before(_changing(node_at(anvil.port), pruned)) as proxy,
        opened(proxy.port) as workspace,
    ):
        answers = workspace.tools.batch(_balances(anvil, "3"))

    assert {answer.error.code for answer in answers} == {"endpoint_misbehaved"}
    assert "from another block" in answers[0].error.message


def test_a_node_that_answers_nothing_at_a_block_hash_is_asked_by_height(opened, anvil, uniswap_v2):
    """Read as "no code here", that silence denies a token that is there."""

    def silent(asked: dict[str, Any]) -> str | None:
        if asked["method"] not in ("eth_call", "eth_getCode"):
            return None
        return "0x" if isinstance(asked["params"][1], dict) else None

    question = {"chain_id": 31337, "holder": uniswap_v2.owner, "token": uniswap_v2.token_a}
    with (
        faults_before(_changing(node_at(anvil.port), silent)) as proxy,
        opened(proxy.port) as workspace,
    ):
        answer = workspace.tools.call("get_erc20_balance", {**question, "block": "latest"})

    assert answer.error is None
    assert answer.data.raw_amount == 10**27 - 1000 * 10**18


def test_an_empty_answer_without_proof_of_the_code_is_no_answer_and_is_not_kept(
    open_reader, anvil, uniswap_v2, tmp_path
):
    """Kept once, an outage's empty answer says "no such token" for ever."""
    upstream = node_at(anvil.port)

    def empty(request: Any) -> Any:
        told = _changing(upstream, lambda one: "0x" if one["method"] == "eth_call" else None)(
            request
        )
        asked = {one["id"] for one in (request if isinstance(request, list) else [request])
                 if one["method"] == "eth_getCode"}  # fmt: skip
        error = {"code": -32000, "message": "upstream is busy"}
        many = told if isinstance(told, list) else [told]
        spoilt = [
            {"jsonrpc": "2.0", "id": one["id"], "error": error} if one["id"] in asked else one
            for one in many
        ]
        return spoilt if isinstance(told, list) else spoilt[0]

    database = Database(tmp_path / "store")
    holder = int(uniswap_v2.owner, 16).to_bytes(32, "big")
    read = CallRead(checksummed(uniswap_v2.token_a), bytes.fromhex("70a08231") + holder)

    def asked_of(port: int) -> Any:
        reader = CachedReader(open_reader(port), Facts(database, 31337), Blocks(database, 31337))
        return reader.read(reader.pin(LATEST).pin, [read])[0]

    with faults_before(empty) as proxy:
        during = asked_of(proxy.port)
    after = asked_of(anvil.port)
    database.close()

    assert isinstance(during, Failure)
    assert isinstance(after, Fact)
    assert (after.outcome, after.from_cache) == (
        Value((10**27 - 1000 * 10**18).to_bytes(32, "big")),
        False,
    )


def test_a_block_that_the_node_lost_gives_no_zeros(open_reader, anvil, tmp_path):
    """A node that has not fetched the block yet answers 0 for every balance in it."""
    anvil.mine(2)
    lost = False

    def losing(asked: dict[str, Any]) -> str | None:
        return "0x0" if lost and asked["method"] == "eth_getBalance" else None

    upstream = _changing(node_at(anvil.port), losing)

    def without_header(request: Any) -> Any:
        told = copy.deepcopy(upstream(request))
        for one in (told if isinstance(told, list) else [told]) if lost else ():
            one["result"] = None if isinstance(one.get("result"), dict) else one.get("result")
        return told

    database = Database(tmp_path / "store")
    facts = Facts(database, 31337)
    read = BalanceRead(checksummed(anvil.accounts[0]))
    with faults_before(without_header) as proxy:
        rpc = open_reader(proxy.port, Limits(hash_pins=False))
        reader = CachedReader(rpc, facts, Blocks(database, 31337))
        pinned = reader.pin(LATEST)
        lost = True
        answers = _tools(reader).batch(_balances(anvil, str(pinned.pin.number)))
        reader.read(pinned.pin, [read])
        with pytest.raises(ReorgedError):
            reader.confirm(pinned)
        lost = False
        kept = CachedReader(open_reader(proxy.port), facts, Blocks(database, 31337))
        (again,) = kept.read(pinned.pin, [read])
    database.close()

    assert all(answer.data is None and answer.error is not None for answer in answers)
    held = int(anvil.ask("eth_getBalance", read.address, "latest"), 16)
    assert again.outcome == Value(held.to_bytes(32, "big"))
    assert again.from_cache is False


def test_state_that_is_gone_is_asked_for_once(open_reader, anvil):
    """A retry brings no state back; it only spends the key."""
    with faults_before(node_at(anvil.port)) as proxy:
        reader = open_reader(proxy.port)
        pin = reader.pin(LATEST).pin
        before = proxy.requests
        proxy.always = faults.refuse_each("missing trie node 1f (path ) state is not available")
        answers = reader.read(pin, [CodeRead(checksummed(who)) for who in anvil.accounts[:8]])

        assert proxy.requests - before == 1
    assert {type(answer.error) for answer in answers} == {StateUnavailableError}
    assert "archive" in str(answers[0].error)


def test_a_header_is_not_refused_for_what_no_reader_needs(open_reader, anvil):
    """Chains of a consortium put signatures into extraData; their blocks are blocks."""
    with faults_before(node_at(anvil.port)) as proxy:
        proxy.always = faults.change_headers(
            extraData=lambda _: "0x" + "ab" * 97,
            gasLimit=lambda _: hex(2**60),
            miner=lambda _: None,
            logsBloom=lambda _: "0x",
        )
        pinned = open_reader(proxy.port).pin(LATEST)

    assert pinned.pin.hash == anvil.block("latest")["hash"]


def test_a_time_in_nanoseconds_is_an_error_that_says_so(open_reader, anvil):
    """Read as seconds, it dates a block of today millions of years ahead."""
    with faults_before(node_at(anvil.port)) as proxy:
        proxy.always = faults.change_headers(timestamp=lambda told: hex(int(told, 16) * 10**9))

        with pytest.raises(EndpointMisbehavedError, match="not in seconds"):
            open_reader(proxy.port).pin(LATEST)


def test_heights_and_chain_ids_beyond_32_bits_are_read_and_kept(opened, tmp_path):
    """A counter that is too narrow overflows on the chain that nobody tested."""
    chain_id = 3_503_995_874_084_926
    try:
        with (
            running_anvil(tmp_path, "--number", str(2**33), chain_id=chain_id) as node,
            opened(node.port, chain_id) as workspace,
        ):
            node.mine(2)
            who = node.accounts[0]
            question = {"chain_id": chain_id, "address": who, "block": str(2**33 + 1)}
            answer = workspace.tools.call("get_native_balance", question)
            again = workspace.tools.call("get_native_balance", question)
    except NoAnvilError as error:
        pytest.skip(str(error))

    assert (answer.data.raw_amount, again.data.raw_amount) == (10**22, 10**22)
    assert answer.pinned.pin.number == 2**33 + 1
    assert again.envelope().provenance.from_cache is True


@pytest.mark.parametrize("count", [99, 100, 101, 199, 200, 201])
def test_the_last_read_of_a_batch_is_not_lost(open_reader, anvil, count):
    """One more than a full batch is where a peer drops a balance without a word."""
    reads = [CodeRead(f"0x{number:040x}") for number in range(100_000, 100_000 + count)]
    reader = open_reader(anvil.port, Limits(batch=100))
    answers = reader.read(reader.pin(BlockHeight(number=anvil.height)).pin, reads)

    assert [answer.read for answer in answers if isinstance(answer, Fact)] == reads
