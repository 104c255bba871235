"""Charts beside their exact numbers: drawn by the chart room, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import streamlit as st

from toolkit.dashboard.words import STATES, reason, say, t

if TYPE_CHECKING:
    from toolkit.analysis import Comparison, PoolDepth
    from toolkit.charts.frame import AnyChart

_WORDS: Final = (
    "chain",
    "block",
    "price_free",
    "native",
    "address",
    "amount",
    "raw_amount",
    "raw_units",
    "state",
    "reason",
    "zero",
    "value",
    "log_scale",
    "linear_scale",
    "shown_of",
    "pool",
    "move",
    "sell_token0",
    "sell_token1",
    "input",
    "output",
    "fee_in",
    "fee_out",
    "not_a_quote",
    "reserve0",
    "reserve1",
    "now",
    "after_trade",
    "curve",
    "amount_in",
    "amount_out",
    "unavailable",
)
"""The chart room's words that these pages use; each has an entry `chart.<word>`."""


_INK: Final = {"light": ("#22252a", "#5c6068"), "dark": ("#e4e1d8", "#a5a8ad")}
"""The theme's colours of text in a chart: of amounts beside their marks, and of subtitles."""
_HEIGHT: Final = 380
"""Streamlit counts title, axis and legend in; less than this squeezes the plot. Unit: pixels."""


def chart_words() -> dict[str, str]:
    """The charts' words in the reader's language. `{shown}` and `{total}` are the chart's own."""
    keep = {"shown": "{shown}", "total": "{total}"}
    said = {word: t(f"chart.{word}", **keep) for word in _WORDS}
    return said | {code: reason(code) for code in STATES}


def show_balances(comparison: Comparison) -> None:
    """Show one panel per asset, each with its own axis."""
    from toolkit.charts import balance_panel  # noqa: PLC0415  # altair is slow to import

    words = chart_words()
    st.subheader(say("compare.charts"))
    st.caption(say("compare.charts_hint"))
    _in_pairs(
        "balances",
        (balance_panel(comparison, asset, title_words=words) for asset in comparison.assets),
    )


def show_depth(depth: PoolDepth) -> None:
    """Show what moves the rate on both sides, side by side."""
    from toolkit.charts import impact_charts  # noqa: PLC0415  # altair is slow to import

    words = chart_words()
    for zero, one in zip(
        impact_charts(depth, "sell_token0", words=words),
        impact_charts(depth, "sell_token1", words=words),
        strict=False,
    ):
        _in_pairs("impact", (zero, one))


def show_curves(depth: PoolDepth, tokens: Iterable[str]) -> None:
    """Show what each pool pays by size of input, and each pool's product curve."""
    from toolkit.charts import (  # noqa: PLC0415  # altair is slow to import
        amount_out_chart,
        product_curve,
    )

    words = chart_words()
    st.subheader(say("depth.out_by_size"))
    _in_pairs("out", (amount_out_chart(depth, token, words=words) for token in tokens))
    st.subheader(say("depth.curve"))
    _in_pairs(
        "curve",
        (
            product_curve(depth, reading.pool, words=words)
            for reading in depth.pools
            if reading.has_depth
        ),
    )


def _in_pairs(name: str, charts: Iterable[AnyChart]) -> None:
    """Place single-view charts two in a row; one concatenated chart would run off the page."""
    amounts, subtitles = _INK["dark" if st.context.theme.type == "dark" else "light"]
    for row, pair in enumerate(_twos(charts)):
        for place, (column, chart) in enumerate(zip(st.columns(2), pair, strict=False)):
            with column:
                # Streamlit's theme leaves subtitles, the pin, and text marks black.
                readable = chart.configure_title(subtitleColor=subtitles)
                readable = readable.configure_text(color=amounts)
                st.altair_chart(readable, key=f"{name}_{row}_{place}", height=_HEIGHT)


def _twos(charts: Iterable[AnyChart]) -> list[tuple[AnyChart, ...]]:
    drawn = list(charts)
    return [tuple(drawn[at : at + 2]) for at in range(0, len(drawn), 2)]
