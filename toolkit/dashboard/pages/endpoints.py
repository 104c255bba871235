"""The endpoints that chains are asked through: list, add, test. Never their URLs."""

from __future__ import annotations

import streamlit as st

from toolkit.chain.health import EndpointHealth
from toolkit.dashboard import session
from toolkit.dashboard.components.foreign_words import refuse_all
from toolkit.dashboard.words import language, say, t
from toolkit.errors import ToolkitError
from toolkit.workspace.health_words import health_words


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
    draw_health([one.health for one in reports] or session.workspace().health())
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


def draw_health(found: list[EndpointHealth]) -> None:
    """Show how endpoints stand: as tested, else as far as questions have shown it by now."""
    if not found:
        return
    st.subheader(say("endpoints.health"))
    st.caption(say("endpoints.health_text"))
    rows = [dict(health_words(one, language())) for one in found]
    st.dataframe(
        {
            t("endpoints.id"): [one.endpoint_id for one in found],
            t("endpoints.chain_id"): [str(one.chain_id) for one in found],
            **{heading: [row[heading] for row in rows] for heading in rows[0]},
        },
        hide_index=True,
        key="health",
    )


def add_endpoint() -> None:
    """Offer the form that adds an endpoint; what was refused stays in it, but for the URL."""
    with st.form("add_endpoint"):
        st.subheader(say("endpoints.add"))
        chain_column, name_column, url_column = st.columns([1, 1, 3])
        chain_column.text_input(say("endpoints.chain_id"), placeholder="1", key="new_chain_id")
        name_column.text_input(say("endpoints.id"), placeholder="primary", key="new_endpoint_id")
        url_column.text_input(
            say("endpoints.url"),
            type="password",
            key="new_url",
            autocomplete="off",
            help=say("endpoints.url_help"),
        )
        st.form_submit_button(
            say("endpoints.add_button"),
            type="primary",
            key="add_endpoint_button",
            on_click=_submit,
        )
    refused = st.session_state.pop("_endpoint_refused", None)
    if refused is not None:
        refuse_all([refused, t("endpoints.url_again")])
    added = st.session_state.pop("_endpoint_added", None)
    if added is not None:
        st.toast(say("endpoints.added", **added))


def _submit() -> None:
    """Add what is in the form. It runs before the page is drawn, where fields can be emptied."""
    chain_id, name, url = (
        str(st.session_state[field] or "").strip()
        for field in ("new_chain_id", "new_endpoint_id", "new_url")
    )
    st.session_state["new_url"] = ""
    refused = _add(chain_id, name, url)
    if refused is not None:
        st.session_state["_endpoint_refused"] = refused
        return
    st.session_state["new_chain_id"] = st.session_state["new_endpoint_id"] = ""
    st.session_state["_endpoint_added"] = {"endpoint_id": name, "chain_id": chain_id}


def _add(chain_id: str, name: str, url: str) -> str | None:
    """Add an endpoint, or say why not."""
    if not (chain_id.isascii() and chain_id.isdigit() and len(chain_id) <= 19):
        return t("endpoints.bad_chain_id")
    if not name or not url:
        return t("endpoints.incomplete")
    try:
        session.workspace().add_endpoint(endpoint_id=name, chain_id=int(chain_id), url=url)
    except ToolkitError as error:
        return str(error)
    session.forget_snapshots()
    return None


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
