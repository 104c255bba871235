"""The local chain must be what the other tests believe it is."""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak

from tests.chain.calldata import calldata
from tests.chain.deployments import (
    MULTICALL3_CODE_HASH,
    PAIR_INIT_CODE_HASH,
    UniswapV2,
    uniswap_code,
)
from tests.chain.mainnet_proof import MainnetProof
from tests.chain.node import Node, NodeRefusedError


def test_the_pair_is_the_contract_that_runs_on_mainnet(uniswap_v2: UniswapV2) -> None:
    """A depth checked on a look-alike would say nothing of the real pools."""
    code = uniswap_code("v2-core", "UniswapV2Pair")

    assert keccak(code).hex() == PAIR_INIT_CODE_HASH
    assert int(uniswap_v2.pair, 16) != 0


def test_the_aggregate_is_the_contract_that_runs_on_mainnet(anvil: Node, multicall3: str) -> None:
    """An aggregate checked on a look-alike could hide how the real one fails."""
    code = bytes.fromhex(anvil.ask("eth_getCode", multicall3, "latest")[2:])

    assert keccak(code).hex() == MULTICALL3_CODE_HASH
    assert anvil.call_uint(multicall3, "getEthBalance(address)", anvil.accounts[3]) == 10**22


def test_after_a_reorg_the_same_height_has_another_hash_and_other_reserves(
    anvil: Node, uniswap_v2: UniswapV2
) -> None:
    """An analyst who pins by height alone would mix two histories."""
    swap = {
        "from": uniswap_v2.owner,
        "to": uniswap_v2.token_a,
        "data": calldata("transfer(address,uint256)", uniswap_v2.pair, 10**18),
        "gas": hex(100_000),
    }
    anvil.send(swap)
    anvil.transact(uniswap_v2.owner, uniswap_v2.pair, "sync()")
    height = anvil.height
    old_hash, old_reserve = anvil.block()["hash"], anvil.call(uniswap_v2.pair, "getReserves()")

    anvil.reorg(2)

    assert anvil.height == height
    assert anvil.block()["hash"] != old_hash
    assert anvil.call(uniswap_v2.pair, "getReserves()") != old_reserve
    with pytest.raises(NodeRefusedError):
        anvil.ask("eth_getBalance", uniswap_v2.pair, {"blockHash": old_hash})


def test_odd_tokens_are_odd_in_the_way_their_name_says(
    anvil: Node, odd_tokens: dict[str, str]
) -> None:
    """A test on a token that is not odd after all would pass for nothing."""
    owner = anvil.accounts[0]

    assert len(anvil.call(odd_tokens["long_name"], "name()")) == 64 + 100_000
    assert anvil.call(odd_tokens["not_utf8"], "name()")[64:68] == bytes.fromhex("fffe80c1")
    assert anvil.call(odd_tokens["silent"], "balanceOf(address)", owner) == b""
    assert anvil.call_uint(odd_tokens["decimals_huge"], "decimals()") == 2**200
    assert anvil.call_uint(odd_tokens["caller_dependent"], "balanceOf(address)", owner) == 10**18
    for oddity, signature in (
        ("reverting", "symbol()"),
        ("endless_name", "name()"),
        ("balance_only", "decimals()"),
        ("mute", "decimals()"),
    ):
        with pytest.raises(NodeRefusedError):
            anvil.call(odd_tokens[oddity], signature)


def test_a_pruned_node_refuses_the_state_of_yesterday(pruned_anvil: Node) -> None:
    """Without a node that forgets, nobody would see what forgetting does to a report."""
    sender, receiver = pruned_anvil.accounts[:2]
    pruned_anvil.send({"from": sender, "to": receiver, "value": hex(10**18)})
    pruned_anvil.mine(3)

    assert int(pruned_anvil.ask("eth_getBalance", receiver, "latest"), 16) == 10_001 * 10**18
    with pytest.raises(NodeRefusedError):
        pruned_anvil.ask("eth_getBalance", receiver, "0x1")


def test_the_proven_mainnet_balances_are_there_to_be_read(mainnet_proof: MainnetProof) -> None:
    """The one acceptance test on real mainnet state must ask about real mainnet state."""
    node, height = mainnet_proof.node, hex(mainnet_proof.block_number)
    native = int(node.ask("eth_getBalance", mainnet_proof.weth, height), 16)
    balance = node.call_uint(
        mainnet_proof.weth, "balanceOf(address)", mainnet_proof.holder, block=height
    )

    assert (native, balance) == (mainnet_proof.raw_native_balance, mainnet_proof.raw_weth_balance)
