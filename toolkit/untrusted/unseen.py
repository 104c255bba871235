"""Characters that move, hide or break text instead of being seen, and marks in their place."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

_MARKED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
_SELECTORS: Final = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
_MARKS_ON_ONE_LETTER: Final = 3
"""Living scripts put up to three marks on a letter; more of them only reach into other lines."""


def is_selector(char: str) -> bool:
    """Tell whether a character only chooses another look of the one before it."""
    return any(ord(char) in span for span in _SELECTORS)


def is_unseen(char: str) -> bool:
    """Tell whether a reader would not see this character, or see something else in its place."""
    if char in _BLANK or is_selector(char):
        return True
    category = unicodedata.category(char)
    return category in _MARKED_CATEGORIES or (category == "Zs" and char != " ")


def has_stacked_marks(text: str) -> bool:
    """Tell whether a letter carries more marks than any script needs, or a mark has no letter."""
    return any(piece.startswith("\u27e8") and is_mark for piece, is_mark in _pieces(text))


def with_marks(text: str) -> str:
    """Replace each unseen character with its code point in visible brackets."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(piece for piece, _ in _pieces(text))


def without_unseen(text: str) -> str:
    """Leave out what a reader would not see. Not: a view."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in text if not is_unseen(char))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Each character as it is shown, and whether it is a combining mark."""
    stacked = _MARKS_ON_ONE_LETTER
    for char in text:
        is_mark = unicodedata.category(char) in {"Mn", "Me"}
        stacked = stacked + 1 if is_mark else 0
        hidden = is_unseen(char) or stacked > _MARKS_ON_ONE_LETTER
        yield (f"\u27e8U+{ord(char):04X}\u27e9" if hidden else char), is_mark
