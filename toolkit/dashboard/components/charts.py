"""Charts beside their exact numbers: drawn by the chart room, placed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.analysis import Comparison, PoolDepth


def show_balances(comparison: Comparison) -> None:
    """Show one panel per asset, each with its own axis."""


def show_depth(depth: PoolDepth) -> None:
    """Show impact by size on both sides."""
