"""Pools told apart: reserves are given only where x*y=k makes them mean depth."""

from __future__ import annotations

import pytest

from tests.unit.worlds import World, address_of

POOL, TOKEN0, TOKEN1 = address_of(0x9001), address_of(0xA), address_of(0xB)
CALL = ("get_pool_reserves", {"chain_id": 1, "pool": POOL, "block": "100"})


@pytest.fixture
def world():
    """A pair of 1000 and 2000 with seven more of token0 than its reserve."""
    world = World()
    world.put_token(TOKEN0, {}, decimals=18)
    world.put_token(TOKEN1, {}, decimals=None)
    world.put_pool(POOL, (TOKEN0, TOKEN1), (1000, 2000), gap=7)
    return world


def test_a_pair_tells_its_reserves_and_what_it_holds_beside_them(world):
    """A donation or a rebase makes the reserve differ from the balance, and depth with it."""
    (answer,) = world.ask([CALL])

    assert (answer.data.raw_reserve0, answer.data.raw_reserve1) == (1000, 2000)
    assert (answer.data.raw_gap0, answer.data.raw_gap1) == ("7", "0")
    assert answer.data.decimals1.code == "not_supported_by_contract"
    assert answer.data.fee_ppm.code == "fee_unreadable"


def test_a_stable_curve_pair_is_refused(world):
    """Its reserves look like a constant product's and mean another depth."""
    world.put(POOL, "stable()", (1).to_bytes(32, "big"))

    (answer,) = world.ask([CALL])

    assert answer.data is None
    assert answer.error.code == "wrong_pool_kind"
    assert "stable-curve" in answer.error.message


@pytest.mark.parametrize("others", [bytes(192), b"\xff" * 192, b""], ids=["usual", "wide", "one"])
def test_a_concentrated_liquidity_pool_is_named_with_its_tool(others):
    """Two reserves invented for a pool that has none are depth that is not there."""
    world = World()
    world.put(POOL, "token0()", bytes(12) + bytes.fromhex(TOKEN0[2:]))
    world.put(POOL, "token1()", bytes(12) + bytes.fromhex(TOKEN1[2:]))
    world.put(POOL, "slot0()", (2**96).to_bytes(32, "big") + others)

    (answer,) = world.ask([CALL])

    assert answer.error.code == "wrong_pool_kind"
    assert "get_concentrated_liquidity" in answer.error.remedy


def test_an_address_without_code_is_no_pool():
    """A mistyped pool must not become an empty one."""
    (answer,) = World().ask([CALL])

    assert answer.error.code == "not_a_contract"
