"""The first page: what a pin is, and one click into the demo."""

from __future__ import annotations

import streamlit as st

from toolkit.dashboard import pinning, session
from toolkit.dashboard.page_files import page_file
from toolkit.dashboard.words import say


def open_demo(page: str) -> None:
    """Go to a page with the pin and the selection that the shipped demo suggests.

    The pin's fields are on this page already and are set; the selection's travel in the link.
    """
    demo = session.workspace().demo
    if page == "pool_depth":
        block, selection = demo.depth.block, {"pools": "\n".join(demo.depth.pools)}
    else:
        block = demo.compare.block
        selection = {
            "addresses": "\n".join(demo.compare.addresses),
            "tokens": "\n".join(demo.compare.tokens),
            "coin": str(demo.compare.native).lower(),
        }
    pinning.arrive_with(chain=str(demo.chain_id), block=str(block))
    st.switch_page(page_file(page), query_params=selection)


def draw() -> None:
    """Draw the page."""
    st.title(say("start.title"))
    with st.container(key="creed"):
        for line in ("start.pin_1", "start.pin_2", "start.pin_3"):
            st.markdown(say(line))
    demo_column, own_column = st.columns(2, gap="large")
    with demo_column, st.container(border=True, height="stretch"):
        st.subheader(say("start.demo_title"))
        st.markdown(say("start.demo_text"))
        with st.container(horizontal=True):
            if st.button(say("start.demo_compare"), type="primary", key="open_demo"):
                open_demo("compare_addresses")
            if st.button(say("start.demo_depth"), key="open_demo_depth"):
                open_demo("pool_depth")
    with own_column, st.container(border=True, height="stretch"):
        st.subheader(say("start.own_title"))
        st.markdown(say("start.own_text"))
        if st.button(say("start.own_button"), key="go_endpoints"):
            st.switch_page(page_file("endpoints"))
    st.caption(say("start.price_free"))


draw()
