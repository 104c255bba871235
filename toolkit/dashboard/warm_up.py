"""What the server does around its pages: import early, and close at the end what was opened."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from threading import Thread
from typing import Any, Final

import streamlit as st

_NEEDED: Final = ("toolkit.workspace", "toolkit.evidence", "pandas", "toolkit.charts")
"""In the order in which a visitor meets them."""


@asynccontextmanager
async def warm_up(_: Any) -> AsyncIterator[None]:
    """Import in the background from the moment the server is up; close the workspace at its end."""
    Thread(target=_import_all, name="warm-up", daemon=True).start()
    yield
    # A store that is still open when Python ends can take the process down with an abort.
    st.cache_resource.clear()


def _import_all() -> None:
    for name in _NEEDED:
        import_module(name)
