"""Exact decimal text, grouped for the eye. Grouping is only ever done on the way to the screen."""

from __future__ import annotations

from typing import Final

THIN: Final = "\u2009"
MINUS: Final = "\u2212"


def grouped(amount: str) -> str:
    """Set the digits of an exact decimal text in threes, outwards from the point.

    Not: rounded, cut, or fit for anything but the eye; exact text is what gets copied.
    """
    sign, digits = (MINUS, amount[1:]) if amount.startswith("-") else ("", amount)
    whole, point, fraction = digits.partition(".")
    head = len(whole) % 3
    triples = ([whole[:head]] if head else []) + _triples(whole[head:])
    return sign + THIN.join(triples) + point + THIN.join(_triples(fraction))


def ungrouped(shown: str) -> str:
    """Undo `grouped`."""
    return shown.replace(THIN, "").replace(MINUS, "-")


def short_address(address: str) -> str:
    """The first and last digits of an address, for places where the whole stands beside it."""
    return f"{address[:8]}\u2026{address[-6:]}"


def column_width(texts: list[str], heading: str) -> int:
    """A width at which no text of a column is clipped. Unit: pixels."""
    longest = max((len(text) for text in texts), default=0)
    return min(max(90, int(7.6 * longest) + 28, int(8 * len(heading)) + 36), 900)


def _triples(digits: str) -> list[str]:
    return [digits[i : i + 3] for i in range(0, len(digits), 3)]
