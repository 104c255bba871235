"""On-chain numbers that hold up: EVM reads at one pinned block, with their evidence.

    import toolkit as tk
    snap = tk.demo().at(block=100)
    snap.native_balances([...])

Every name is loaded on first use, so that `import toolkit` costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolkit.analysis.cell import Cell
    from toolkit.errors import (
        InvalidArgumentError,
        MixedPinsError,
        ReorgedError,
        ToolkitError,
        UnknownChainError,
    )
    from toolkit.models import Pin, ToolResult
    from toolkit.workspace.node import Node, PinnedNode, call, connect, demo
    from toolkit.workspace.readings import (
        BalanceReading,
        ChangeReading,
        ComparisonReading,
        DepthReading,
        TransfersReading,
        change,
        export,
    )

__all__ = [
    "BalanceReading",
    "Cell",
    "ChangeReading",
    "ComparisonReading",
    "DepthReading",
    "InvalidArgumentError",
    "MixedPinsError",
    "Node",
    "Pin",
    "PinnedNode",
    "ReorgedError",
    "ToolResult",
    "ToolkitError",
    "TransfersReading",
    "UnknownChainError",
    "call",
    "change",
    "connect",
    "demo",
    "export",
]

_HOMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "analysis.cell": ("Cell",),
        "errors": (
            "InvalidArgumentError",
            "MixedPinsError",
            "ReorgedError",
            "ToolkitError",
            "UnknownChainError",
        ),
        "models": ("Pin", "ToolResult"),
        "workspace.node": ("Node", "PinnedNode", "call", "connect", "demo"),
        "workspace.readings": (
            "BalanceReading",
            "ChangeReading",
            "ComparisonReading",
            "DepthReading",
            "TransfersReading",
            "change",
            "export",
        ),
    }
)


def __getattr__(name: str) -> Any:
    """Load a public name from the room that it lives in (PEP 562)."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"toolkit.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
