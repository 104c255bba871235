"""Sums, differences and quotients of integers, exact, with decimal text where a text is needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from toolkit.models import Unknown

SIGNIFICANT_DIGITS: Final = 18
"""Digits in the decimal text of a quotient. The fraction itself is never rounded."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of two integers, kept whole. `denominator` is above zero.

    Shape: `text` is plain decimal text, never an exponent, without trailing zeros.
    """

    numerator: int
    denominator: int

    def __post_init__(self) -> None:
        if self.denominator <= 0:
            raise ValueError("A ratio's denominator is above zero.")

    @property
    def text(self) -> str:
        """The quotient to 18 significant digits, rounded half to even."""
        return _decimal_text(self.numerator, self.denominator)[0]

    @property
    def exact(self) -> bool:
        """Whether `text` is the quotient itself, with nothing rounded away."""
        return _decimal_text(self.numerator, self.denominator)[1]

    def percent(self) -> Ratio:
        """The same quotient in parts of a hundred."""
        return Ratio(self.numerator * 100, self.denominator)


def difference(minuend: int, subtrahend: int) -> int:
    """Subtract. Unit: that of both. Shape: a signed integer."""
    return minuend - subtrahend


def total(amounts: Iterable[int]) -> int:
    """Add amounts of one and the same unit."""
    return sum(amounts)


def ratio(numerator: int, denominator: int) -> Ratio | Unknown:
    """Divide. Where the divisor is zero there is no quotient, and the answer says so."""
    if denominator == 0:
        return Unknown(code="ratio_undefined", message="The divisor is zero: there is no ratio.")
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    return Ratio(numerator, denominator)


def share(part: int, whole: int) -> Ratio | Unknown:
    """Divide a part by its whole. Unit: 1 is the whole. Not: of the circulating supply."""
    return ratio(part, whole)


def scaled_ratio(
    numerator: int, numerator_decimals: int, denominator: int, denominator_decimals: int
) -> Ratio | Unknown:
    """Divide two raw amounts of different tokens in whole tokens of each."""
    return ratio(numerator * 10**denominator_decimals, denominator * 10**numerator_decimals)


def ceil_div(numerator: int, denominator: int) -> int:
    """Divide and round up. Unit: `denominator` above zero."""
    return -(-numerator // denominator)


def _decimal_text(numerator: int, denominator: int) -> tuple[str, bool]:
    """Write a quotient to 18 significant digits, and tell whether that is all of it."""
    if numerator == 0:
        return "0", True
    sign, numerator = ("-", -numerator) if numerator < 0 else ("", numerator)
    places = SIGNIFICANT_DIGITS - 1 - _leading_exponent(numerator, denominator)
    scaled_up = numerator * 10 ** max(places, 0)
    divisor = denominator * 10 ** max(-places, 0)
    digits, rest = divmod(scaled_up, divisor)
    if 2 * rest > divisor or (2 * rest == divisor and digits % 2):
        digits += 1
    return sign + _plain(digits, places), rest == 0


def _leading_exponent(numerator: int, denominator: int) -> int:
    """The power of ten of a quotient's first digit. Both integers are above zero."""
    guess = len(str(numerator)) - len(str(denominator))
    shifted = denominator * 10 ** max(guess, 0)
    return guess if numerator * 10 ** max(-guess, 0) >= shifted else guess - 1


def _plain(digits: int, places: int) -> str:
    """Write digits * 10**-places without an exponent and without trailing zeros."""
    if places <= 0:
        return str(digits * 10**-places)
    text = str(digits).rjust(places + 1, "0")
    whole, fraction = text[:-places], text[-places:].rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
