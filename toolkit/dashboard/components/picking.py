"""Tables whose rows open their evidence: text columns wide enough, no sorting of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from toolkit.dashboard.components.amounts import column_width

_ROW: Final = 36
_MODES: Final = ("single-cell", "single-column")
"""Column selection is on because it switches off the browser's own sorting, which sorts text."""


def show_table(
    columns: Mapping[str, Sequence[str]], *, key: str, amounts: Sequence[str], height: int = 420
) -> int | None:
    """Show a table of text, and give back the row that was clicked.

    `amounts` names the columns whose digits are lined up on the right.
    """
    rows = len(next(iter(columns.values()), ()))
    event: Any = st.dataframe(
        dict(columns),
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode=list(_MODES),
        column_config={
            name: st.column_config.TextColumn(
                width=column_width(texts, name),
                alignment="right" if name in amounts else "left",
            )
            for name, texts in columns.items()
        },
        height=min(_ROW * (rows + 1) + 3, height),
    )
    cells = event["selection"]["cells"]
    return int(cells[0][0]) if cells and cells[0][0] < rows else None
