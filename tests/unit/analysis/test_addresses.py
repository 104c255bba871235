"""Addresses compared at one block: amounts, reasons, and what follows from them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.worlds import REVERTED, World, address_of
from toolkit.analysis import Comparison, change, comparison_calls
from toolkit.errors import InvalidArgumentError, MixedPinsError
from toolkit.models import UINT256_MAX, Unknown, unscale

ANN, BOB, CAT = (address_of(n) for n in (0xA11, 0xB0B, 0xCA7))
TOKEN, OTHER, EOA = (address_of(n) for n in (0x70, 0x71, 0x72))


def compared(world, addresses, tokens, *, native=True, block="100"):
    """Compare through the real tools."""
    calls = comparison_calls(world.chain_id, block, addresses, tokens, native=native)
    return Comparison.of(world.ask(calls), addresses, tokens, native=native)


@pytest.fixture
def world():
    """Two holders of a coin and a token; an address without code in a token's place."""
    world = World(coins={ANN: 3, BOB: 10**18})
    world.put_token(TOKEN, {ANN: UINT256_MAX, BOB: 1}, holders=[CAT], supply=UINT256_MAX)
    return world


def test_a_failed_cell_is_neither_zero_nor_missing(world):
    """An analyst must never read a missing answer as an empty wallet."""
    world.put(TOKEN, "balanceOf(address)", REVERTED, BOB)
    found = compared(world, [ANN, BOB, CAT], [TOKEN, EOA])
    states = [cell.state for cell in found.cells]

    assert (
        states
        == ["value", "value", "zero", "value", "call_reverted", "zero"] + ["not_a_contract"] * 3
    )
    failed = found.cell(BOB, TOKEN)
    assert (failed.raw_amount, failed.amount) == (None, None)
    assert failed.error is not None
    assert failed.error.code == "call_reverted"
    assert failed.row_id in found.frame["row_id"].to_list()
    assert found.frame.filter(row_id=failed.row_id)["raw_amount"].to_list() == [None]
    assert "cells_failed" in {caveat.code for caveat in found.caveats}


def test_a_cell_whose_endpoint_timed_out_keeps_its_place_and_reason(world):
    """A slow endpoint must not shorten the list of holders."""
    world.broken.add(TOKEN)
    found = compared(world, [ANN, BOB], [TOKEN])

    assert [cell.state for cell in found.cells_of(TOKEN)] == ["timeout", "timeout"]
    assert len(found.frame) == 4


def test_two_blocks_on_one_page_are_refused(world):
    """Two reads minutes apart must not look like one comparison."""
    calls = [
        *comparison_calls(1, "100", [ANN], [], native=True),
        *comparison_calls(1, "99", [BOB], [], native=True),
    ]

    with pytest.raises(MixedPinsError, match="different blocks"):
        Comparison.of(world.ask(calls), [ANN, BOB], [], native=True)


def test_difference_ratio_and_share_are_exact_over_256_bits(world):
    """Whoever recomputes our difference by hand must get the same last digit."""
    found = compared(world, [ANN, BOB], [TOKEN], native=False)
    by_formula = {number.formula: number for number in found.derived}

    assert by_formula["difference@1"].value == UINT256_MAX - 1
    assert by_formula["difference@1"].amount == (
        "115792089237316195423570985008687907853269984665640564039457.584007913129639934"
    )
    assert by_formula["ratio@1"].text.startswith("115792089237316195")
    assert not by_formula["ratio@1"].exact
    shares = [number for number in found.derived if number.formula == "share_of_supply@1"]
    assert shares[0].text == "1"


def test_more_than_two_addresses_are_each_set_against_the_first(world):
    """A reader must know what a difference is a difference from."""
    found = compared(world, [ANN, BOB, CAT], [], native=True)
    pairs = [
        tuple(row["addresses"])
        for row in found.as_json()["derived"]
        if row["formula"] == "difference@1"
    ]

    assert pairs == [(ANN, BOB), (ANN, CAT)]


def test_a_ratio_to_an_empty_wallet_is_undefined_and_said_so(world):
    """Nothing divided by nothing is not one."""
    found = compared(world, [ANN, CAT], [], native=True)
    ratio = next(number for number in found.derived if number.formula == "ratio@1")

    assert isinstance(ratio.value, Unknown)
    assert ratio.text is None
    assert "ratio_undefined" in {caveat.code for caveat in found.caveats}


def test_unknown_decimals_give_no_scaled_amount(world):
    """Eighteen decimals that nobody declared are a guess."""
    world.put_token(OTHER, {ANN: 7}, decimals=None)
    found = compared(world, [ANN], [OTHER], native=False)
    cell = found.cells[0]

    assert (cell.raw_amount, cell.decimals, cell.amount) == (7, None, None)
    assert "decimals_unknown" in {caveat.code for caveat in found.caveats}


@pytest.mark.parametrize("twin", [b"tka", "ＴＫＡ".encode(), b"TKA"])
def test_two_tokens_with_one_symbol_are_named(world, twin):
    """A false token with a known symbol must not pass for the real one."""
    world.put_token(OTHER, {}, holders=[ANN], symbol=twin)
    found = compared(world, [ANN], [TOKEN, OTHER])

    assert found.symbol_collisions == ((TOKEN, OTHER),)


@given(st.lists(st.integers(0, UINT256_MAX), min_size=1, max_size=12))
@settings(max_examples=30, deadline=None)
def test_the_frame_keeps_every_digit_and_ranks_by_the_integer(amounts):
    """Sorted as text, 9 would stand above 10."""
    holders = [address_of(1000 + n) for n in range(len(amounts))]
    world = World()
    world.put_token(TOKEN, dict(zip(holders, amounts, strict=True)), decimals=77)
    frame = compared(world, holders, [TOKEN], native=False).frame

    assert [int(text) for text in frame["raw_amount"]] == amounts
    assert [unscale(text, 77) for text in frame["amount"]] == amounts
    by_rank = [int(text) for text in frame.sort("rank")["raw_amount"]]
    assert by_rank == sorted(amounts, reverse=True)


def test_the_json_has_the_shape_that_scripts_rely_on(world):
    """A renamed key breaks somebody's pipeline in silence."""
    found = json.loads(json.dumps(compared(world, [ANN, BOB], [TOKEN]).as_json()))

    assert set(found) == {"pin", "cells", "derived", "caveats"}
    cell = {"address", "asset", "state", "raw_amount", "decimals", "amount", "error", "read_ids"}
    assert set(found["cells"][0]) == cell | {"row_id"}
    needed = {"formula", "asset", "addresses", "value", "exact", "derived_from"}
    assert all(needed <= set(row) for row in found["derived"])
    assert found["cells"][2]["raw_amount"] == str(UINT256_MAX)
    assert found["pin"]["block_number"] == 100


def test_shares_are_spoken_of_only_where_there_is_one(world):
    """A caveat about a number that is not there sends the reader looking for it."""
    shown = compared(world, [ANN], [TOKEN])
    world.put(TOKEN, "balanceOf(address)", REVERTED, ANN)
    failed = compared(world, [ANN], [TOKEN])

    spoken = [{c.code for c in found.caveats} for found in (shown, failed)]
    assert ["circulating_not_total" in codes for codes in spoken] == [True, False]


def test_an_address_given_twice_is_read_once(world):
    """A pasted list with repeats must not count a wallet twice."""
    found = compared(world, [ANN, ANN.lower(), BOB], [], native=True)

    assert found.addresses == (ANN, BOB)


def test_a_block_that_is_not_final_and_a_single_endpoint_are_said():
    """A reader must know that one endpoint's word about an open block may change."""
    world = World(finality="unsafe", coins={ANN: 1})
    codes = {caveat.code for caveat in compared(world, [ANN], []).caveats}

    assert {"not_final", "single_endpoint", "value_not_queried"} <= codes


def test_a_change_is_exact_and_keeps_failed_cells(world):
    """A read that failed at one block must not look like a withdrawal."""
    before = compared(world, [ANN, BOB], [TOKEN], block="90")
    world.coins[ANN] = 1
    world.put(TOKEN, "balanceOf(address)", REVERTED, BOB)
    after = compared(world, [ANN, BOB], [TOKEN], block="100")
    found = change(before, after)

    assert [c.change.text if c.change else None for c in found.cells] == ["-2", "0", "0", None]
    assert found.frame["state_after"].to_list()[-1] == "call_reverted"
    assert found.frame["amount_change"].to_list()[0] == "-0.000000000000000002"
    assert "circulating_not_total" not in {caveat.code for caveat in found.caveats}


def test_a_change_the_wrong_way_round_or_across_chains_is_refused(world):
    """A sign that is turned round turns the story round."""
    early, late = (compared(world, [ANN], [], block=b) for b in ("90", "100"))
    elsewhere = compared(World(chain_id=10, coins={ANN: 1}), [ANN], [])

    for before, after in ((late, early), (early, elsewhere), (late, late)):
        with pytest.raises(InvalidArgumentError):
            change(before, after)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=4), st.integers(0, 1))
@settings(max_examples=40, deadline=None)
def test_the_undefined_ratio_caveat_is_there_exactly_when_a_ratio_is(amounts, supply):
    """A caveat that cries wolf is not read when it matters."""
    holders = [address_of(1000 + n) for n in range(len(amounts))]
    world = World()
    world.put_token(TOKEN, dict(zip(holders, amounts, strict=True)), supply=supply)
    found = compared(world, holders, [TOKEN], native=False)
    undefined = any(isinstance(number.value, Unknown) for number in found.derived)

    assert undefined == ("ratio_undefined" in {caveat.code for caveat in found.caveats})
