"""The least that a Streamlit app of several pages can be: what the dashboard is held to."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

st.set_page_config(page_title="bare", layout="wide")
pages = [
    st.Page(HERE / "front.py", title="Front", default=True),
    st.Page(HERE / "other.py", title="Other"),
]
st.navigation(pages, position="top").run()
