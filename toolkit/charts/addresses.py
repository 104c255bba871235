"""One panel per asset: what each address holds, on the asset's own axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from toolkit.analysis import NATIVE, Cell, Comparison
from toolkit.charts.frame import (
    COLOURS,
    FAILED,
    MIN_HEIGHT,
    QUIET,
    SHORT_LABEL,
    AnyChart,
    approximate,
    empty_chart,
    layered,
    number_axis,
    plotted,
    position,
    titled,
)
from toolkit.charts.words import Words, merged
from toolkit.untrusted import UntrustedText

MAX_ADDRESSES: Final = 60
"""More rows than this cannot be read in one panel; its title says how many there are."""

LOG_FROM: Final = 1_000
"""From this ratio of largest to smallest on, bars from zero would hide the small ones."""

_ROW_HEIGHT: Final = 22
_LABEL_ROOM: Final = 0.35
"""The share of the axis kept free on the right for the amounts as text."""


def balance_panel(
    comparison: Comparison, asset: str, *, title_words: Words | None = None
) -> AnyChart:
    """Draw what each address holds of one asset.

    Shape: bars from zero, or points on a named log scale where amounts differ a thousandfold.
    A proven zero and a failed read are marks of their own. Not: two assets on one axis.
    """
    words = merged(title_words)
    cells = comparison.cells_of(asset)[:MAX_ADDRESSES]
    rows = [_row(cell, words) for cell in cells]
    positive = [cell.raw_amount for cell in cells if cell.raw_amount]
    is_log = bool(positive) and max(positive) >= LOG_FROM * min(positive)
    scale_name = words["log_scale"] if is_log else words["linear_scale"]
    said = [scale_name] if positive else []
    total = len(comparison.addresses)
    if total > len(cells):
        said.append(words["shown_of"].format(shown=len(cells), total=total))
    title = _title(comparison, asset, words, *said)
    if not rows:
        return empty_chart(title, words["unavailable"])
    layers = [
        *_amounts(rows, is_log=is_log, title=f"{_unit(cells, words)} · {scale_name}", words=words),
        *_unseen(rows, words),
    ]
    return layered(*layers).properties(
        title=title,
        height=max(MIN_HEIGHT, _ROW_HEIGHT * len(rows)),
        width="container",
    )


def _row(cell: Cell, words: Words) -> dict[str, Any]:
    """A cell as plain text, with one float that only places its mark."""
    raw, decimals = cell.raw_amount, cell.decimals
    error = cell.error
    return {
        "address": cell.address,
        "amount": cell.amount or ("" if raw is None else f"{raw} ({words['raw_units']})"),
        "raw_amount": "" if raw is None else str(raw),
        "state": _state(cell, words),
        "kind": "failed" if raw is None else "value" if raw else "zero",
        "reason": "" if error is None else error.message,
        "shown": _shown(cell, words),
        "row_id": cell.row_id,
        "position": None if not raw else position(raw, decimals),
    }


def _shown(cell: Cell, words: Words) -> str:
    """What stands beside the mark: an amount, the word for zero, or the reason."""
    if not cell.raw_amount:
        return _state(cell, words)
    return approximate(cell.raw_amount, cell.decimals)


def _state(cell: Cell, words: Words) -> str:
    """A cell's state in words; a code that nobody has put into words yet stays a code."""
    return words.get(cell.state, cell.state)


def _amounts(
    rows: list[dict[str, Any]], *, is_log: bool, title: str, words: Words
) -> list[alt.Chart]:
    """Bars or points, and beside each the amount as text."""
    held = [row for row in rows if row["kind"] == "value"]
    if not held:
        return []
    places = [row["position"] for row in held]
    base = plotted(held).encode(y=_by_address(rows, words), tooltip=_tooltip(words))
    x = alt.X(
        "position:Q",
        title=title,
        # The amounts stand beside their marks as text; lines through them would cross it out.
        axis=number_axis(grid=False, values=_powers(places)) if is_log else number_axis(grid=False),
        scale=_log_scale(places) if is_log else _linear_scale(places),
    )
    marks = (
        base.mark_point(filled=True, size=90, color=COLOURS[0], opacity=1).encode(x=x)
        if is_log
        else base.mark_bar(color=COLOURS[0]).encode(x=x)
    )
    texts = base.mark_text(align="left", dx=9 if is_log else 5).encode(x=x, text="shown:N")
    return [marks, texts]


def _unseen(rows: list[dict[str, Any]], words: Words) -> list[alt.Chart]:
    """Zero and failed: two marks that no amount has, each with its word."""
    layers: list[alt.Chart] = []
    for kind, shape, colour in (("zero", "diamond", QUIET), ("failed", "cross", FAILED)):
        mine = [row for row in rows if row["kind"] == kind]
        if mine:
            base = plotted(mine).encode(y=_by_address(rows, words), tooltip=_tooltip(words))
            layers += [
                base.mark_point(
                    shape=shape, size=70, color=colour, filled=kind == "failed", opacity=1
                ).encode(x=alt.value(8)),
                base.mark_text(align="left", dx=10).encode(x=alt.value(8), text="shown:N"),
            ]
    return layers


def _by_address(rows: list[dict[str, Any]], words: Words) -> alt.Y:
    """The addresses in their own order, the same in every panel, labelled short."""
    return alt.Y(
        "address:N",
        title=words["address"],
        sort=None,
        scale=alt.Scale(domain=[row["address"] for row in rows]),
        axis=alt.Axis(
            labelFont="monospace",
            labelLimit=0,
            labelExpr=SHORT_LABEL,
        ),
    )


def _tooltip(words: Words) -> list[alt.Tooltip]:
    """Exact strings only."""
    fields = ("address", "amount", "raw_amount", "state", "reason")
    return [alt.Tooltip(f"{field}:N", title=words[field]) for field in fields]


def _linear_scale(places: Sequence[float]) -> alt.Scale:
    return alt.Scale(domain=[0, max(places) * (1 + _LABEL_ROOM)], nice=False)


def _log_scale(places: Sequence[float]) -> alt.Scale:
    """Room below the smallest point, and on the right for the text."""
    low, high = min(places), max(places)
    return alt.Scale(type="log", domain=[low / 3, high * (high / low) ** _LABEL_ROOM], nice=False)


def _powers(places: Sequence[float]) -> list[float]:
    """At most six powers of ten across the places, evenly apart."""
    low, high = (math.floor(math.log10(place)) for place in (min(places), max(places)))
    return [float(f"1e{power}") for power in range(low, high + 2, -(-(high + 2 - low) // 6))]


def _unit(cells: Sequence[Cell], words: Words) -> str:
    held = [cell for cell in cells if cell.raw_amount is not None]
    unscaled = bool(held) and all(cell.decimals is None for cell in held)
    return words["raw_amount"] if unscaled else words["amount"]


def _title(comparison: Comparison, asset: str, words: Words, *more: str) -> alt.TitleParams:
    """The contract's address names a token; its own symbol stands beside it only where plain."""
    symbol = comparison.symbol_of(asset)
    if isinstance(symbol, UntrustedText):
        name = symbol.for_page() if symbol.is_plain else ""
    else:
        name = symbol if isinstance(symbol, str) else ""
    subject = words["native"] if asset == NATIVE else asset
    return titled(f"{subject} {name}".strip(), comparison.pinned, words, *more)
