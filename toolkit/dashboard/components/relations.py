"""Differences, ratios, shares and changes: exact, each with the rows it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import streamlit as st

from toolkit.dashboard.components.amounts import fitted, grouped
from toolkit.dashboard.components.evidence_panel import show_derived
from toolkit.dashboard.components.matrix import FAILED, RAW, cell_text
from toolkit.dashboard.components.picking import show_table
from toolkit.dashboard.words import reason, say, t
from toolkit.models import Unknown

if TYPE_CHECKING:
    from toolkit.analysis import Change, Comparison
    from toolkit.derive import Derived

_SHOWN_AT_MOST: Final = 2_000
_WORDS: Final = ("difference@1", "ratio@1", "share_of_supply@1")


def show_relations(comparison: Comparison, names: Mapping[str, str]) -> None:
    """Show what follows from the matrix, and the evidence of the row that is clicked."""
    numbers = [number for number in comparison.derived if number.formula in _WORDS]
    numbers = numbers[:_SHOWN_AT_MOST]
    if not numbers:
        return
    st.subheader(say("compare.relations"))
    address_of = {cell.row_id: cell.address for cell in comparison.cells}
    row = show_table(
        {
            t("compare.asset"): [names[number.contract or "native"] for number in numbers],
            t("compare.relation"): [_relation(number, address_of, names) for number in numbers],
            t("compare.value"): [fitted(derived_text(number)) for number in numbers],
            t("compare.exact"): [_exactness(number) for number in numbers],
        },
        key="relations",
        amounts=[],
    )
    if row is not None:
        show_derived(numbers[row], name="relation")


def show_change(change: Change, names: Mapping[str, str]) -> None:
    """Show before, after and the exact change of each cell."""
    before, after = change.before_pinned.pin, change.after_pinned.pin
    st.subheader(say("compare.change_title", before=before.number, after=after.number))
    st.caption(say("compare.change_pins", before=before.hash, before_time=before.time))
    cells = change.cells
    amounts = [t("compare.when_before"), t("compare.when_after"), t("compare.when_change")]
    row = show_table(
        {
            t("compare.asset"): [names[cell.after.asset] for cell in cells],
            t("compare.address"): [names[cell.after.address] for cell in cells],
            amounts[0]: [fitted(cell_text(cell.before)) for cell in cells],
            amounts[1]: [fitted(cell_text(cell.after)) for cell in cells],
            amounts[2]: [
                fitted(derived_text(cell.change)) if cell.change else FAILED for cell in cells
            ],
        },
        key="changes",
        amounts=[],
    )
    number = None if row is None else cells[row].change
    if number is not None:
        show_derived(number, name="change")


def derived_text(number: Derived) -> str:
    """A derived number for a table cell: its amount, else its exact text, else the reason."""
    if isinstance(number.value, Unknown):
        return f"{FAILED} {reason(number.value.code)}"
    if number.amount is not None:
        return grouped(number.amount)
    text = grouped(number.text or "")
    return f"{RAW} {text}" if isinstance(number.value, int) else text


def _relation(number: Derived, address_of: Mapping[str, str], names: Mapping[str, str]) -> str:
    """The relation in words; the first address of the page is what the others are held against."""
    first, second = (names.get(address_of.get(row, ""), "") for row in number.derived_from)
    if number.formula == "difference@1":
        return t("compare.difference", first=first, second=second)
    if number.formula == "ratio@1":
        return t("compare.ratio", first=first, second=second)
    return t("compare.share", first=first)


def _exactness(number: Derived) -> str:
    if isinstance(number.value, Unknown):
        return ""
    return t("compare.exact_yes") if number.exact else t("compare.exact_no")
