"""What a provider's refusal of a range of logs says about the range that it would take.

The text is read for numbers and never repeated. What it says is a proposal: whoever uses it
checks that it is narrower than what was refused, and halves where it is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NUMBER: Final = r"(0x[0-9a-f]{1,16}|\d{1,18})"

# "Try with this block range [0x1, 0x2]", "... should work: [0x1, 0x2]", "range 5-90".
_PROPOSED: Final = (
    re.compile(rf"\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\]"),
    re.compile(rf"(?:retry with|try)\D{{0,40}}{_NUMBER}\s*(?:-|to|\.\.)\s*{_NUMBER}\b"),
)

# A number of blocks is told as "limited to a 1,024 block range", "max is 1k blocks", "at most
# 1000", "ranges over 10000", "5000 block limit"; the same words stand before counts of results,
# bytes and seconds.
_STATED: Final = (
    re.compile(
        r"(?:max\w*|limit\w*|at most|up to|exceed\w*|over|greater than|larger than|more than|"
        r"allowed|within)[^\d;.]{0,60}?(?<![\w.])(?:0 ?- ?)?(\d[\d,_']{0,20})(\s?[km]\b)?"
        r"(?![\w.]*\d)(?!\s*(?:results?|logs?|events?|entries|bytes|[kmg]i?b\b|m?s\b|sec|req|/))"
    ),
    re.compile(r"(?<![\w.])(\d[\d,_']{0,20})(\s?[km])?[ -]blocks? (?:range )?(?:limit|max|cap)"),
    re.compile(r"\d ?> ?(\d[\d,_']{0,20})(\s?[km]\b)?"),
)
_OF_BLOCKS: Final = re.compile(r"block|range")
_WIDEST: Final = 10**9
_UNITS: Final = {"k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class RangeHint:
    """How many blocks the endpoint would take: in any range, or only in this one."""

    blocks: int
    in_any_range: bool


def range_hint(text: str) -> RangeHint | None:
    """Read a refusal's text in lower case; None where it names no number of blocks.

    Source: error texts of public providers, as `tests/chain/test_log_ranges.py` lists them.
    """
    for pattern in _PROPOSED:
        if found := pattern.search(text):
            low, high = (_whole(number) for number in found.groups())
            if 0 <= high - low < _WIDEST:
                return RangeHint(high - low + 1, in_any_range=False)
    if not _OF_BLOCKS.search(text):
        return None
    # Some texts hold the refused width beside the cap, which is the smaller of the two.
    stated = [_blocks(found) for pattern in _STATED for found in pattern.finditer(text)]
    plausible = [blocks for blocks in stated if 0 < blocks < _WIDEST]
    return RangeHint(min(plausible), in_any_range=True) if plausible else None


def _whole(number: str) -> int:
    return int(number, 16 if number.startswith("0x") else 10)


def _blocks(stated: re.Match[str]) -> int:
    unit = _UNITS.get((stated[2] or "").strip(), 1)
    return int(re.sub(r"\D", "", stated[1])) * unit
