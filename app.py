"""The dashboard's front door: Streamlit as an ASGI app, with the security headers around it.

Start it with `toolkit app`, or `streamlit run app.py`. What is on screen is drawn by
`toolkit/dashboard/frame.py`, which every page shares.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

import toolkit.dashboard
from toolkit.dashboard.headers import SecurityHeaders

FRAME = Path(toolkit.dashboard.__file__).with_name("frame.py")

app = st.App(FRAME, middleware=[Middleware(SecurityHeaders)])
