"""Pool depth: moves, trades, states, and the reserves of real pools."""

from __future__ import annotations

import csv
import json

import pytest

from tests.unit.worlds import World, address_of
from toolkit.analysis import PoolDepth, depth_calls
from toolkit.derive import amount_out, compute
from toolkit.errors import InvalidArgumentError
from toolkit.models import parse_address

T0, T1, T2 = (address_of(n) for n in (0x70, 0x71, 0x72))
POOL, THIN, EMPTY, EOA = (address_of(n) for n in (0x90, 0x91, 0x92, 0x93))
UNIT = 10**18


@pytest.fixture
def world():
    """The pool of the published check value, a thin pool and an empty one."""
    world = World()
    world.put_token(T0, {})
    world.put_token(T1, {})
    world.put_pool(POOL, (T0, T1), (1000 * UNIT, 2000 * UNIT), gap=5)
    world.put_pool(THIN, (T0, T1), (999, 10**6))
    world.put_pool(EMPTY, (T0, T1), (0, 10**6))
    return world


def measured(world, pools, **options):
    """Measure through the real tools."""
    return PoolDepth.of(world.ask(depth_calls(1, "100", pools)), pools, **options)


def test_a_stated_fee_gives_rows_with_and_without_it(world):
    """A depth that hides whether its fee is inside cannot be compared with another."""
    without = measured(world, [POOL]).pools[0].moves
    with_fee = measured(world, [POOL], fee_ppm=3000).pools[0].moves

    assert {move.fee for move in without} == {"out"}
    assert [move.fee for move in with_fee[:2]] == ["out", "in"]
    bare, paid = (int(move.amount_in.text) for move in with_fee[:2])
    assert paid == -(-bare * 1000 // 997)
    assert with_fee[0].amount_out == with_fee[1].amount_out
    assert "includes the pool's fee" in with_fee[1].definition


def test_the_five_percent_move_is_the_published_one(world):
    """Depth must agree with the figures that the field uses."""
    move = measured(world, [POOL], moves=["5"]).pools[0].moves[0]

    assert move.amount_in.amount.startswith("25.97835")
    assert move.amount_out.amount.startswith("50.64113")


def test_a_trade_is_what_the_contract_pays(world):
    """A figure that the pair would not pay is of no use to anybody."""
    trade = measured(world, [POOL], fee_ppm=3000, trade=(10 * UNIT, T0)).pools[0].trade

    assert trade.amount_out.value == 19743160687941225977
    assert trade.impact_with_fee.text.startswith("1.2841")
    assert trade.impact_without_fee.text.startswith("0.990099")


def test_a_pool_without_a_stated_fee_has_no_impact_with_fee(world):
    """No fee is ever assumed."""
    trade = measured(world, [POOL], trade=(10 * UNIT, T1)).pools[0].trade

    assert (trade.impact_with_fee, trade.fee) == (None, "out")
    assert "fee is NOT included" in trade.as_json()["definition"]
    assert trade.token_out == T0


def test_empty_thin_and_gapped_pools_have_named_states(world):
    """An empty pool drawn as infinitely shallow hides that it is empty."""
    depth = measured(world, [POOL, THIN, EMPTY, EOA])

    assert [pool.states for pool in depth.pools] == [
        ("reserve_gap",),
        ("reserve_tiny",),
        ("reserve_zero",),
        (),
    ]
    assert depth.pools[0].gaps[0].value == 5
    assert depth.pools[2].moves == ()
    assert depth.pools[3].error.code == "not_a_contract"
    assert set(depth.frame["state"]) == {"value", "reserve_zero", "not_a_contract"}


@pytest.mark.parametrize(
    "options",
    [
        {"moves": ["0"]},
        {"moves": ["100"]},
        {"moves": ["five"]},
        {"fee_ppm": 1_000_000},
        {"fee_ppm": -1},
        {"trade": (0, T0)},
        {"trade": (1, "WETH")},
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_sentence(world, options):
    """A mistyped figure must not become a table."""
    with pytest.raises(InvalidArgumentError):
        measured(world, [POOL], **options)


def test_a_trade_in_a_foreign_token_is_named_and_not_zero(world):
    """A pool that cannot take the token must not seem to pay nothing for it."""
    pool = measured(world, [POOL], trade=(1, T2)).pools[0]

    assert pool.trade is None
    assert "trade_not_possible" in pool.states
    assert pool.as_json()["trade_refusal"] == (
        f"{T2} is not a token of this pool; it has {T0} and {T1}."
    )


def test_one_move_written_twice_is_measured_once(world):
    """Two rows for one question look like two answers."""
    pool = measured(world, [POOL], moves=["5", "5.0", "1"]).pools[0]

    assert [move.move_pct for move in pool.moves] == ["5", "5", "1", "1"]


def test_the_json_has_the_shape_that_scripts_rely_on(world):
    """A renamed key breaks somebody's pipeline in silence."""
    depth = measured(world, [POOL, EOA], fee_ppm=3000, trade=(10 * UNIT, T0))
    found = json.loads(json.dumps(depth.as_json()))
    pool, failed = found["pools"]

    assert set(found) == {"pin", "pools", "caveats"}
    assert {
        "pool",
        "kind",
        "token0",
        "token1",
        "decimals0",
        "decimals1",
        "raw_reserve0",
        "raw_reserve1",
        "raw_balance0",
        "raw_balance1",
        "fee_ppm",
        "read_ids",
        "moves",
        "trade",
        "error",
    } <= set(pool)
    assert {
        "move_pct",
        "side",
        "raw_amount_in",
        "raw_amount_out",
        "fee",
        "row_id",
        "definition",
    } <= set(pool["moves"][0])
    assert pool["raw_reserve0"] == str(1000 * UNIT)
    assert failed["raw_reserve0"] is None
    assert failed["error"]["code"] == "not_a_contract"


def test_the_reserves_of_45_real_pools_give_depth_that_can_be_recomputed(shared_data):
    """Real reserves reach from a few thousand units to 30 digits; none may break the maths."""
    table = shared_data / "mainnet-pools" / "v2_reserves_at_block_end.csv"
    with table.open(newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    world = World()
    world.put_token(T0, {}, decimals=None)
    world.put_token(T1, {}, decimals=None)
    assert len(rows) == 45

    for row in rows:
        pool = parse_address(row["pair"])
        reserves = int(row["reserve0"]), int(row["reserve1"])
        world.put_pool(pool, (T0, T1), reserves)
        raw_in = max(1, reserves[0] // 100)
        found = measured(world, [pool], fee_ppm=3000, trade=(raw_in, T0)).pools[0]

        assert len(found.moves) == 20
        assert found.trade.amount_out.value == amount_out(raw_in, *reserves, 3000)
        assert all(compute(n.formula, n.inputs) == n.value for n in found.derived)
