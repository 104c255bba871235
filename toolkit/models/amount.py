"""Amounts of one token, exact over all 256 bits and all 256 decimals."""

from __future__ import annotations

import re

from toolkit.models.primitives import UINT256_MAX, Decimals, Frozen, RawInt


class Unknown(Frozen):
    """Something that could not be learned, and why. It is never zero and never empty text."""

    code: str
    message: str

    def __bool__(self) -> bool:
        return False


def scale(raw_amount: int, decimals: int) -> str:
    """Write a raw integer in whole tokens: exact decimal text, trailing zeros kept.

    Unit: `raw_amount` in the smallest unit; the text in whole tokens. Not: rounded, a price.
    """
    if decimals == 0:
        return str(raw_amount)
    sign, digits = ("-", str(-raw_amount)) if raw_amount < 0 else ("", str(raw_amount))
    digits = digits.rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}"


def unscale(amount: str, decimals: int) -> int:
    """Read whole tokens, as plain decimal text, back into the raw integer.

    Errors: ValueError for an exponent, a sign, more places than the token has, or an overflow.
    """
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", amount):
        raise ValueError(
            f"{amount[:90]!r} is not a plain decimal number. Write digits with at most one point: "
            "no exponent, sign or thousands separator."
        )
    whole, _, fraction = amount.partition(".")
    if len(fraction.rstrip("0")) > decimals:
        raise ValueError(f"{amount[:90]!r} has more than the token's {decimals} decimal places.")
    raw = int(whole + fraction[:decimals].ljust(decimals, "0"))
    if raw > UINT256_MAX:
        raise ValueError(f"{amount[:90]!r} does not fit into 256 bits.")
    return raw


class Amount(Frozen):
    """A count of one token. Unit: `raw_amount` in the token's smallest unit."""

    raw_amount: RawInt
    decimals: Decimals | Unknown

    @property
    def amount(self) -> str | None:
        """Whole tokens as exact decimal text, or None where decimals are unknown. Not a price."""
        if isinstance(self.decimals, Unknown):
            return None
        return scale(self.raw_amount, self.decimals)
