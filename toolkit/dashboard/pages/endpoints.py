"""The endpoints that chains are asked through: list, add, test. Never their URLs."""

from __future__ import annotations

import streamlit as st

from toolkit.dashboard import session
from toolkit.dashboard.components.foreign_words import refuse
from toolkit.dashboard.words import say, t
from toolkit.errors import ToolkitError


def draw_chains() -> None:
    """List the chains that can be asked."""
    chains = session.workspace().chains()
    st.dataframe(
        {
            t("endpoints.chain_id"): [str(chain.chain_id) for chain in chains],
            t("endpoints.chain"): [chain.name for chain in chains],
            t("endpoints.coin"): [chain.coin_symbol or t("words.none") for chain in chains],
            t("endpoints.count"): [str(chain.endpoints) for chain in chains],
            t("endpoints.kind"): [
                t("endpoints.demo") if chain.demo else t("endpoints.real") for chain in chains
            ],
        },
        hide_index=True,
        key="chains",
    )


def add_endpoint() -> None:
    """Offer the form that adds an endpoint."""
    with st.form("add_endpoint", clear_on_submit=True):
        st.subheader(say("endpoints.add"))
        chain_column, name_column, url_column = st.columns([1, 1, 3])
        chain_id = chain_column.text_input(say("endpoints.chain_id"), placeholder="1")
        name = name_column.text_input(say("endpoints.id"), placeholder="primary")
        url = url_column.text_input(
            say("endpoints.url"),
            type="password",
            autocomplete="off",
            help=say("endpoints.url_help"),
        )
        if not st.form_submit_button(say("endpoints.add_button"), type="primary"):
            return
    _add(chain_id.strip(), name.strip(), url.strip())


def _add(chain_id: str, name: str, url: str) -> None:
    if not (chain_id.isascii() and chain_id.isdigit() and len(chain_id) <= 19):
        refuse(t("endpoints.bad_chain_id"))
        return
    if not name or not url:
        refuse(t("endpoints.incomplete"))
        return
    try:
        session.workspace().add_endpoint(endpoint_id=name, chain_id=int(chain_id), url=url)
    except ToolkitError as error:
        refuse(error)
        return
    session.forget_snapshots()
    st.toast(say("endpoints.added", endpoint_id=name, chain_id=chain_id))


def draw() -> None:
    """Draw the page."""
    st.title(say("endpoints.title"))
    st.markdown(say("endpoints.text"))
    add_endpoint()
    draw_chains()


draw()
