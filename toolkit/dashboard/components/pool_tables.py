"""The tables of the pool page: reserves and gaps, ratios and product, moves, one trade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from toolkit.dashboard.components.amounts import grouped
from toolkit.dashboard.components.evidence_panel import show_answer, show_derived
from toolkit.dashboard.components.foreign_words import refuse_all
from toolkit.dashboard.components.matrix import RAW
from toolkit.dashboard.components.picking import show_table
from toolkit.dashboard.components.relations import derived_text
from toolkit.dashboard.words import reason, say, t
from toolkit.models import Unknown, scale

if TYPE_CHECKING:
    from toolkit.analysis import Move, PoolReading

Names = Mapping[str, str]
"""How pools and tokens are called on the page: the analyst's label and the address."""


def show_reserves(readings: Sequence[PoolReading], names: Names) -> None:
    """Show each pool's reserves, what it really holds, and the gap between the two."""
    st.subheader(say("depth.reserves"))
    st.caption(say("depth.reserves_hint"))
    places = [(reading, at) for reading in readings for at in (0, 1)]
    amounts = [t("depth.reserve"), t("depth.balance"), t("depth.gap")]
    row = show_table(
        {
            t("depth.pool"): [names[reading.pool] for reading, _ in places],
            t("depth.token"): [names[_data(reading, f"token{at}")] for reading, at in places],
            amounts[0]: [_amount(reading, f"raw_reserve{at}", at) for reading, at in places],
            amounts[1]: [_amount(reading, f"raw_balance{at}", at) for reading, at in places],
            amounts[2]: [_gap(reading, at) for reading, at in places],
        },
        key="reserves",
        amounts=amounts,
    )
    if row is not None:
        reading = places[row][0]
        show_answer(reading.answer, reading.row_id, name="reserves")


def show_rates(readings: Sequence[PoolReading], names: Names) -> None:
    """Show the marginal ratios both ways and the product."""
    st.subheader(say("depth.rates"))
    known = [(reading, reading.marginal_ratios) for reading in readings]
    numbers = [
        [number for number in (*(ratios or ()), reading.product) if number is not None]
        for reading, ratios in known
    ]
    amounts = [t("depth.rate_0"), t("depth.rate_1"), t("depth.product")]
    row = show_table(
        {
            t("depth.pool"): [names[reading.pool] for reading, _ in known],
            amounts[0]: [derived_text(r[0]) if r else "" for _, r in known],
            amounts[1]: [derived_text(r[1]) if r else "" for _, r in known],
            amounts[2]: [
                grouped(reading.product.text or "") if reading.product else ""
                for reading, _ in known
            ],
        },
        key="rates",
        amounts=amounts,
    )
    if row is not None:
        for at, number in enumerate(numbers[row]):
            show_derived(number, name=f"rate_{at}")


def show_moves(readings: Sequence[PoolReading], side: str, names: Names) -> None:
    """Show what moves each pool's own rate on one side, fee left out and, where known, in."""
    rows = [
        (reading, moves)
        for reading in readings
        for moves in _by_percentage([move for move in reading.moves if move.side == side])
    ]
    if not rows:
        return
    sign = "\u2212" if side == "sell_token0" else "+"
    amounts = [t("depth.amount_in"), t("depth.amount_in_fee"), t("depth.amount_out")]
    columns = {
        t("depth.move"): [f"{sign}{moves['out'].move_pct} %" for _, moves in rows],
        t("depth.pool"): [names[reading.pool] for reading, _ in rows],
        amounts[0]: [derived_text(moves["out"].amount_in) for _, moves in rows],
    }
    if any("in" in moves for _, moves in rows):
        columns[amounts[1]] = [
            derived_text(moves["in"].amount_in) if "in" in moves else t("words.none")
            for _, moves in rows
        ]
    columns[amounts[2]] = [derived_text(moves["out"].amount_out) for _, moves in rows]
    row = show_table(columns, key=f"moves_{side}", amounts=amounts)
    if row is not None:
        for fee, move in rows[row][1].items():
            show_derived(move.amount_in, name=f"{side}_{fee}_in")
        show_derived(rows[row][1]["out"].amount_out, name=f"{side}_out")


def show_trade(readings: Sequence[PoolReading], names: Names) -> None:
    """Show what each pool would pay for the amount that was asked about, or why it cannot."""
    asked = [reading for reading in readings if reading.trade_request is not None]
    if not asked:
        return
    st.subheader(say("depth.trade_title"))
    refuse_all(_refusal(reading, names) for reading in asked if reading.trade is None)
    trades = [(reading, reading.trade) for reading in asked if reading.trade is not None]
    if not trades:
        return
    columns = {
        t("depth.pool"): [names[reading.pool] for reading, _ in trades],
        t("depth.token_out"): [names[trade.token_out] for _, trade in trades],
        t("depth.trade_out"): [derived_text(trade.amount_out) for _, trade in trades],
        t("depth.fee_here"): [_fee_words(reading) for reading, _ in trades],
        t("depth.average"): [derived_text(trade.average_ratio) for _, trade in trades],
        t("depth.impact_without"): [derived_text(trade.impact_without_fee) for _, trade in trades],
    }
    if any(trade.impact_with_fee for _, trade in trades):
        columns[t("depth.impact_with")] = [
            derived_text(trade.impact_with_fee) if trade.impact_with_fee else t("words.none")
            for _, trade in trades
        ]
    columns[t("depth.after")] = [derived_text(trade.marginal_after) for _, trade in trades]
    words = {t("depth.pool"), t("depth.token_out"), t("depth.fee_here")}
    row = show_table(columns, key="trades", amounts=[name for name in columns if name not in words])
    if row is not None:
        for at, number in enumerate(trades[row][1].derived):
            show_derived(number, name=f"trade_{at}")


def _fee_words(reading: PoolReading) -> str:
    """Whether a fee is inside what the pool pays, and whose word it is."""
    if reading.fee_ppm is None:
        return t("depth.fee_not_told")
    key = "depth.fee_stated" if reading.fee_is_stated else "depth.fee_told"
    return t(key, fee=reading.fee_ppm)


def _refusal(reading: PoolReading, names: Names) -> str:
    """Why a pool cannot take the trade: not its token, or nothing in its reserves."""
    tokens = [_data(reading, f"token{at}") for at in (0, 1)]
    wanted = reading.trade_request[1] if reading.trade_request else ""
    if wanted in tokens:
        return t("depth.no_reserve", pool=names[reading.pool])
    first, second = (names[token] for token in tokens)
    return t(
        "depth.not_its_token", pool=names[reading.pool], token=wanted, first=first, second=second
    )


def _by_percentage(moves: Sequence[Move]) -> list[dict[str, Move]]:
    """Put the moves of one percentage together, by whether the fee is in or out."""
    found: dict[str, dict[str, Move]] = {}
    for move in moves:
        found.setdefault(move.move_pct, {})[move.fee] = move
    return list(found.values())


def _data(reading: PoolReading, field: str) -> str:
    return str(getattr(reading.data, field))


def _amount(reading: PoolReading, field: str, at: int) -> str:
    """A raw figure of a pool in whole tokens, or raw and marked so, or the reason."""
    raw = getattr(reading.data, field)
    if isinstance(raw, Unknown):
        return reason(raw.code)
    decimals = getattr(reading.data, f"decimals{at}")
    if isinstance(decimals, Unknown):
        return f"{RAW} {grouped(str(raw))}"
    return grouped(scale(raw, decimals))


def _gap(reading: PoolReading, at: int) -> str:
    """The gap of one token, signed; unknown where the balance is."""
    gap = getattr(reading.data, f"raw_gap{at}")
    decimals = getattr(reading.data, f"decimals{at}")
    if gap is None:
        return _amount(reading, f"raw_balance{at}", at)
    if isinstance(decimals, Unknown):
        return f"{RAW} {grouped(gap)}"
    return grouped(scale(int(gap), decimals))
