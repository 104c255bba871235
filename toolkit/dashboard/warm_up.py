"""What the server does around its pages: import early, and close at the end what was opened."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib import import_module
from threading import Thread
from typing import Any, Final

import streamlit as st

_BEFORE: Final = ("toolkit.workspace", "toolkit.dashboard.components.pin_strip")
"""What every page needs: imported before the server answers, so that no visitor waits for it."""

_MEANWHILE: Final = ("toolkit.evidence", "pandas", "toolkit.charts")
"""What some pages need, in the order in which a visitor meets them."""


@asynccontextmanager
async def warm_up(_: Any) -> AsyncIterator[None]:
    """Import what every page needs, and close the workspace at the server's end."""
    for name in _BEFORE:
        import_module(name)
    yield
    # A store that is still open when Python ends can take the process down with an abort.
    st.cache_resource.clear()


@cache
def import_rest() -> None:
    """Import the rest in the background, once, while the first visitor reads the first page."""
    Thread(target=_import_rest, name="warm-up", daemon=True).start()


def _import_rest() -> None:
    for name in _MEANWHILE:
        import_module(name)
    # Streamlit collects all garbage after every run of a page. What was imported lives as long
    # as the server does, and walking through it took longer than the page itself.
    gc.collect()
    gc.freeze()
