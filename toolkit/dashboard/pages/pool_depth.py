"""How deep pools are at one block, counted in their own tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from toolkit.dashboard import jobs, session
from toolkit.dashboard.components.caveats import show_caveats
from toolkit.dashboard.components.charts import show_curves, show_depth
from toolkit.dashboard.components.demo_selection import offer_selection
from toolkit.dashboard.components.downloads import offer_evidence
from toolkit.dashboard.components.foreign_words import refuse_all
from toolkit.dashboard.components.names import labels_of, names_of
from toolkit.dashboard.components.pool_tables import (
    show_moves,
    show_rates,
    show_reserves,
    show_trade,
)
from toolkit.dashboard.inputs import Addresses, read_addresses
from toolkit.dashboard.words import say, t

if TYPE_CHECKING:
    from toolkit.analysis import PoolDepth, PoolReading
    from toolkit.workspace import Snapshot


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked of the pools, and a sentence for each field that could not be read."""

    pools: Addresses
    moves: tuple[str, ...]
    fee_ppm: int | None
    trade: tuple[int, str] | None
    faults: tuple[str, ...]


def choose() -> Question:
    """Take pools, moves, the fee and the trade."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        pasted = st.text_area(
            say("depth.pools"),
            key="pools",
            bind="query-params",
            height=132,
            help=say("depth.pools_help"),
            placeholder="0x\u2026",
        )
    with right:
        one, two = st.columns(2)
        moves = one.text_input(
            say("depth.moves"),
            value="0.5, 1, 2, 5, 10",
            key="moves",
            bind="query-params",
            help=say("depth.moves_help"),
        )
        fee = two.text_input(
            say("depth.fee"),
            key="fee_ppm",
            bind="query-params",
            help=say("depth.fee_help"),
            placeholder=t("depth.fee_placeholder"),
        )
        raw_in = one.text_input(
            say("depth.trade"), key="amount_in", bind="query-params", help=say("depth.trade_help")
        )
        token_in = two.text_input(
            say("depth.token_in"),
            key="token_in",
            bind="query-params",
            help=say("depth.token_in_help"),
            placeholder="0x\u2026",
        )
    return read_question(pasted or "", moves or "", fee or "", (raw_in or "", token_in or ""))


def read_question(pools: str, moves: str, fee: str, trade: tuple[str, str]) -> Question:
    """Read what was typed, with a sentence for each fault."""
    faults: list[str] = []
    found = read_addresses(pools, "pool")
    fee_ppm = None
    if fee.strip():
        if re.fullmatch(r"[0-9]{1,40}", fee.strip()):
            fee_ppm = int(fee)
        else:
            faults.append(t("depth.bad_fee"))
    raw_in, token_in = (text.strip() for text in trade)
    asked = None
    if raw_in or token_in:
        if re.fullmatch(r"[1-9][0-9]{0,77}", raw_in) and token_in:
            asked = (int(raw_in), token_in)
        else:
            faults.append(t("depth.bad_trade"))
    written = [part.split() for part in re.split(r"[,;]", moves.replace("%", " "))]
    if not all(written):
        faults.append(t("depth.bad_moves"))
    percentages = dict.fromkeys(move for part in written for move in part)
    return Question(found, tuple(percentages), fee_ppm, asked, tuple(faults))


def read(snapshot: Snapshot, question: Question) -> PoolDepth | None:
    """Read the pools at the pin."""
    asked = ("depth", question.pools.found, question.moves, question.fee_ppm, question.trade)

    def compute(report: jobs.Report | None) -> PoolDepth:
        return snapshot.pool_depth(
            question.pools.found,
            moves=question.moves,
            fee_ppm=question.fee_ppm,
            trade=question.trade,
            progress=report,
        )

    size = 10 * len(question.pools.found)
    depth = jobs.attempt(lambda: jobs.answered(snapshot, asked, size, compute))
    if depth is not None:
        session.collect(t("depth.title"), snapshot, asked, depth)
    return depth


def show(snapshot: Snapshot, depth: PoolDepth, question: Question) -> None:
    """Show tables and charts of the pools that could be read, and why others could not."""
    failed = [reading for reading in depth.pools if reading.error is not None]
    refuse_all(
        f"{reading.pool}: {reading.error.message} {reading.error.remedy}".strip()
        for reading in failed
        if reading.error is not None
    )
    readings = [reading for reading in depth.pools if reading.data is not None]
    if not readings:
        return
    names = pool_names(snapshot, readings)
    hint, download = st.columns([5, 1.4], vertical_alignment="bottom")
    with hint:
        st.caption(say("depth.not_a_quote"))
        st.caption(say("depth.fee_out") if question.fee_ppm is None else fee_words(question))
    with download:
        offer_evidence(snapshot.pin, lambda: depth.answers, lambda: depth.derived)
    show_reserves(readings, names)
    show_rates(readings, names)
    show_trade(readings, names)
    st.subheader(say("depth.moves_title"))
    show_depth(depth)
    for side in ("sell_token0", "sell_token1"):
        st.markdown(say(f"depth.{side}"))
        show_moves(readings, side, names)
    show_curves(depth, tokens_of(readings))


def fee_words(question: Question) -> str:
    """Say which fee is in the figures, and whose word it is."""
    return say("depth.fee_in", fee=question.fee_ppm)


def tokens_of(readings: list[PoolReading]) -> list[str]:
    """The tokens of the pools, each once."""
    known = [reading.data for reading in readings if reading.data is not None]
    return list(dict.fromkeys(token for data in known for token in (data.token0, data.token1)))


def pool_names(snapshot: Snapshot, readings: list[PoolReading]) -> dict[str, str]:
    """Name pools and their tokens by label and address."""
    addresses = [reading.pool for reading in readings]
    return names_of([*addresses, *tokens_of(readings)], labels_of(snapshot.pin.chain_id))


def draw() -> None:
    """Draw the page."""
    snapshot = session.current()
    st.title(say("depth.title"))
    question = choose()
    refuse_all([*question.pools.faults, *question.faults])
    if snapshot is None:
        st.info(say("need.pin"))
        return
    # Figures for another question than the one in the fields would be taken for its answer.
    if question.faults or (question.pools.faults and not question.pools):
        return
    if not question.pools:
        st.info(say("need.pools"))
        pools = session.workspace().demo.depth.pools
        offer_selection(snapshot.pin.chain_id, pools="\n".join(pools))
        return
    depth = read(snapshot, question)
    if depth is not None:
        show(snapshot, depth, question)
        show_caveats(depth.caveats)


draw()
