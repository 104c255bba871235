"""A block's finality in words, as a page, a terminal and a notebook show it alike."""

from __future__ import annotations

from toolkit.i18n import text
from toolkit.models import FinalityObservation


def finality_words(observed: FinalityObservation, language: str) -> str:
    """How final a block was when it was seen; where nobody can say, how many blocks stood on it."""
    if observed.status == "unknown" and observed.depth is not None:
        return text(language, "finality.unknown_depth", count=observed.depth)
    if observed.status == "orphaned":
        return text(language, "finality.orphaned_at", time=observed.observed_at)
    return text(language, f"finality.{observed.status}")
