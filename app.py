"""The dashboard's front door: Streamlit as an ASGI app, with the security headers around it.

Start it with `toolkit app`, or `streamlit run app.py`. What is on screen is drawn by
`toolkit/dashboard/components/frame.py`, which every page shares.
"""

from __future__ import annotations

import streamlit as st
from starlette.middleware import Middleware

from toolkit.dashboard.headers import SecurityHeaders
from toolkit.dashboard.page_files import FRAME
from toolkit.dashboard.warm_up import warm_up

app = st.App(FRAME, lifespan=warm_up, middleware=[Middleware(SecurityHeaders)])
