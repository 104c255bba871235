"""The packed aggregate on a real node: the same answers as alone, whatever stands beside them."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from tests.chain.anvil import running_anvil
from tests.chain.deployments import vyper_code
from tests.chain.faults import faults_before, node_at
from toolkit.chain.endpoint import probe
from toolkit.chain.facts import Fact, Failure, NoCode, Reverted, Value
from toolkit.chain.limits import LearnedLimits, Limits
from toolkit.chain.packed import PACKED
from toolkit.chain.reads import BalanceRead, CallRead
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpTransport
from toolkit.models import BlockHeight, BlockTag, checksummed, keccak
from toolkit.workspace.endpoints import limits_of

LATEST = BlockTag(tag="latest")
WITH_OVERRIDES = Limits(overrides=True, parent_hash=True)


@pytest.fixture
def open_reader():
    """Opens readers over a port, and closes their connections."""
    transports = []

    def open_(port, *, chain_id=31337, limits=WITH_OVERRIDES):
        transport = HttpTransport("local", SecretStr(f"http://127.0.0.1:{port}"))
        transports.append(transport)
        return RpcReader(
            transport, chain_id=chain_id, development=True, now=lambda: "now", limits=limits
        )

    yield open_
    for transport in transports:
        transport.close()


def _call(target, signature, *words):
    data = keccak(signature.encode())[:4] + b"".join(word.to_bytes(32, "big") for word in words)
    return CallRead(checksummed(target), data, function=signature)


def _balance(token, holder):
    return _call(token, "balanceOf(address)", int(holder, 16))


def _outcomes(answers):
    return [one.outcome if isinstance(one, Fact) else one.error.code for one in answers]


def _answers(reader, reads, block=LATEST):
    return reader.read(reader.pin(block).pin, reads)


def test_mixed_reads_answer_as_they_do_alone(open_reader, anvil, odd_tokens, uniswap_v2):
    """A number must not depend on how it travelled, nor on which odd token stands beside it."""
    owner, eoa = anvil.accounts[0], checksummed("0x" + "e0" * 20)
    reads = [BalanceRead(checksummed(who)) for who in (*anvil.accounts[:3], eoa)]
    for token in (*odd_tokens.values(), eoa, uniswap_v2.pair):
        reads += [_balance(token, owner), _balance(token, eoa), _call(token, "decimals()")]
        reads += [_call(token, name) for name in ("name()", "symbol()", "totalSupply()")]
        reads += [_call(token, "getReserves()"), _call(token, "slot0()")]
    packed, alone = open_reader(anvil.port), open_reader(anvil.port, limits=Limits(batch=1))

    together = _answers(packed, reads)

    assert _outcomes(together) == _outcomes(_answers(alone, reads))
    kinds = {type(outcome) for outcome in _outcomes(together)}
    assert kinds >= {Value, Reverted, NoCode}
    assert {one.witness.transport for one in together if isinstance(one, Fact)} >= {"override"}


def test_a_thousand_balances_are_two_small_requests(open_reader, anvil, uniswap_v2):
    """Where overrides run, a page costs a tenth of the bytes and nothing has to be deployed."""
    with faults_before(node_at(anvil.port)) as proxy:
        reader = open_reader(proxy.port)
        holders = [uniswap_v2.owner, *(f"0x{0x1000 + n:040x}" for n in range(999))]

        answers = _answers(reader, [_balance(uniswap_v2.token_a, holder) for holder in holders])

        assert answers[0].outcome == Value((10**27 - 1000 * 10**18).to_bytes(32, "big"))
        assert {one.outcome for one in answers[1:]} == {Value(bytes(32))}
        assert proxy.requests == 2
        assert proxy.bytes_in < 50_000


def test_one_contract_cannot_change_what_its_neighbour_answers(open_reader, anvil, uniswap_v2):
    """A hostile token that moves tokens when asked would raise a holder's balance in a report."""
    owner, holder = uniswap_v2.owner, anvil.accounts[5]
    meddler = anvil.deploy(owner, vyper_code("Meddler"), "(address)", uniswap_v2.token_a)
    anvil.transact(owner, uniswap_v2.token_a, "transfer(address,uint256)", meddler, 1000)
    reads = [_balance(meddler, holder), *(_balance(uniswap_v2.token_a, holder) for _ in range(1))]
    reads += [BalanceRead(checksummed(one)) for one in anvil.accounts[:6]]

    asked, held, *_ = _answers(open_reader(anvil.port), reads)

    assert held.outcome == Value(bytes(32))
    assert asked.outcome == Value((1).to_bytes(32, "big"))  # Alone it answers, as eth_call does.
    assert asked.witness.transport != "override"


def test_a_gas_hog_costs_its_neighbours_nothing(open_reader, anvil):
    """A contract that survives its starved inner call would answer 0 where it holds 42."""
    hogs = [checksummed(f"0x{0xB0 + n:02x}" + "b0" * 19) for n in range(9)]
    inner, token = (checksummed("0x" + pair * 20) for pair in ("1c", "7a"))
    for hog in hogs:
        anvil.set_code(hog, bytes.fromhex("5b5f56"))
    anvil.set_code(inner, bytes.fromhex("6180005b6001900380600357602a5f5260205ff3"))
    guarded = f"60205f5f5f5f73{inner[2:].lower()}5af15060205ff3"
    anvil.set_code(token, bytes.fromhex(guarded))
    anvil.mine()
    reads = [CallRead(one, b"\1\2\3\4") for one in (*hogs, token)]

    *burnt, survivor = _answers(open_reader(anvil.port), reads)

    assert survivor.outcome == Value((42).to_bytes(32, "big"))
    assert all(isinstance(one, Failure) for one in burnt)


def test_a_node_that_ignores_the_override_is_asked_in_another_way(open_reader, anvil, uniswap_v2):
    """An endpoint behind a balancer may lose the third parameter: never a wrong number."""

    def without_third(request):
        calls = request if isinstance(request, list) else [request]
        for call in calls:
            call["params"] = call["params"][:2]
        return node_at(anvil.port)(request)

    reads = [_balance(uniswap_v2.token_a, who) for who in anvil.accounts[:8]]
    with faults_before(without_third) as proxy:
        answers = _answers(open_reader(proxy.port), reads)

    assert _outcomes(answers) == _outcomes(_answers(open_reader(anvil.port), reads))
    assert all(one.witness.transport == "batch" for one in answers)


def test_a_node_that_refuses_overrides_is_not_asked_so_again(open_reader, anvil, multicall3):
    """A refusal that is forgotten would cost every later job a request."""

    def refusing(request):
        answers = node_at(anvil.port)(request)
        many = request if isinstance(request, list) else [request]
        refused = {call["id"] for call in many if len(call["params"]) > 2}
        error = {"code": -32602, "message": "too many arguments, want at most 2"}
        together = answers if isinstance(answers, list) else [answers]
        changed = [
            {"jsonrpc": "2.0", "id": one["id"], "error": error} if one["id"] in refused else one
            for one in together
        ]
        return changed if isinstance(request, list) else changed[0]

    heard = []
    learned = LearnedLimits(WITH_OVERRIDES, heard.append)
    reads = [BalanceRead(checksummed(who)) for who in anvil.accounts[:8]]
    with faults_before(refusing) as proxy:
        reader = open_reader(proxy.port, limits=learned)
        first = _answers(reader, reads)
        before = proxy.requests
        _answers(reader, reads)

        assert proxy.requests - before == 2
    assert all(one.witness.transport == "multicall3" for one in first)
    assert [limits.overrides for limits in heard] == [False]


def test_a_block_before_the_opcodes_of_the_code_is_read_one_by_one(open_reader, tmp_path):
    """Injected code that does not suit the fork must not turn into reverts or zeros."""
    with running_anvil(tmp_path, "--hardfork", "homestead") as node:
        token = checksummed("0x" + "70" * 20)
        node.set_code(token, bytes.fromhex("602a60005260206000f3"))
        node.mine()
        reads = [CallRead(token, bytes([n, 2, 3, 4])) for n in range(6)]

        answers = _answers(open_reader(node.port), reads)

    assert {one.outcome for one in answers} == {Value((42).to_bytes(32, "big"))}


@pytest.mark.parametrize("told", ["time", "parent"])
def test_an_answer_of_another_block_is_an_error(open_reader, anvil, told):
    """A node that answers an old block from its head gives today's number for then."""
    anvil.mine(5)
    old = BlockHeight(number=anvil.height - 3)

    def lie(exchange):
        many = exchange.response if isinstance(exchange.response, list) else [exchange.response]
        for one in many:
            if isinstance(one.get("result"), str) and len(one["result"]) > 320:
                words = bytearray.fromhex(one["result"][2:])
                words[31 if told == "time" else 95] ^= 1
                one["result"] = "0x" + words.hex()

    reads = [BalanceRead(checksummed(who)) for who in anvil.accounts[:8]]
    with faults_before(node_at(anvil.port)) as proxy:
        proxy.always = lie

        answers = _answers(open_reader(proxy.port), reads, old)

    assert {one.error.code for one in answers} == {"endpoint_misbehaved"}


def test_a_rollup_that_tells_another_parent_is_read_all_the_same(open_reader, anvil):
    """Some rollups answer BLOCKHASH in their own way; their numbers are right nevertheless."""

    def another_parent(exchange):
        many = exchange.response if isinstance(exchange.response, list) else [exchange.response]
        for one in many:
            if isinstance(one.get("result"), str) and len(one["result"]) >= 130:
                at = 2 + 2 * (32 if len(one["result"]) == 130 else 64)
                one["result"] = one["result"][:at] + "ab" * 32 + one["result"][at + 64 :]

    with faults_before(node_at(anvil.port)) as proxy:
        proxy.always = another_parent
        transport = HttpTransport("rollup", SecretStr(proxy.url()))
        found = probe(transport, 31337, now=lambda: "now")
        transport.close()
        reads = [BalanceRead(checksummed(who)) for who in anvil.accounts[:8]]
        answers = _answers(open_reader(proxy.port, limits=limits_of(found, "rollup")), reads)

    assert found.parent_hash.supported is False
    assert all(isinstance(one, Fact) and one.witness.transport == "override" for one in answers)


def test_two_blocks_give_two_answers(open_reader, anvil):
    """An option that is accepted and ignored answers the newest block for every block."""
    who = checksummed(anvil.accounts[1])
    before = anvil.height
    anvil.mine()  # What anvil sets, it sets in the newest block.
    held = int(anvil.ask("eth_getBalance", who, "latest"), 16)
    anvil.ask("anvil_setBalance", who, hex(held + 10**18))
    anvil.mine()
    reader = open_reader(anvil.port)
    reads = [BalanceRead(who), *(BalanceRead(checksummed(f"0x{n:040x}")) for n in range(9, 17))]

    old, new = (
        int.from_bytes(_answers(reader, reads, BlockHeight(number=height))[0].outcome.data)
        for height in (before, anvil.height)
    )

    assert new - old == 10**18


def test_a_read_of_the_replaced_contract_travels_alone(open_reader, anvil, multicall3):
    """Under the override the contract at Multicall3's own address is not itself."""
    reads = [_call(multicall3, "getBlockNumber()")]
    reads += [BalanceRead(checksummed(who)) for who in anvil.accounts[:8]]

    number, *_ = _answers(open_reader(anvil.port), reads)

    assert number.outcome == Value(anvil.height.to_bytes(32, "big"))
    assert not PACKED.takes(reads[0])


def test_a_small_gas_cap_is_learned_and_nothing_is_lost(open_reader, anvil, uniswap_v2):
    """A node that silently clamps the gas of a call answers fewer reads, not other ones."""

    def clamp(request):
        for call in request if isinstance(request, list) else [request]:
            if call["method"] == "eth_call" and len(call["params"]) > 2:
                call["params"][0]["gas"] = hex(13_000_000)
        return node_at(anvil.port)(request)

    learned = LearnedLimits(WITH_OVERRIDES)
    holders = [f"0x{0x1000 + n:040x}" for n in range(1_500)]
    reads = [_balance(uniswap_v2.token_a, holder) for holder in holders]
    with faults_before(clamp) as proxy:
        answers = _answers(open_reader(proxy.port, limits=learned), reads)

    assert {one.outcome for one in answers} == {Value(bytes(32))}
    assert learned.now.gas < 13_000_000


def test_a_refused_body_is_halved_once_and_remembered(open_reader, anvil, uniswap_v2):
    """An endpoint's limit must be met once, not with every page."""

    def refuse_large(exchange):
        if len(json.dumps(exchange.request)) > 60_000:
            exchange.status, exchange.body = 413, b"<html>Request Entity Too Large</html>"

    learned = LearnedLimits(WITH_OVERRIDES)
    holders = [f"0x{0x1000 + n:040x}" for n in range(2_000)]
    reads = [_balance(uniswap_v2.token_a, holder) for holder in holders]
    with faults_before(node_at(anvil.port)) as proxy:
        proxy.always = refuse_large
        reader = open_reader(proxy.port, limits=learned)
        pin = reader.pin(LATEST).pin
        reader.read(pin, reads)
        refused_once = proxy.requests
        again = reader.read(pin, reads)

        assert {one.outcome for one in again} == {Value(bytes(32))}
        assert proxy.requests - refused_once == 3
    assert learned.now.body_bytes <= 60_000
