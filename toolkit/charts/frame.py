"""What all charts share: the pin in the title, colours for light and dark, marks, SVG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, TypeVar, cast

import altair as alt

from toolkit.chain.reader import PinnedBlock
from toolkit.charts.words import Words
from toolkit.models import scale

AnyChart: TypeAlias = alt.Chart | alt.LayerChart

T = TypeVar("T")

COLOURS: Final = ("#3b82c4", "#d9772b", "#2f9e77", "#a865c9", "#c2a21c", "#d0576b")
"""Six hues of middle lightness: each is seen on white and on near-black."""

DASHES: Final = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (10, 4), (4, 4))
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

QUIET: Final = "#777c85"
FAILED: Final = "#d0576b"
MIN_HEIGHT: Final = 320

THIN: Final = "\u2005"
"""What sets digits apart in threes, here as in the page's tables."""

_POWER_FROM: Final = 9
"""Numbers of 10^9 and more are written as a power of ten: their zeros would not fit."""

_TICKS: Final = 5
_TICK_LABEL: Final = (
    "datum.value === 0 || (abs(datum.value) >= 1e-6 && abs(datum.value) < 1e9)"
    f" ? replace(format(datum.value, ',.12~r'), regexp(',', 'g'), '{THIN}')"
    " : replace(replace(replace(format(datum.value, '~e'),"
    " 'e+', ' × 10^'), 'e-', ' × 10^-'), regexp('^1 × '), '')"
)
"""No SI prefix and no `e+59`: `~s` would print `0k`, and a plain number would be cut."""

SHORT_LABEL: Final = (
    "length(datum.label) < 14 ? datum.label : "
    "slice(datum.label, 0, 8) + '…' + slice(datum.label, -4)"
)
"""The same shortening as `short`, for an axis or a legend to do itself."""

_SHOWN_DIGITS: Final = 16
_ROUGH_DIGITS: Final = 6


def titled(subject: str, pinned: PinnedBlock | None, words: Words, *more: str) -> alt.TitleParams:
    """A title that keeps a screenshot evidence: subject, chain, block, UTC time, price-free."""
    where = words["unavailable"]
    if pinned is not None:
        pin = pinned.pin
        where = (
            f"{words['chain']} {pin.chain_id} · {words['block']} {pin.number} · {pin.time} · "
            f"{words['price_free']}"
        )
    return alt.TitleParams(text=subject, subtitle=[where, *more], anchor="start")


def short(address: str) -> str:
    """An address as a label: its first six and last four digits."""
    return address if len(address) < 14 else f"{address[:8]}…{address[-4:]}"


def position(raw_amount: int, decimals: int | None) -> float:
    """Where a mark stands. The only float there is; never shown as a number."""
    place: float = raw_amount / 10 ** (decimals or 0)
    return place


def approximate(raw_amount: int, decimals: int | None) -> str:
    """An amount as a short label: itself, or six digits where it is longer, after a ≈ if cut."""
    places = decimals or 0
    exact = _spaced(scale(raw_amount, places))
    if len(exact.replace(THIN, "")) <= _SHOWN_DIGITS:
        return exact
    surplus = max(0, len(str(raw_amount)) - _ROUGH_DIGITS)
    rough = (raw_amount + 10**surplus // 2) // 10**surplus
    about = "" if rough * 10**surplus == raw_amount else "≈ "
    power = len(str(rough)) - 1 + surplus - places
    if -_ROUGH_DIGITS <= power < _POWER_FROM:
        return f"{about}{_spaced(scale(rough * 10**surplus, places))}"
    return f"{about}{_spaced(scale(rough, len(str(rough)) - 1))} × 10^{power}"


def _spaced(amount: str) -> str:
    """An amount without the zeros at its end, its digits in threes outwards from the point."""
    whole, _, fraction = amount.partition(".")
    fraction = fraction.rstrip("0")
    triples = [fraction[at : at + 3] for at in range(0, len(fraction), 3)]
    return ".".join(filter(None, (f"{int(whole):,}".replace(",", THIN), THIN.join(triples))))


def number_axis(*, grid: bool = True, **more: Any) -> alt.Axis:
    """An axis with few ticks, each written as the page's tables write numbers."""
    return alt.Axis(labelExpr=_TICK_LABEL, tickCount=_TICKS, grid=grid, **more)


def pool_colour(pools: Sequence[str], title: str) -> alt.Color:
    """One colour per pool, in the order of the pools."""
    return alt.Color(
        "pool:N",
        title=title,
        scale=alt.Scale(domain=list(pools), range=_cycled(COLOURS, len(pools))),
        legend=alt.Legend(orient="bottom", labelExpr=SHORT_LABEL),
    )


def pool_dash(pools: Sequence[str], title: str) -> alt.StrokeDash:
    """One dash per pool, so that colour is never the only difference."""
    return alt.StrokeDash(
        "pool:N",
        title=title,
        scale=alt.Scale(domain=list(pools), range=[list(d) for d in _cycled(DASHES, len(pools))]),
    )


def pool_shape(pools: Sequence[str], title: str) -> alt.Shape:
    """One shape per pool."""
    return alt.Shape(
        "pool:N",
        title=title,
        scale=alt.Scale(domain=list(pools), range=_cycled(SHAPES, len(pools))),
    )


def _cycled(values: Sequence[T], count: int) -> list[T]:
    return [values[at % len(values)] for at in range(count)]


def plotted(rows: list[dict[str, Any]]) -> alt.Chart:
    """A chart over rows that it carries in itself."""
    return alt.Chart(alt.InlineData(values=rows))


def layered(*layers: alt.Chart) -> alt.LayerChart:
    """Layers over one another in one view; none of them is faceted."""
    return cast("alt.LayerChart", alt.layer(*layers))


def drawn(chart: Any) -> AnyChart:
    """A finished chart, whose encoding Altair's types do not follow."""
    return cast("AnyChart", chart)


def empty_chart(title: alt.TitleParams, reason: str) -> AnyChart:
    """A chart that says why there is nothing to draw."""
    return drawn(
        plotted([{"reason": reason}])
        .properties(title=title, height=MIN_HEIGHT, width="container")
        .mark_text(color=QUIET, fontSize=14)
        .encode(text="reason:N")
    )


def as_svg(chart: AnyChart) -> bytes:
    """Render a chart to SVG, offline; the same chart gives the same bytes."""
    sized = chart.copy()
    if sized.width in {"container", alt.Undefined}:
        sized.width = 640
    sink = io.StringIO()
    sized.save(sink, format="svg")
    return sink.getvalue().encode("utf-8")
