"""Reads on a real node: pinned, merged, and told apart where they fail."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from toolkit.chain.facts import Fact, Failure
from toolkit.chain.limits import Limits
from toolkit.chain.reads import BalanceRead
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpTransport
from toolkit.errors import BlockAheadOfHeadError, BlockNotFoundError, ReorgedError
from toolkit.models import UINT256_MAX, BlockHash, BlockHeight, BlockTag, Unknown
from toolkit.tools import BUILT_IN, Coin, Toolset

ByHash = Callable[[], str]


@pytest.fixture
def reader(anvil):
    """A reader over the session's anvil, with nothing remembered."""
    transport = HttpTransport("local", SecretStr(f"http://127.0.0.1:{anvil.port}"))
    yield RpcReader(transport, chain_id=anvil.chain_id, development=True, now=_now)
    transport.close()


@pytest.fixture
def tools(reader):
    """The five tools over that reader."""
    return Toolset(lambda _: reader, _no_coin, BUILT_IN)


def _now() -> str:
    return datetime.now(tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _no_coin(_: int) -> Coin:
    return Coin(Unknown(code="metadata_unknown", message="A development chain names no coin."), 18)


def _balances(tools, token, holders, block="latest", chain_id=31337):
    calls = [
        (
            "get_erc20_balance",
            {"chain_id": chain_id, "holder": holder, "token": token, "block": block},
        )
        for holder in holders
    ]
    return tools.batch(calls)


def _holders(count):
    return [f"0x{0x1000 + n:040x}" for n in range(count)]


def test_a_thousand_balances_cost_two_requests_with_multicall3(
    tools, reader, uniswap_v2, multicall3
):
    """An analyst's provider counts requests; a careful batch must not cost a thousand."""
    holders = [uniswap_v2.owner, uniswap_v2.pair, *_holders(998)]

    answers = _balances(tools, uniswap_v2.token_a, holders)

    amounts = [answer.data.raw_amount for answer in answers]
    assert amounts[:2] == [10**27 - 1000 * 10**18, 1000 * 10**18]
    assert amounts[2:] == [0] * 998
    assert {answer.data.decimals for answer in answers} == {18}
    assert answers[0].facts[0].witness.transport == "multicall3"
    assert reader.traffic.requests == 2


def test_without_multicall3_the_same_answers_come_in_json_rpc_batches(tools, reader, uniswap_v2):
    """A block before Multicall3 existed must answer the same numbers, only dearer."""
    holders = [uniswap_v2.owner, *_holders(149)]

    answers = _balances(tools, uniswap_v2.token_a, holders)

    assert answers[0].data.raw_amount == 10**27 - 1000 * 10**18
    assert all(answer.ok for answer in answers)
    assert answers[0].facts[0].witness.transport == "batch"
    assert reader.traffic.requests <= 5


@pytest.mark.parametrize("aggregated", [True, False])
def test_an_eoa_is_not_a_token_and_not_a_zero(tools, anvil, request, aggregated):
    """A mistyped token address read as a balance of 0 is the classic wrong report."""
    if aggregated:
        request.getfixturevalue("multicall3")
    eoa = anvil.accounts[3]

    answers = _balances(tools, eoa, _holders(6))

    assert {answer.error.code for answer in answers} == {"not_a_contract"}
    assert all(answer.data is None for answer in answers)


def test_odd_tokens_answer_their_own_oddness_and_spoil_no_neighbour(
    tools, odd_tokens, multicall3, anvil
):
    """One broken token in a list must not cost the analyst the other nineteen."""
    owner = anvil.accounts[0]
    names = list(odd_tokens)
    calls = [
        (
            "get_erc20_balance",
            {"chain_id": 31337, "holder": owner, "token": odd_tokens[name], "block": "latest"},
        )
        for name in names
    ]

    answers = dict(zip(names, tools.batch(calls), strict=True))

    assert answers["silent"].error.code == "not_supported_by_contract"
    assert answers["decimals_77"].data.decimals == 77
    assert answers["decimals_77"].data.raw_amount == 10**77
    assert answers["decimals_huge"].data.decimals.code == "abnormal_answer"
    assert answers["decimals_huge"].data.amount is None
    assert answers["balance_only"].data.decimals.code in {
        "call_reverted",
        "not_supported_by_contract",
    }
    assert answers["balance_only"].data.raw_amount == 10**18
    assert answers["caller_dependent"].data.raw_amount == 10**18
    assert answers["whole"].data.amount == "1000000"


def test_names_arrive_as_the_bytes_that_stand_on_the_chain(tools, odd_tokens, multicall3):
    """bytes32, broken UTF-8, a hundred kilobytes and an endless loop: each is told as it is."""
    wanted = ["bytes32", "not_utf8", "long_name", "endless_name", "hostile"]
    calls = [
        ("get_token_metadata", {"chain_id": 31337, "token": odd_tokens[n], "block": "latest"})
        for n in wanted
    ]

    read = dict(zip(wanted, (answer.data for answer in tools.batch(calls)), strict=True))

    assert read["bytes32"].name.encoding == "bytes32"
    assert read["bytes32"].name.for_page() == "Ancient Oak"
    assert read["not_utf8"].name.encoding == "not_utf8"
    assert len(read["long_name"].name.raw) >= 100_000
    assert read["endless_name"].name.code == "call_reverted"
    assert read["endless_name"].decimals == 18
    assert "<img" in read["hostile"].name.for_page()


def test_a_contract_that_answers_no_metadata_is_refused_as_a_token(tools, odd_tokens):
    """A contract that reverts on every question must not become a token without a name."""
    call = {"chain_id": 31337, "token": odd_tokens["reverting"], "block": "latest"}

    answer = tools.call("get_token_metadata", call)

    assert answer.error.code == "not_supported_by_contract"


def test_two_heights_give_two_answers_and_a_hash_gives_the_same(tools, anvil, uniswap_v2):
    """A block argument that is accepted and ignored gives today's number for last year."""
    before = anvil.height
    anvil.transact(
        uniswap_v2.owner, uniswap_v2.token_a, "transfer(address,uint256)", anvil.accounts[5], 7
    )
    holder = [anvil.accounts[5]]

    old = _balances(tools, uniswap_v2.token_a, holder, str(before))[0]
    new = _balances(tools, uniswap_v2.token_a, holder, str(before + 1))[0]
    by_hash = _balances(tools, uniswap_v2.token_a, holder, new.pinned.pin.hash)[0]

    assert (old.data.raw_amount, new.data.raw_amount, by_hash.data.raw_amount) == (0, 7, 7)


def test_a_token_before_its_deployment_is_not_a_contract(tools, anvil, uniswap_v2):
    """A balance of 0 before the token existed would be an invented history."""
    answer = _balances(tools, uniswap_v2.token_a, [uniswap_v2.owner], "0")[0]

    assert answer.error.code == "not_a_contract"


def test_a_block_ahead_of_the_head_says_where_the_head_is(reader, anvil):
    """A null block read as zeros would fill a report with empty wallets."""
    with pytest.raises(BlockAheadOfHeadError, match=str(anvil.height)):
        reader.pin(BlockHeight(number=anvil.height + 1000))


def test_an_unknown_hash_is_not_found(reader):
    """A hash of another chain must not fall back to a height."""
    with pytest.raises(BlockNotFoundError):
        reader.pin(BlockHash(hash="0x" + "12" * 32))


def _replace_two_blocks(anvil):
    """Reorg with a payment on the new branch: empty blocks alone could come back the same."""
    payment = {"from": anvil.accounts[0], "to": anvil.accounts[1], "value": hex(1)}
    anvil.reorg(2, [(payment, 0)])


def test_a_reorg_between_pin_and_read_is_told_and_never_mixed(reader, anvil, uniswap_v2):
    """Two reads on two branches compared as one block are two different worlds."""
    anvil.mine(3)
    pinned = reader.pin(BlockTag(tag="latest"))
    _replace_two_blocks(anvil)
    (answer,) = reader.read(pinned.pin, [BalanceRead(anvil.accounts[0])])

    assert isinstance(answer, Failure)
    with pytest.raises(ReorgedError):
        reader.confirm(pinned)


def test_a_job_reorged_once_is_redone_as_a_whole(anvil, uniswap_v2, tools, reader, monkeypatch):
    """After a reorg the job must answer wholly on the new branch, under its new hash."""
    anvil.mine(3)
    original = reader.pin
    hashes = []

    def pin_then_reorg(block):
        pinned = original(block)
        hashes.append(pinned.pin.hash)
        if len(hashes) == 1:
            _replace_two_blocks(anvil)
        return pinned

    monkeypatch.setattr(reader, "pin", pin_then_reorg)
    answers = _balances(tools, uniswap_v2.token_a, [uniswap_v2.owner, uniswap_v2.pair])

    assert len(hashes) == 2
    assert {answer.pinned.pin.hash for answer in answers} == {hashes[1]}
    assert all(answer.ok for answer in answers)


def test_a_pruned_block_is_an_error_and_not_a_zero(pruned_anvil):
    """An analyst must never read a missing answer as an empty wallet."""
    pruned_anvil.mine(30)
    transport = HttpTransport("pruned", SecretStr(f"http://127.0.0.1:{pruned_anvil.port}"))
    reader = RpcReader(transport, chain_id=31337, development=True, now=_now)
    tools = Toolset(lambda _: reader, _no_coin, BUILT_IN)
    call = {"chain_id": 31337, "address": pruned_anvil.accounts[0], "block": "2"}

    answer = tools.call("get_native_balance", call)
    transport.close()

    assert answer.data is None
    assert answer.envelope().error.code in {"state_unavailable", "block_not_found"}


def test_by_height_endpoints_are_rechecked_after_the_reads(anvil, uniswap_v2):
    """Without hash pins only a second look at the header tells a reorg."""
    transport = HttpTransport("old", SecretStr(f"http://127.0.0.1:{anvil.port}"))
    limits = Limits(hash_pins=False)
    reader = RpcReader(transport, chain_id=31337, development=True, now=_now, limits=limits)
    tools = Toolset(lambda _: reader, _no_coin, BUILT_IN)

    answers = _balances(tools, uniswap_v2.token_a, [uniswap_v2.owner])
    transport.close()

    assert answers[0].ok
    assert reader.traffic.requests == 3  # pin, reads, header again


def test_growth_is_linear_in_requests(tools, reader, uniswap_v2, multicall3):
    """Twenty thousand reads must cost tens of requests, not thousands."""
    _balances(tools, uniswap_v2.token_a, _holders(20_000))

    assert reader.traffic.requests <= 22


def test_the_largest_integer_survives_from_node_to_envelope(tools, anvil, odd_tokens):
    """All 256 bits, from the node to the JSON."""
    answer = tools.call(
        "get_native_balance",
        {"chain_id": 31337, "address": anvil.accounts[9], "block": "latest"},
    )
    anvil.set_balance(anvil.accounts[9], UINT256_MAX)
    anvil.mine()
    largest = tools.call(
        "get_native_balance",
        {"chain_id": 31337, "address": anvil.accounts[9], "block": "latest"},
    )

    assert answer.ok
    assert largest.envelope().model_dump(mode="json")["data"]["raw_amount"] == str(UINT256_MAX)
    assert isinstance(largest.observations[0].answer, Fact)


def test_a_real_pair_is_read_in_two_rounds_after_the_pin(tools, reader, uniswap_v2, multicall3):
    """Two hundred pools 50 ms away must not wait once more for what every pair refuses."""
    arguments = {"chain_id": 31337, "pool": uniswap_v2.pair, "block": "latest"}

    (answer,) = tools.batch([("get_pool_reserves", arguments)])

    assert answer.data.raw_reserve0 + answer.data.raw_reserve1 == 3000 * 10**18
    assert reader.traffic.requests == 3
