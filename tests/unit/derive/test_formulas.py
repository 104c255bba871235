"""Quotients, and formulas that a stranger recomputes from their text."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.derive import FORMULAS, Ratio, compute, formula_text, parse_formula, ratio
from toolkit.errors import InvalidArgumentError
from toolkit.models import UINT256_MAX, Unknown

UINTS = st.integers(min_value=0, max_value=UINT256_MAX)
UNIT = 10**18


@given(st.integers(-UINT256_MAX, UINT256_MAX), st.integers(1, UINT256_MAX))
def test_a_ratios_text_is_the_quotient_to_18_digits_half_even(numerator, denominator):
    """A reader who divides by hand must find our digits, and know whether they are all."""
    found = Ratio(numerator, denominator)
    expected = Context(prec=18, rounding=ROUND_HALF_EVEN).divide(
        Decimal(numerator), Decimal(denominator)
    )

    assert Decimal(found.text) == expected
    assert "e" not in found.text.lower()
    assert found.exact == (Fraction(found.text) == Fraction(numerator, denominator))


def test_a_tie_in_the_nineteenth_digit_goes_to_the_even_neighbour():
    """Two programs that round ties differently would disagree about one row."""
    assert Ratio(1000000000000000005, 10).text == "100000000000000000"
    assert Ratio(1000000000000000015, 10).text == "100000000000000002"


def test_a_division_by_zero_is_unknown_and_not_zero():
    """An empty wallet on the right must not read as an equal share."""
    found = ratio(5, 0)

    assert isinstance(found, Unknown)
    assert found.code == "ratio_undefined"


@given(UINTS, UINTS)
def test_a_difference_is_exact_over_all_256_bits(first, second):
    """A difference that rounds hides small movements under large balances."""
    assert compute("difference@1", [first, second]) == first - second


def test_a_trade_is_the_known_case_of_an_average_impact_of_1_284_percent():
    """The field confuses three impacts; each of ours must be the one its name says."""
    reserves = [1000 * UNIT, 2000 * UNIT]
    given_ = {"raw_in": 10 * UNIT, "side": "sell_token0"}
    with_fee = compute(formula_text("impact@1", **given_, fee_ppm=3000), reserves)
    without = compute(formula_text("impact@1", **given_), reserves)
    after = compute(formula_text("marginal_after@1", **given_, fee_ppm=3000), reserves)

    assert with_fee.text.startswith("1.2841")
    assert without.text.startswith("0.99009900")
    assert after.text.startswith("1.960650")


def test_a_formulas_text_comes_back_as_its_formula_and_parameters():
    """A stranger recomputes a row from its text alone."""
    text = formula_text("pool_move@1", side="sell_token1", move_pct="0.5", leg="in", fee_ppm=3000)

    assert text == "pool_move@1(fee_ppm=3000;leg=in;move_pct=0.5;side=sell_token1)"
    assert parse_formula(text)[1] == {
        "fee_ppm": "3000",
        "leg": "in",
        "move_pct": "0.5",
        "side": "sell_token1",
    }


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("worth@1", [1]),
        ("difference@1", [1]),
        ("difference@1(x=1)", [1, 2]),
        ("pool_move@1", [1, 2]),
        ("pool_move@1(leg=in;move_pct=5;side=buy)", [1, 2]),
        ("sum@1(=)", [1]),
        ("", []),
        ("pool_move@1(leg=zzz;move_pct=1;side=sell_token0)", [UNIT, UNIT]),
        ("pool_move@1(fee_ppm=x;leg=in;move_pct=1;side=sell_token0)", [UNIT, UNIT]),
        ("pool_move@1(fee_ppm=1000000;leg=in;move_pct=1;side=sell_token0)", [UNIT, UNIT]),
        ("amount_out@1(raw_in=abc;side=sell_token0)", [UNIT, UNIT]),
        ("amount_out@1(raw_in=1_0;side=sell_token0)", [UNIT, UNIT]),
        ("amount_out@1(raw_in=010;side=sell_token0)", [UNIT, UNIT]),
        (f"amount_out@1(raw_in={'9' * 5000};side=sell_token0)", [UNIT, UNIT]),
        (f"amount_out@1(raw_in={UINT256_MAX + 1};side=sell_token0)", [UNIT, UNIT]),
        ("impact@1(raw_in=0;side=sell_token0)", [UNIT, UNIT]),
        ("average_ratio@1(raw_in=1;side=sell_token0)", [UNIT, UNIT, -1, 18]),
        ("marginal_ratio@1", [UNIT, UNIT, 18, 256]),
    ],
)
def test_a_formula_that_does_not_exist_is_refused(text, inputs):
    """A made-up formula in a bundle must never verify, nor end the check in a trace."""
    with pytest.raises(InvalidArgumentError):
        compute(text, inputs)


def test_the_largest_trade_and_every_fee_below_the_whole_are_computed():
    """A check that refuses what the pool page shows would call a true row false."""
    text = formula_text("amount_out@1", raw_in=UINT256_MAX, side="sell_token0", fee_ppm=999999)

    assert compute(text, [UNIT, UNIT]) == UNIT - 1


def test_every_formula_states_what_it_computes():
    """An id without a meaning proves nothing."""
    assert all(formula.states for formula in FORMULAS.values())
