"""Where the parts are joined: settings, endpoints, store and tools as one thing to ask.

`Snapshot` is found on first use: its frames bring polars, which a single call does not need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from toolkit.config import DEMO_CHAIN_ID
from toolkit.workspace.demo import Demo
from toolkit.workspace.doctor import EndpointReport
from toolkit.workspace.workspace import ChainChoice, Workspace, open_workspace

if TYPE_CHECKING:
    from toolkit.workspace.snapshot import Snapshot

__all__ = [
    "DEMO_CHAIN_ID",
    "ChainChoice",
    "Demo",
    "EndpointReport",
    "Snapshot",
    "Workspace",
    "open_workspace",
]


def __getattr__(name: str) -> Any:
    """Load what is slow to load only when it is asked for."""
    if name == "Snapshot":
        return import_module("toolkit.workspace.snapshot").Snapshot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
