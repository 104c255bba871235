"""Exact decimal text, grouped for the eye. Grouping is only ever done on the way to the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.dashboard.words import t

THIN: Final = "\u2005"
_LONGEST: Final = 40
_ROOM: Final = 26
"""What a table keeps free beside a cell's text. Unit: pixels."""

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


def fitted(text: str) -> str:
    """Cut a very long number visibly, saying how many digits it has; the click shows it whole."""
    if len(text) <= _LONGEST:
        return text
    digits = sum(char.isdigit() for char in text)
    return t("compare.cut", head=text[:16].rstrip(), digits=digits)


def short_address(address: str) -> str:
    """The first and last digits of an address, for places where the whole stands beside it."""
    return f"{address[:8]}\u2026{address[-6:]}"


def column_width(texts: Sequence[str], heading: str) -> int:
    """A width at which no text of a column is clipped. Unit: pixels."""
    return max(80, _ROOM + max(map(_drawn_width, (heading, *texts))))


def _drawn_width(text: str) -> int:
    """About how wide a table draws a text, never less than it does. Unit: pixels."""
    return int(sum(4.0 if char == THIN else 13.5 if ord(char) > 0x2E7F else 7.2 for char in text))


def _triples(digits: str) -> list[str]:
    return [digits[i : i + 3] for i in range(0, len(digits), 3)]
