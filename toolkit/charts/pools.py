"""Pools drawn: what moves each one's rate, its curve, and what an input would get."""

from __future__ import annotations

from typing import Any, Final

import altair as alt

from toolkit.analysis import Move, PoolDepth, PoolReading
from toolkit.charts.frame import (
    COLOURS,
    MIN_HEIGHT,
    QUIET,
    AnyChart,
    empty_chart,
    layered,
    number_axis,
    plotted,
    pool_colour,
    pool_dash,
    pool_shape,
    position,
    short,
    titled,
)
from toolkit.charts.words import Words, merged
from toolkit.derive import Side, amount_out
from toolkit.models import parse_address, scale
from toolkit.tools.get_pool_reserves import PoolReserves

_STEPS: Final = 40


def impact_charts(depth: PoolDepth, side: Side, *, words: Words | None = None) -> list[AnyChart]:
    """Draw one chart per token that goes in, for pools may differ in it."""
    tokens = dict.fromkeys(_token_in(pool.data, side) for pool in depth.pools if pool.data)
    return [impact_chart(depth, side, token_in=token, words=words) for token in tokens]


def impact_chart(
    depth: PoolDepth,
    side: Side,
    *,
    token_in: str | None = None,
    words: Words | None = None,
) -> AnyChart:
    """Draw the input that moves each pool's own rate, against the move in percent.

    Shape: only pools that take the same token on this side, because a panel has one unit;
    without `token_in` that of the first pool. The fee is inside where every pool has one.
    """
    said = merged(words)
    pools = _pools_taking(depth, side, token_in)
    fee = "in" if pools and all(pool.fee_ppm is not None for pool in pools) else "out"
    unit = _token_in(pools[0].data, side) if pools and pools[0].data else ""
    title = titled(
        f"{said[side]}: {short(unit)}",
        depth.pinned,
        said,
        f"{said[f'fee_{fee}']} · {said['not_a_quote']}",
    )
    rows = [
        _move_row(pool, move)
        for pool in pools
        for move in pool.moves
        if move.side == side and move.fee == fee
    ]
    if not rows:
        return empty_chart(title, said["unavailable"])
    return _impact_layers(rows, [pool.pool for pool in pools], said).properties(
        title=title, height=MIN_HEIGHT, width="container"
    )


def _impact_layers(rows: list[dict[str, Any]], pools: list[str], words: Words) -> alt.LayerChart:
    base = plotted(rows).encode(
        x=alt.X("move:Q", title=words["move"], axis=number_axis()),
        y=alt.Y("position:Q", title=words["input"], axis=number_axis()),
        color=pool_colour(pools, words["pool"]),
    )
    tooltip = [
        alt.Tooltip("pool:N", title=words["pool"]),
        alt.Tooltip("move_pct:N", title=words["move"]),
        alt.Tooltip("amount_in:N", title=words["input"]),
        alt.Tooltip("amount_out:N", title=words["output"]),
        alt.Tooltip("definition:N", title=" "),
    ]
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=pool_dash(pools, words["pool"]))
    points = base.mark_point(filled=True, size=70).encode(
        shape=pool_shape(pools, words["pool"]), tooltip=tooltip
    )
    return layered(lines, points)


def _move_row(pool: PoolReading, move: Move) -> dict[str, Any]:
    raw_in = int(move.amount_in.text or 0)
    return {
        "pool": pool.pool,
        "move": float(move.move_pct),
        "move_pct": move.move_pct,
        "amount_in": move.amount_in.amount or f"{raw_in} raw",
        "amount_out": move.amount_out.amount or f"{move.amount_out.text} raw",
        "definition": move.definition,
        "row_id": move.amount_in.row_id,
        "position": position(raw_in, move.amount_in.decimals),
    }


def _pools_taking(depth: PoolDepth, side: Side, token_in: str | None) -> list[PoolReading]:
    """The pools with depth whose input on this side is one and the same token."""
    deep = [pool for pool in depth.pools if pool.data is not None and pool.has_depth]
    if not deep or deep[0].data is None:
        return []
    token = _token_in(deep[0].data, side) if token_in is None else parse_address(token_in)
    return [pool for pool in deep if pool.data and _token_in(pool.data, side) == token]


def _token_in(data: PoolReserves, side: Side) -> str:
    return data.token0 if side == "sell_token0" else data.token1


def product_curve(depth: PoolDepth, pool: str, *, words: Words | None = None) -> AnyChart:
    """Draw one pool's x*y=k around where it stands, with the trade that was asked for."""
    said = merged(words)
    reading = depth.pool(pool)
    title = titled(f"{said['curve']} · {reading.pool}", depth.pinned, said, said["not_a_quote"])
    data = reading.data
    if data is None or not reading.has_depth:
        reason = reading.error.message if reading.error else said["unavailable"]
        return empty_chart(title, reason)
    stands = [_stand(data, (data.raw_reserve0, data.raw_reserve1), said["now"])]
    after = _after_trade(reading, data)
    if after is not None:
        stands.append(_stand(data, after, said["after_trade"]))
    return _curve_layers(_curve(data), stands, said).properties(
        title=title, height=MIN_HEIGHT, width="container"
    )


def _curve_layers(
    curve: list[dict[str, Any]], stands: list[dict[str, Any]], words: Words
) -> alt.LayerChart:
    x = alt.X(
        "position0:Q",
        title=words["reserve0"],
        axis=number_axis(),
        scale=alt.Scale(zero=False),
    )
    y = alt.Y(
        "position1:Q",
        title=words["reserve1"],
        axis=number_axis(),
        scale=alt.Scale(zero=False),
    )
    names = [stand["name"] for stand in stands]
    line = plotted(curve).mark_line(color=QUIET).encode(x=x, y=y)
    marked = plotted(stands).encode(x=x, y=y)
    segment = marked.mark_line(strokeWidth=3, strokeDash=[4, 3], color=COLOURS[1])
    points = marked.mark_point(filled=True, size=120).encode(
        color=alt.Color(
            "name:N",
            title=None,
            scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
            legend=alt.Legend(orient="bottom"),
        ),
        shape=alt.Shape(
            "name:N", title=None, scale=alt.Scale(domain=names, range=["circle", "diamond"])
        ),
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("reserve0:N", title=words["reserve0"]),
            alt.Tooltip("reserve1:N", title=words["reserve1"]),
        ],
    )
    return layered(line, segment, points)


def _decimals(data: PoolReserves) -> tuple[int | None, int | None]:
    zero, one = data.decimals0, data.decimals1
    return (zero if isinstance(zero, int) else None, one if isinstance(one, int) else None)


def _stand(data: PoolReserves, reserves: tuple[int, int], name: str) -> dict[str, Any]:
    """A point on the curve with its exact reserves as text."""
    decimals = _decimals(data)
    texts = [
        f"{raw} raw" if places is None else scale(raw, places)
        for raw, places in zip(reserves, decimals, strict=True)
    ]
    return {
        "name": name,
        "reserve0": texts[0],
        "reserve1": texts[1],
        "position0": position(reserves[0], decimals[0]),
        "position1": position(reserves[1], decimals[1]),
    }


def _curve(data: PoolReserves) -> list[dict[str, Any]]:
    """From half to double of the first reserve, on the pool's own product."""
    product = data.raw_reserve0 * data.raw_reserve1
    decimals = _decimals(data)
    places = (
        max(1, data.raw_reserve0 * (_STEPS + 3 * at) // (2 * _STEPS)) for at in range(_STEPS + 1)
    )
    return [
        {
            "position0": position(x, decimals[0]),
            "position1": position(product // x, decimals[1]),
        }
        for x in places
    ]


def _after_trade(reading: PoolReading, data: PoolReserves) -> tuple[int, int] | None:
    trade = reading.trade
    if trade is None:
        return None
    raw_out = int(trade.amount_out.text or 0)
    if trade.token_in == data.token0:
        return data.raw_reserve0 + trade.raw_in, data.raw_reserve1 - raw_out
    return data.raw_reserve0 - raw_out, data.raw_reserve1 + trade.raw_in


def amount_out_chart(depth: PoolDepth, token_in: str, *, words: Words | None = None) -> AnyChart:
    """Draw what each pool pays for an input of one token, up to a tenth of the largest reserve.

    Shape: only pools that pay the same token out. Integer amounts, rounded down as the contract.
    """
    said = merged(words)
    into = parse_address(token_in)
    pools = [pool for pool in depth.pools if pool.has_depth and _pays_for(pool.data, into)]
    out_token = _pays_for(pools[0].data, into) if pools else None
    pools = [pool for pool in pools if _pays_for(pool.data, into) == out_token]
    has_fee = bool(pools) and all(pool.fee_ppm is not None for pool in pools)
    title = titled(
        f"{short(into)} → {short(out_token or '')}",
        depth.pinned,
        said,
        f"{said['fee_in' if has_fee else 'fee_out']} · {said['not_a_quote']}",
    )
    rows = _quotes(pools, into, has_fee=has_fee)
    if not rows:
        return empty_chart(title, said["unavailable"])
    names = [pool.pool for pool in pools]
    base = plotted(rows).encode(
        x=alt.X("position_in:Q", title=said["amount_in"], axis=number_axis()),
        y=alt.Y("position_out:Q", title=said["amount_out"], axis=number_axis()),
        color=pool_colour(names, said["pool"]),
    )
    tooltip = [
        alt.Tooltip(f"{field}:N", title=said[field])
        for field in ("pool", "amount_in", "amount_out")
    ]
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=pool_dash(names, said["pool"]))
    points = base.mark_point(filled=True, size=30).encode(
        shape=pool_shape(names, said["pool"]), tooltip=tooltip
    )
    return layered(lines, points).properties(title=title, height=MIN_HEIGHT, width="container")


def _pays_for(data: PoolReserves | None, token_in: str) -> str | None:
    """The token that a pool pays out for `token_in`, if it takes that."""
    if data is None or token_in not in {data.token0, data.token1}:
        return None
    return data.token1 if token_in == data.token0 else data.token0


def _quotes(pools: list[PoolReading], token_in: str, *, has_fee: bool) -> list[dict[str, Any]]:
    """The same inputs against every pool, so that their curves can be read together."""
    sides = [(pool, *_oriented(pool, token_in)) for pool in pools]
    largest = max((reserve_in for _, reserve_in, *_ in sides), default=0)
    inputs = dict.fromkeys(largest * at // (10 * _STEPS) for at in range(1, _STEPS + 1))
    rows: list[dict[str, Any]] = []
    for pool, reserve_in, reserve_out, places_in, places_out in sides:
        fee = (pool.fee_ppm or 0) if has_fee else 0
        for raw_in in inputs:
            if raw_in == 0:
                continue
            raw_out = amount_out(raw_in, reserve_in, reserve_out, fee)
            rows.append(
                {
                    "pool": pool.pool,
                    "amount_in": f"{raw_in} raw" if places_in is None else scale(raw_in, places_in),
                    "amount_out": f"{raw_out} raw"
                    if places_out is None
                    else scale(raw_out, places_out),
                    "position_in": position(raw_in, places_in),
                    "position_out": position(raw_out, places_out),
                }
            )
    return rows


def _oriented(pool: PoolReading, token_in: str) -> tuple[int, int, int | None, int | None]:
    """Reserves and decimals from the side that pays in."""
    data = pool.data
    if data is None:
        raise TypeError("A pool that could not be read pays nothing.")
    zero, one = _decimals(data)
    if token_in == data.token0:
        return data.raw_reserve0, data.raw_reserve1, zero, one
    return data.raw_reserve1, data.raw_reserve0, one, zero
