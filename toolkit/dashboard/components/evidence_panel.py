"""The evidence of one number: the call, the block, who said so, the bytes, how to repeat it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from toolkit.dashboard.components.foreign_words import note
from toolkit.dashboard.words import say
from toolkit.evidence import EvidenceRow, asked_cells, repeat_call, repeat_line, rows_of

if TYPE_CHECKING:
    from toolkit.derive import Derived
    from toolkit.tools import ToolAnswer

_SHORT = (
    ("evidence_of.decimals", "decimals"),
    ("evidence_of.endpoint", "endpoint_id"),
    ("evidence_of.transport", "transport"),
    ("evidence_of.read_at", "read_at"),
)
_LONG = (
    ("evidence_of.contract", "contract"),
    ("evidence_of.function", "function"),
    ("evidence_of.calldata", "calldata"),
    ("evidence_of.result", "result_hex"),
    ("evidence_of.block", "block_hash"),
    ("evidence_of.formula", "formula"),
    ("evidence_of.from", "derived_from"),
    ("evidence_of.row", "row_id"),
)


def show_answer(answer: ToolAnswer, row_id: str, *, name: str) -> None:
    """Show the row of one cell, and how to repeat the call behind it."""
    rows = {row.row_id: row for row in rows_of([answer])}
    with st.container(border=True, key=f"exact_{name}"):
        st.markdown(say("evidence_of.heading"))
        if answer.error is not None:
            st.caption(say("evidence_of.reason"))
            note(str(answer.error))
        if row_id in rows:
            _show(rows[row_id])
        _code("evidence_of.repeat", repeat_line(answer))
        _code("evidence_of.rpc", _rpc_line(answer, rows.get(row_id)))


def show_derived(number: Derived, *, name: str) -> None:
    """Show a derived number's row: its formula and the rows it comes from."""
    with st.container(border=True, key=f"exact_{name}"):
        st.markdown(say("evidence_of.heading"))
        for row in rows_of([], [number]):
            _show(row)


def show_row(row: EvidenceRow, answers: Sequence[ToolAnswer], *, name: str) -> None:
    """Show one row of the evidence page, with its call where one stands behind it."""
    with st.container(border=True, key=f"exact_{name}"):
        st.markdown(say("evidence_of.heading"))
        _show(row)
        for answer in answers[:1]:
            _code("evidence_of.repeat", repeat_line(answer))
            _code("evidence_of.rpc", _rpc_line(answer, row))


def _show(row: EvidenceRow) -> None:
    """Lay one evidence row out; each value stands in a box of its own that copies exactly."""
    minus = "-" if row.sign == "minus" else ""
    left, right = st.columns(2)
    with left:
        if row.amount:
            _code("evidence_of.amount", minus + row.amount)
        if row.raw_amount:
            _code("evidence_of.raw", minus + row.raw_amount)
        short = [(key, getattr(row, column)) for key, column in _SHORT if getattr(row, column)]
        for start in range(0, len(short), 2):
            for place, (key, value) in zip(st.columns(2), short[start : start + 2], strict=False):
                with place:
                    _code(key, value)
        _code("evidence_of.field", row.field)
        if row.untrusted_text_json:
            _code("evidence_of.words", row.untrusted_text_json)
    with right:
        for key, column in _LONG:
            if getattr(row, column):
                _code(key, getattr(row, column))


def _code(key: str, value: str) -> None:
    """A labelled box with a copy button; st.code reads no markup."""
    if value:
        st.caption(say(key))
        st.code(value, language=None, wrap_lines=True)


def _rpc_line(answer: ToolAnswer, row: EvidenceRow | None) -> str:
    """The one JSON-RPC request that repeats the read behind a row, for any endpoint."""
    if answer.pinned is None or row is None:
        return ""
    for fact in answer.facts:
        if asked_cells(fact.read).items() <= row._asdict().items():
            method, params = repeat_call(fact.read, answer.pinned.pin)
            request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            return json.dumps(request, separators=(",", ":"))
    return ""
