"""How a notebook draws: as SVG, which needs no network and no script."""

from __future__ import annotations

from typing import Final

import altair as alt

from toolkit.charts.frame import AnyChart, drawn

_WIDTH: Final = 640
"""Wide enough for the longest line of a title, which a page lets its container decide."""


def for_notebook(chart: AnyChart) -> AnyChart:
    """Give a chart a width of its own, and let the notebook draw it without a network."""
    _draw_offline()
    return drawn(chart.properties(width=_WIDTH))


def _draw_offline() -> None:
    """Choose the SVG renderer, unless the reader of the notebook has chosen one."""
    if alt.renderers.active == "default":
        alt.renderers.enable("svg")
