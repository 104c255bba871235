"""A page of words and one field."""

from __future__ import annotations

import streamlit as st

st.title("Other page")
st.markdown("One line of text.")
st.text_area("A field")
