"""The matrix of addresses and assets: exact text, a mark per state, ordered by exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from toolkit.dashboard.components.amounts import column_width, grouped
from toolkit.dashboard.components.picking import note_width
from toolkit.dashboard.words import reason, say, t

if TYPE_CHECKING:
    from toolkit.analysis.addresses import Comparison
    from toolkit.analysis.cell import Cell

ZERO: Final = "\u25cb"
RAW: Final = "#"
FAILED: Final = "\u00d7"

_FITS: Final = 16
"""Up to this many addresses the table is as high as its rows; above, it scrolls."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The cell that was clicked."""

    address: str
    asset: str


def cell_text(cell: Cell) -> str:
    """One cell as text: the exact amount, marked where it is zero, raw or not there."""
    if cell.raw_amount is None:
        return f"{FAILED} {reason(cell.state)}"
    raw = f"{RAW} {grouped(str(cell.raw_amount))}"
    shown = raw if cell.amount is None else grouped(cell.amount)
    return f"{ZERO} {shown}" if cell.state == "zero" else shown


def show_matrix(
    comparison: Comparison, names: Mapping[str, str], labels: Mapping[str, str]
) -> Picked | None:
    """Show the matrix, and give back the cell that was clicked."""
    chosen = st.session_state.get("matrix", {}).get("selection", {})
    ordered_by = next(iter(chosen.get("columns", [])), None)
    headings = {names[asset]: asset for asset in comparison.assets}
    addresses = _ordered(comparison, headings.get(ordered_by or ""))
    columns, config = _columns(comparison, addresses, headings, labels)
    event = st.dataframe(
        columns,
        hide_index=True,
        column_config=config,
        key="matrix",
        on_select="rerun",
        # Column selection switches the browser's own sorting off, which would sort text.
        selection_mode=["single-cell", "single-column"],
        height="content" if len(addresses) <= _FITS else 640,
        alt=t("compare.matrix"),
    )
    note_width(config)
    _show_legend(comparison)
    if ordered_by in headings:
        st.caption(say("compare.ordered", asset=ordered_by))
    cells = event["selection"].get("cells", [])
    if not cells or cells[0][1] not in headings or cells[0][0] >= len(addresses):
        return None
    return Picked(addresses[cells[0][0]], headings[cells[0][1]])


def _ordered(comparison: Comparison, asset: str | None) -> Sequence[str]:
    """The addresses as given, or by one asset's integers, unknown ones last."""
    if asset is None:
        return comparison.addresses
    cells = comparison.cells_of(asset)
    ranked = sorted(cells, key=lambda cell: (cell.failed, -(cell.raw_amount or 0)))
    return [cell.address for cell in ranked]


def _columns(
    comparison: Comparison,
    addresses: Sequence[str],
    headings: dict[str, str],
    labels: Mapping[str, str],
) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """The table's columns, each wide enough that no digit is cut off."""
    name, said = t("compare.address"), t("compare.label")
    columns = {name: list(addresses)}
    config: dict[str, Any] = {name: st.column_config.TextColumn(width=340, pinned=True)}
    called = [labels.get(address, "") for address in addresses]
    if any(called):
        columns[said] = called
        config[said] = st.column_config.TextColumn(width=column_width(called, said), pinned=True)
    for shown, asset in headings.items():
        by_address = {cell.address: cell for cell in comparison.cells_of(asset)}
        texts = [cell_text(by_address[address]) for address in addresses]
        columns[shown] = texts
        config[shown] = st.column_config.TextColumn(
            width=column_width(texts, shown), alignment="right"
        )
    return columns, config


def _show_legend(comparison: Comparison) -> None:
    """Explain the marks that are really on the page."""
    marks = []
    if any(cell.state == "zero" for cell in comparison.cells):
        marks.append(f"{ZERO} {t('state.zero')}")
    if any(not cell.failed and cell.amount is None for cell in comparison.cells):
        marks.append(f"{RAW} {t('state.raw')}")
    if any(cell.failed for cell in comparison.cells):
        marks.append(f"{FAILED} {t('state.failed')}")
    if marks:
        st.text("   ".join(marks))
