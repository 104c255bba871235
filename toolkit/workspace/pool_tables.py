"""Pool depths as plain tables of exact text."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.analysis.pool_reading import Move, PoolReading
from toolkit.analysis.pools import PoolDepth
from toolkit.i18n import text
from toolkit.models import Unknown, scale
from toolkit.workspace.tables import Row, TextTable, value_of


def depth_tables(depth: PoolDepth, language: str) -> Iterator[TextTable]:
    """Per pool its reserves and rates, the moves of its own rate, and the trade that was asked."""
    for pool in depth.pools:
        if pool.data is None:
            yield _failed_table(pool, language)
            continue
        yield _reserves_table(pool, language)
        yield _rates_table(pool, language)
        if pool.moves:
            yield _moves_table(pool, language)
        if pool.trade is not None:
            yield _trade_table(pool, language)
        if pool.trade_refusal is not None:
            title = text(language, "depth.trade_title")
            yield TextTable(title, (), (), (f"\u2715 {pool.pool}: {pool.trade_refusal}",))


def _heads(language: str, *keys: str) -> Row:
    return tuple(text(language, key) for key in keys)


def _failed_table(pool: PoolReading, language: str) -> TextTable:
    error = pool.error
    reason = "" if error is None else f"\u2715 {error.code}: {error.message} {error.remedy}"
    return TextTable(f"{text(language, 'depth.pool')} {pool.pool}", (), (), (reason.strip(),))


def _reserves_table(pool: PoolReading, language: str) -> TextTable:
    data = pool.data
    if data is None:
        raise TypeError("A pool that could not be read has no reserves.")
    rows = (
        (
            "token0",
            data.token0,
            _whole(data.raw_reserve0, data.decimals0),
            _whole(data.raw_balance0, data.decimals0),
        ),
        (
            "token1",
            data.token1,
            _whole(data.raw_reserve1, data.decimals1),
            _whole(data.raw_balance1, data.decimals1),
        ),
    )
    return TextTable(
        f"{text(language, 'depth.pool')} {pool.pool}",
        ("", *_heads(language, "depth.token", "depth.reserve", "depth.balance")),
        rows,
    )


def _whole(raw_amount: int | Unknown, decimals: int | Unknown) -> str:
    """Whole tokens where both are known; raw units marked as such; else the reason."""
    if isinstance(raw_amount, Unknown):
        return f"\u2715 {raw_amount.code}"
    return f"{raw_amount} raw" if isinstance(decimals, Unknown) else scale(raw_amount, decimals)


def _rates_table(pool: PoolReading, language: str) -> TextTable:
    rows = [(text(language, f"depth.rate_{at}"), value_of(rate, language))
            for at, rate in enumerate(pool.marginal_ratios or ())]  # fmt: skip
    if pool.product is not None:
        rows.append((text(language, "depth.product"), value_of(pool.product, language)))
    rows += [(f"{text(language, 'depth.gap')} token{at}", value_of(gap, language))
             for at, gap in enumerate(pool.gaps)]  # fmt: skip
    fee = text(language, "depth.fee_placeholder") if pool.fee_ppm is None else str(pool.fee_ppm)
    rows.append((text(language, "depth.fee"), fee))
    return TextTable(
        text(language, "depth.rates"), _heads(language, "compare.relation", "compare.value"),
        tuple(rows),
    )  # fmt: skip


def _moves_table(pool: PoolReading, language: str) -> TextTable:
    return TextTable(
        text(language, "depth.moves_title"),
        _heads(language, "depth.move", "cli.side", "cli.fee", "cli.amount_in", "cli.amount_out"),
        tuple(_move_row(move, language) for move in pool.moves),
    )


def _move_row(move: Move, language: str) -> Row:
    """One move, signed by the way that the rate token1 per token0 goes."""
    sign = "\u2212" if move.side == "sell_token0" else "+"
    return (
        f"{sign}{move.move_pct} %",
        text(language, f"cli.side_{move.side}"),
        text(language, f"cli.fee_{move.fee}"),
        value_of(move.amount_in, language),
        value_of(move.amount_out, language),
    )


def _trade_table(pool: PoolReading, language: str) -> TextTable:
    data, trade = pool.data, pool.trade
    if data is None or trade is None:
        raise TypeError("There is no trade to show.")
    decimals = data.decimals0 if trade.token_in == data.token0 else data.decimals1
    numbers = [
        ("depth.trade_out", trade.amount_out),
        ("depth.average", trade.average_ratio),
        ("depth.impact_without", trade.impact_without_fee),
        ("depth.impact_with", trade.impact_with_fee),
        ("depth.after", trade.marginal_after),
    ]
    rows = [
        (text(language, "depth.token_in"), trade.token_in),
        (text(language, "cli.trade_in"), _whole(trade.raw_in, decimals)),
        (text(language, "cli.raw_in"), str(trade.raw_in)),
        (text(language, "depth.token_out"), trade.token_out),
        (text(language, "cli.fee"), _fee_of(pool, language)),
        *((text(language, key), value_of(number, language))
          for key, number in numbers if number is not None),
    ]  # fmt: skip
    return TextTable(
        text(language, "depth.trade_title"), _heads(language, "compare.relation", "compare.value"),
        tuple(rows),
    )  # fmt: skip


def _fee_of(pool: PoolReading, language: str) -> str:
    """Whether a trade's figures hold the fee, and whose word the fee is."""
    if pool.fee_ppm is None:
        return text(language, "cli.trade_without_fee")
    key = "cli.trade_fee_stated" if pool.fee_is_stated else "cli.trade_fee_told"
    return text(language, key, fee=pool.fee_ppm)
