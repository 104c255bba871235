"""What a reader must know beside the numbers, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from toolkit.analysis import NATIVE
from toolkit.dashboard.words import say, t

if TYPE_CHECKING:
    from toolkit.analysis.caveats import Caveat

_SUBJECTS: Final = 6


def show_caveats(caveats: Sequence[Caveat]) -> None:
    """List the caveats, each with the addresses it is about."""
    if not caveats:
        return
    with st.expander(say("caveats.title"), expanded=True):
        st.text("\n".join(line for caveat in caveats for line in _lines(caveat)))


def _lines(caveat: Caveat) -> list[str]:
    sentence = "\u2022 " + t(f"caveat.{caveat.code}")
    if not caveat.subjects:
        return [sentence]
    more = " \u2026" if len(caveat.subjects) > _SUBJECTS else ""
    named = [t("compare.coin_plain") if s == NATIVE else s for s in caveat.subjects[:_SUBJECTS]]
    return [sentence, "\u2003" + ", ".join(named) + more]
