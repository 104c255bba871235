"""A page of words and one button."""

from __future__ import annotations

import streamlit as st

st.title("Front page")
st.markdown("One line of text.")
st.button("A button")
