"""Every read and derived number that this session has shown, as rows of evidence.csv."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from toolkit.dashboard import session
from toolkit.dashboard.components.amounts import fitted, grouped
from toolkit.dashboard.components.downloads import offer_rows
from toolkit.dashboard.components.evidence_panel import show_row
from toolkit.dashboard.components.picking import show_table
from toolkit.dashboard.words import say, t
from toolkit.evidence import EvidenceRow, rows_of

if TYPE_CHECKING:
    from toolkit.tools import ToolAnswer


@dataclass(frozen=True, slots=True)
class Found:
    """One evidence row, the result that it belongs to, and the call behind it, if any."""

    row: EvidenceRow
    title: str
    answer: ToolAnswer | None


def collected() -> list[Found]:
    """The rows of everything shown so far, each once."""
    found: dict[str, Found] = {}
    for one in session.shown():
        for answer in one.result.answers:
            for row in rows_of([answer]):
                found.setdefault(row.row_id, Found(row, one.title, answer))
        for row in rows_of([], one.result.derived):
            found.setdefault(row.row_id, Found(row, one.title, None))
    return list(found.values())


def filtered(everything: list[Found]) -> list[Found]:
    """Offer filters, and keep what passes them."""
    from_column, tool_column, search_column = st.columns([2, 2, 3])
    titles = list(dict.fromkeys(one.title for one in everything))
    tools = list(dict.fromkeys(one.row.tool or t("evidence.derived") for one in everything))
    everywhere = t("evidence.all")
    chosen = from_column.multiselect(
        say("evidence.results"), titles, key="evidence_from", placeholder=everywhere
    )
    chosen_tools = tool_column.multiselect(
        say("evidence.tools"), tools, key="evidence_tools", placeholder=everywhere
    )
    wanted = search_column.text_input(say("evidence.search"), key="evidence_search").strip().lower()
    return [
        one
        for one in everything
        if (not chosen or one.title in chosen)
        and (not chosen_tools or (one.row.tool or t("evidence.derived")) in chosen_tools)
        and (wanted in f"{one.row.contract} {one.row.row_id} {one.row.calldata}".lower())
    ]


def show_rows(rows: list[Found]) -> Found | None:
    """Show the rows as a table, and give back the one that was clicked."""
    picked = show_table(
        {
            "field": [one.row.field for one in rows],
            "amount": [_signed(one.row) for one in rows],
            "contract": [one.row.contract for one in rows],
            "function": [one.row.function or one.row.formula for one in rows],
            "block_number": [one.row.block_number for one in rows],
            "chain_id": [one.row.chain_id for one in rows],
            "endpoint_id": [one.row.endpoint_id for one in rows],
            "read_at": [one.row.read_at for one in rows],
            "row_id": [one.row.row_id for one in rows],
        },
        key="evidence_rows",
        amounts=["amount"],
        height=520,
    )
    return None if picked is None else rows[picked]


def _signed(row: EvidenceRow) -> str:
    """The row's amount, else its raw integer, grouped for the eye."""
    text = row.amount or row.raw_amount
    return fitted(grouped("-" + text if row.sign == "minus" else text)) if text else ""


def draw() -> None:
    """Draw the page."""
    st.title(say("evidence.title"))
    st.markdown(say("evidence.text"))
    everything = collected()
    if not everything:
        st.info(say("evidence.empty"))
        return
    filters, download = st.columns([7, 1.6], vertical_alignment="bottom")
    with filters:
        rows = filtered(everything)
    st.caption(say("evidence.count", count=len(rows), total=len(everything)))
    if not rows:
        return
    with download:
        offer_rows([one.row for one in rows])
    picked = show_rows(rows)
    if picked is not None:
        answers = [] if picked.answer is None else [picked.answer]
        show_row(picked.row, answers, name="row")


draw()
