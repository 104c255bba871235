"""How a notebook draws: as SVG, which needs no network and no script."""

from __future__ import annotations

import altair as alt


def draw_offline() -> None:
    """Choose the SVG renderer, unless the reader of the notebook has chosen one."""
    if alt.renderers.active == "default":
        alt.renderers.enable("svg")
