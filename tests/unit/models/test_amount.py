"""Amounts: exact over 78 digits and 256 decimals, unknown where decimals are."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.models import UINT256_MAX, Amount, Unknown, scale, unscale


@given(st.integers(0, UINT256_MAX), st.integers(0, 255))
def test_scaling_is_exact_and_keeps_every_place(raw, decimals):
    """An amount rounded at 28 digits is a wrong amount in a report."""
    text = scale(raw, decimals)

    assert Fraction(text) == Fraction(raw, 10**decimals)
    assert len(text.partition(".")[2]) == decimals
    assert "e" not in text.lower()


@given(st.integers(0, UINT256_MAX), st.integers(0, 255))
def test_scaling_and_back_gives_the_same_integer(raw, decimals):
    """What a spreadsheet shows must be traceable to the integer on the chain."""
    assert unscale(scale(raw, decimals), decimals) == raw


def test_unknown_decimals_leave_the_scaled_amount_unknown():
    """Assuming 18 decimals turns a million into a dust amount."""
    amount = Amount(raw_amount=1_250_000_000, decimals=Unknown(code="call_reverted", message="m"))

    assert amount.raw_amount == 1_250_000_000
    assert amount.amount is None


@pytest.mark.parametrize("text", ["1e5", "-1", "1,000", "1.2345678", ".5", "1.", ""])
def test_an_amount_that_is_not_plain_decimal_is_refused(text):
    """1,000 is one thousand to some and one to others."""
    with pytest.raises(ValueError, match=r"plain decimal|decimal places"):
        unscale(text, 6)


@given(st.integers(-UINT256_MAX, -1), st.integers(0, 255))
def test_a_negative_difference_keeps_its_sign_before_every_digit(raw, decimals):
    """-0.5 that loses its sign turns a loss into a gain."""
    assert scale(raw, decimals) == "-" + scale(-raw, decimals)


def test_an_amount_that_does_not_fit_into_256_bits_is_refused():
    """No contract can hold it, so somebody mistyped it."""
    with pytest.raises(ValueError, match="256 bits"):
        unscale(str(UINT256_MAX + 1), 0)


def test_what_is_unknown_counts_as_nothing_and_not_as_zero():
    """`if amount:` must not take a missing number for a number."""
    assert not Unknown(code="call_reverted", message="m")
