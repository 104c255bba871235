"""What a constant-product pool pays and needs, in integers."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.derive import SIDES, amount_out, move, with_fee
from toolkit.errors import InvalidArgumentError

RESERVES = st.integers(min_value=1, max_value=2**112 - 1)
AMOUNTS = st.integers(min_value=1, max_value=2**112 - 1)
FEES = st.integers(min_value=0, max_value=999_999)
MOVES = st.decimals("0.000001", "99.999999", places=6).map(lambda d: f"{d:f}")

SHARES = {
    "0.5": ("0.250941", "0.250313", "0.249688", "0.249066"),
    "1": ("0.503782", "0.501256", "0.498756", "0.496281"),
    "2": ("1.015254", "1.005051", "0.995049", "0.985246"),
    "5": ("2.597835", "2.532057", "2.469508", "2.409993"),
    "10": ("5.409255", "5.131670", "4.880885", "4.653741"),
}


def test_the_amount_out_is_the_contracts_own_integer():
    """An analyst who checks our figure against the pair must find the same last digit."""
    unit = 10**18

    assert amount_out(10 * unit, 1000 * unit, 2000 * unit, 3000) == 19743160687941225977


@given(AMOUNTS, RESERVES, RESERVES)
def test_at_3000_ppm_every_amount_is_the_floor_of_the_contracts_997_formula(raw_in, r_in, r_out):
    """One unit too much is a number that the pair would never pay."""
    contract = raw_in * 997 * r_out // (r_in * 1000 + raw_in * 997)

    assert amount_out(raw_in, r_in, r_out, 3000) == contract


@given(AMOUNTS, RESERVES, RESERVES, FEES)
def test_a_trade_never_lowers_the_product(raw_in, r_in, r_out, fee):
    """A pool that loses product by our arithmetic would pay out what it does not have."""
    paid = amount_out(raw_in, r_in, r_out, fee)

    assert (r_in + raw_in) * (r_out - paid) >= r_in * r_out


@pytest.mark.parametrize("move_pct", SHARES)
def test_the_moves_are_the_known_shares_of_the_reserves(move_pct):
    """A depth table that disagrees with the published shares misleads its reader."""
    whole = 10**30
    fall, rise = (move(whole, whole, move_pct, side) for side in SIDES)
    found = (fall.raw_amount_in, fall.raw_amount_out, rise.raw_amount_in, rise.raw_amount_out)

    assert tuple(f"{Decimal(n) / 10**28:.6f}" for n in found) == SHARES[move_pct]


@given(RESERVES, RESERVES, MOVES, st.sampled_from(SIDES))
def test_a_move_is_the_real_root_rounded_up_in_and_down_out(r0, r1, move_pct, side):
    """Rounded the other way, the stated input would not move the rate as far as it says."""
    moved = move(r0, r1, move_pct, side)
    into, out_of = (r0, r1) if side == "sell_token0" else (r1, r0)
    factor = 1 + Fraction(move_pct) / 100 * (-1 if side == "sell_token0" else 1)
    with localcontext(Context(prec=200)):
        root = (Decimal(factor.numerator) / factor.denominator).sqrt()
        grows, shrinks = max(root, 1 / root), min(root, 1 / root)
        real_in, real_out = into * (grows - 1), out_of * (1 - shrinks)
        rounded_in = int((real_in - Decimal("1e-90")).to_integral_value(ROUND_CEILING))
        rounded_out = int((real_out + Decimal("1e-90")).to_integral_value(ROUND_FLOOR))

    assert (moved.raw_amount_in, moved.raw_amount_out) == (rounded_in, rounded_out)


@given(RESERVES, RESERVES, MOVES, st.sampled_from(SIDES))
def test_the_input_of_a_move_reaches_it_and_one_less_does_not(r0, r1, move_pct, side):
    """The input is the smallest that brings the pool's own rate there."""
    raw_in = move(r0, r1, move_pct, side).raw_amount_in
    into = r0 if side == "sell_token0" else r1
    factor = 1 + Fraction(move_pct) / 100 * (-1 if side == "sell_token0" else 1)
    wanted = into * into * max(factor, 1 / factor)

    assert (into + raw_in) ** 2 >= wanted
    assert (into + raw_in - 1) ** 2 < wanted


@given(st.integers(min_value=0, max_value=2**112), FEES)
def test_an_input_with_its_fee_leaves_just_enough(raw_in, fee):
    """A fee rounded down would leave the trade short of its move."""
    paid = with_fee(raw_in, fee)

    assert paid * (1_000_000 - fee) >= raw_in * 1_000_000
    assert raw_in == 0 or (paid - 1) * (1_000_000 - fee) < raw_in * 1_000_000


@pytest.mark.parametrize("written", ["0", "100", "-1", "1e1", "", "0.0", " 5", "5%", "NaN", "05"])
def test_a_move_that_cannot_be_is_refused(written):
    """A mistyped move must be a sentence and never a silent figure."""
    with pytest.raises(InvalidArgumentError, match="above 0 and below 100"):
        move(10**18, 10**18, written, "sell_token0")
