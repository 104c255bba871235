"""The demo's own selection, offered where a page of the demo has none yet."""

from __future__ import annotations

import streamlit as st

from toolkit.dashboard import session
from toolkit.dashboard.words import say


def offer_selection(chain_id: int, **fields: str | bool) -> None:
    """On the demo, offer to fill a page's fields with what the demo suggests."""
    if session.is_demo(chain_id):
        st.button(say("need.fill_demo"), key="fill_demo", on_click=_fill, args=(fields,))


def _fill(fields: dict[str, str | bool]) -> None:
    for name, value in fields.items():
        st.session_state[name] = value
