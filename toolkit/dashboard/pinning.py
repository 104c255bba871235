"""The controls that every page shares: chain, block, language; and the pin they resolve to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from toolkit.dashboard import session
from toolkit.dashboard.components.foreign_words import refuse
from toolkit.dashboard.inputs import block_fault, is_moving, is_time
from toolkit.dashboard.words import language, say, t
from toolkit.errors import ToolkitError
from toolkit.i18n import LANGUAGES

if TYPE_CHECKING:
    from toolkit.workspace import Snapshot

_ARRIVING: Final = "_arriving"
_LONGEST: Final = 40
"""What is repeated of a chain id in a link; no real one is longer. Unit: characters."""


def arrive_with(**widgets: object) -> None:
    """Set widgets to values at the start of the next run, where Streamlit still allows it."""
    st.session_state[_ARRIVING] = widgets


def take_arrivals() -> None:
    """Apply what `arrive_with` left, before any widget is drawn."""
    for key, value in st.session_state.pop(_ARRIVING, {}).items():
        st.session_state[key] = value


def choose_language() -> None:
    """Offer the languages; the choice lives in the link as ?lang=."""
    names = {"en": "English", "ja": "\u65e5\u672c\u8a9e"}
    st.session_state["language"] = language()
    st.segmented_control(
        say("frame.language"),
        LANGUAGES,
        format_func=names.__getitem__,
        key="language",
        required=True,
        label_visibility="collapsed",
        on_change=_write_link,
        args=("lang", "language"),
    )


def keep_link() -> None:
    """Bind chain and language to the link, through fields that nobody sees.

    A bound selectbox would write its label into the link, and a link of labels breaks when a
    label changes; setting `st.query_params` by hand would drop what other widgets bind.
    """
    with st.container(key="link_fields"):
        for name in ("lang", "chain"):
            st.text_input(name, key=name, bind="query-params", label_visibility="collapsed")


def choose_pin() -> Snapshot | None:
    """Offer chain and block, and pin what was chosen; None where nothing can be pinned yet."""
    keep_link()
    chains = {str(choice.chain_id): choice for choice in session.workspace().chains()}
    linked = str(st.session_state.get("chain") or "")
    st.session_state["chain_choice"] = linked if linked in chains else None
    chain_column, block_column, again_column, language_column = st.columns(
        [3, 5, 1.4, 1.6], vertical_alignment="bottom"
    )
    with language_column:
        choose_language()
    with chain_column:
        chain = st.selectbox(
            say("frame.chain"),
            list(chains),
            index=None,
            format_func=lambda key: f"{chains[key].name} \u00b7 {key}",
            key="chain_choice",
            placeholder=t("frame.chain_placeholder"),
            on_change=_write_link,
            args=("chain", "chain_choice"),
        )
    with block_column:
        block = st.text_input(
            say("frame.block"),
            key="block",
            bind="query-params",
            placeholder=t("frame.block_placeholder"),
            help=say("frame.block_help"),
        )
    with again_column:
        st.button(
            say("frame.again"),
            on_click=session.forget_snapshots,
            help=say("frame.again_help"),
            width="stretch",
        )
    if linked and linked not in chains:
        _refuse_chain(linked)
    if not chain or not (block or "").strip():
        return None
    return _pin(int(chain), str(block).strip())


def _refuse_chain(linked: str) -> None:
    """Say that nothing answers for the chain of a link; a very long id is cut visibly."""
    shown = linked if len(linked) <= _LONGEST else f"{linked[:_LONGEST]}\u2026"
    refuse(t("frame.unknown_chain", chain_id=shown))


def _pin(chain_id: int, block: str) -> Snapshot | None:
    """Resolve a block, or say why not. A moving name is replaced by the hash it meant."""
    fault = None if is_time(block) else block_fault(block)
    if fault:
        refuse(fault)
        return None
    try:
        with st.spinner(say("frame.pinning"), show_time=False):
            snapshot = session.snapshot_at(chain_id, block)
    except ToolkitError as error:
        refuse(error)
        return None
    if is_moving(block):
        session.hold(snapshot)
        st.session_state["_moved_from"] = block
        arrive_with(block=snapshot.pin.hash)
        st.rerun()
    return snapshot


def _write_link(name: str, widget: str) -> None:
    """Copy a choice into the field that is bound to the link."""
    st.session_state[name] = st.session_state.get(widget) or ""
