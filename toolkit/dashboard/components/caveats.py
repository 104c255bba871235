"""What a reader must know beside the numbers, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from toolkit.dashboard.words import say, t

if TYPE_CHECKING:
    from toolkit.analysis.caveats import Caveat


def show_caveats(caveats: Sequence[Caveat]) -> None:
    """List the caveats, each with the addresses it is about."""
    if not caveats:
        return
    with st.expander(say("caveats.title"), expanded=True):
        for caveat in caveats:
            st.text("\u2022 " + t(f"caveat.{caveat.code}"))
            if caveat.subjects:
                shown = ", ".join(caveat.subjects[:6])
                st.text("   " + shown + (" \u2026" if len(caveat.subjects) > 6 else ""))
