"""The endpoints that chains are asked through: list, add, test. Never their URLs."""

from __future__ import annotations

import streamlit as st

from toolkit.dashboard import session
from toolkit.dashboard.components.foreign_words import refuse, refuse_all
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


def draw_endpoints() -> None:
    """List the configured endpoints by name."""
    configured = session.workspace().settings.endpoints
    if configured:
        st.dataframe(
            {
                t("endpoints.id"): [one.id for one in configured],
                t("endpoints.chain_id"): [str(one.chain_id) for one in configured],
            },
            hide_index=True,
            key="configured",
        )


def test_endpoints() -> None:
    """Ask each configured endpoint what it can do, when the button is pressed."""
    if not session.workspace().settings.endpoints:
        return
    if st.button(say("endpoints.test"), key="test_endpoints"):
        with st.spinner(say("endpoints.testing")):
            st.session_state["_reports"] = session.workspace().doctor()
    reports = st.session_state.get("_reports", [])
    if not reports:
        return
    st.dataframe(
        {
            t("endpoints.id"): [one.endpoint_id for one in reports],
            t("endpoints.chain_id"): [str(one.chain_id) for one in reports],
            t("endpoints.verdict"): [
                t("endpoints.answers") if one.ok else t("endpoints.fails") for one in reports
            ],
        },
        hide_index=True,
        key="reports",
    )
    refuse_all(f"{one.endpoint_id}: {one.error}" for one in reports if one.error)


def add_endpoint() -> None:
    """Offer the form that adds an endpoint."""
    with st.form("add_endpoint", clear_on_submit=True):
        st.subheader(say("endpoints.add"))
        chain_column, name_column, url_column = st.columns([1, 1, 3])
        chain_id = chain_column.text_input(
            say("endpoints.chain_id"), placeholder="1", key="new_chain_id"
        )
        name = name_column.text_input(
            say("endpoints.id"), placeholder="primary", key="new_endpoint_id"
        )
        url = url_column.text_input(
            say("endpoints.url"),
            type="password",
            key="new_url",
            autocomplete="off",
            help=say("endpoints.url_help"),
        )
        if not st.form_submit_button(
            say("endpoints.add_button"), type="primary", key="add_endpoint_button"
        ):
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
    st.subheader(say("endpoints.configured"))
    draw_chains()
    draw_endpoints()
    test_endpoints()


draw()
