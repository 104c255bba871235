"""Which texts a reader would take for each other, by the Unicode Consortium's confusables.

Source: the table of Unicode Technical Standard 39, as the package confusable_homoglyphs
carries it. It is loaded when a text beyond ASCII is first compared.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

from toolkit.untrusted.unseen import without_unseen

_COMPARED: Final = 512
"""Characters that are compared. Nobody reads further to tell two names apart."""

_OVERRIDDEN: Final = re.compile("\u202e([^\u202c]*)\u202c?")
_ASCII: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "m": "rn"})
_WORD: Final = re.compile(r"\w+")
_LATIN: Final = re.compile("[A-Za-z0-9]")


def skeleton(text: str) -> str:
    """Reduce a text to what it looks like: two texts with one skeleton look alike.

    Case, invisible characters and direction overrides are undone. Not: a view, an identity.
    """
    return _skeleton(text[:_COMPARED])


@lru_cache(maxsize=16_384)
def _skeleton(text: str) -> str:
    """The skeleton of a short text. Remembered, for a page compares whole address books."""
    shown = _OVERRIDDEN.sub(lambda found: found[1][::-1], text)
    seen = unicodedata.normalize("NFKC", without_unseen(shown))
    alike = seen if seen.isascii() else "".join(map(_prototype, seen))
    return " ".join(alike.casefold().translate(_ASCII).split())


def has_lookalike(text: str) -> bool:
    """Tell whether a letter only looks Latin: styled, or of another script in a Latin word."""
    if any(_is_styled_latin(char) for char in set(text)):
        return True
    return any(
        _LATIN.search(word[0]) and any(map(_looks_latin, set(word[0])))
        for word in _WORD.finditer(text)
        if not word[0].isascii()
    )


def _is_styled_latin(char: str) -> bool:
    """Full-width, mathematical and other forms of Latin letters and digits."""
    plain = unicodedata.normalize("NFKC", char)
    return not char.isascii() and char.isalnum() and plain.isascii() and plain.isalnum()


def _looks_latin(char: str) -> bool:
    alike = _prototype(char)
    return not char.isascii() and char.isalnum() and alike.isascii() and alike.isalnum()


@cache
def _table() -> dict[str, str]:
    """What each confusable character stands for, in the standard's own direction."""
    # Imported here: the table is 900 kB of JSON, and most tokens are written in ASCII.
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415

    kin = {
        char.strip("\u200e"): [other["c"].strip("\u200e") for other in others]
        for char, others in confusables_data.items()
    }
    # The package lists both directions; what stands for many others is the standard's target.
    return {
        char: others[0]
        for char, others in kin.items()
        if len(others) == 1 and (len(kin[others[0]]), char) > (1, others[0])
    }


def _prototype(char: str) -> str:
    return char if char.isascii() else _table().get(char, char)
