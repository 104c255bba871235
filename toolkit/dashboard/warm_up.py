"""Imports what the pages need while the first visitor's browser is still loading."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from threading import Thread
from typing import Any, Final

_NEEDED: Final = ("toolkit.workspace", "toolkit.evidence", "pandas", "toolkit.charts")
"""In the order in which a visitor meets them."""


@asynccontextmanager
async def warm_up(_: Any) -> AsyncIterator[None]:
    """Import in the background from the moment the server is up."""
    Thread(target=_import_all, name="warm-up", daemon=True).start()
    yield


def _import_all() -> None:
    for name in _NEEDED:
        import_module(name)
