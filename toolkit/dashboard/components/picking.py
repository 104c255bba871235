"""Tables whose rows open their evidence: text columns wide enough, no sorting of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from toolkit.dashboard.components.amounts import column_width
from toolkit.dashboard.words import say

_FITS: Final = 10
"""Up to this many rows a table is as high as its rows; above, it scrolls."""
_NARROW: Final = 1_232
"""What a window of 1280 pixels leaves for a table. Unit: pixels."""

_MODES: Final = ("single-cell", "single-column")
"""Column selection is on because it switches off the browser's own sorting, which sorts text."""


def show_table(
    columns: Mapping[str, Sequence[str]], *, key: str, amounts: Sequence[str], height: int = 420
) -> int | None:
    """Show a table of text, and give back the row that was clicked.

    `amounts` names the columns whose digits are lined up on the right.
    """
    rows = len(next(iter(columns.values()), ()))
    config: dict[str, Any] = {
        name: st.column_config.TextColumn(
            width=column_width(texts, name),
            alignment="right" if name in amounts else "left",
        )
        for name, texts in columns.items()
    }
    event: Any = st.dataframe(
        dict(columns),
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode=list(_MODES),
        column_config=config,
        height="content" if rows <= _FITS else height,
    )
    note_width(config)
    cells = event["selection"]["cells"]
    return int(cells[0][0]) if cells and cells[0][0] < rows else None


def note_width(config: Mapping[str, Any]) -> None:
    """Say under a table that may run off the page how many columns it has."""
    if sum(int(column["width"]) for column in config.values()) > _NARROW:
        st.caption(say("words.wide", count=len(config)))
