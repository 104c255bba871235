"""The frame around every page: navigation, the pin's controls, the pin strip, then the page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from toolkit.dashboard import pinning, session
from toolkit.dashboard.components import pin_strip
from toolkit.dashboard.page_files import PAGES, page_file
from toolkit.dashboard.warm_up import import_rest
from toolkit.dashboard.words import t

STYLE = Path(__file__).with_name("frame.css")


def draw() -> None:
    """Draw the frame and run the page in it."""
    st.set_page_config(page_title="blockpin", page_icon="\U0001f4cc", layout="wide")
    st.html(STYLE)
    pinning.take_arrivals()
    pages = [
        st.Page(page_file(name), title=t(f"nav.{name}"), default=name == PAGES[0]) for name in PAGES
    ]
    page = st.navigation(pages, position="top")
    with st.container(key="pin_controls"):
        snapshot = pinning.choose_pin()
    strip = st.container(key="pin_strip").empty()
    st.session_state["snapshot"] = snapshot
    demo = snapshot is not None and session.is_demo(snapshot.pin.chain_id)
    with strip:
        pin_strip.draw(snapshot, demo=demo)
    page.run()
    # What the page read is counted only now.
    with strip:
        pin_strip.draw(snapshot, demo=demo)
    import_rest()


draw()
