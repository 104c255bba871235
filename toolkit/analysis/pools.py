"""Pools at one block: how much moves each one's own rate, and what a trade would get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import polars as pl

from toolkit.analysis.caveats import Caveat, about_reading, caveat
from toolkit.analysis.pinned import each_once, one_pin, pin_json
from toolkit.analysis.pool_reading import PoolReading
from toolkit.chain.reader import PinnedBlock
from toolkit.derive import Derived, parse_move, with_fee
from toolkit.errors import InvalidArgumentError
from toolkit.models import UINT256_MAX, parse_address
from toolkit.tools import ToolAnswer, ToolCall

MOVES: Final = ("0.5", "1", "2", "5", "10")
"""Moves in percent that are shown where none are asked for."""

_NAMED_STATES: Final = ("reserve_zero", "reserve_tiny", "reserve_gap", "trade_not_possible")


def depth_calls(chain_id: int, block: str, pools: Sequence[str]) -> list[ToolCall]:
    """List the calls of a depth reading: one per pool, repeated pools once."""
    return [
        ("get_pool_reserves", {"chain_id": chain_id, "pool": pool, "block": block})
        for pool in each_once(pools)
    ]


@dataclass(frozen=True)
class PoolDepth:
    """Pools read at one block, each with its moves. A pool that failed keeps its place.

    Not: depth in money, a quote, a sum over pools.
    """

    pinned: PinnedBlock | None
    pools: tuple[PoolReading, ...]

    @classmethod
    def of(
        cls,
        answers: Sequence[ToolAnswer],
        pools: Sequence[str],
        moves: Sequence[str] = MOVES,
        fee_ppm: int | None = None,
        trade: tuple[int, str] | None = None,
    ) -> PoolDepth:
        """Put the answers of `depth_calls` in their places.

        `moves` are percentages as decimal text, equal ones once; `fee_ppm` is for pools that
        tell none; `trade` is (raw amount in, token in).
        Errors: InvalidArgumentError for a move, fee or trade that cannot be; MixedPinsError.
        """
        written = each_once(pools)
        if len(answers) != len(written):
            raise InvalidArgumentError(
                f"{len(answers)} answers do not belong to {len(written)} pools.",
                remedy="Give the answers of depth_calls with the same pools.",
            )
        once: dict[Fraction, str] = {}
        for move_pct in moves:
            once.setdefault(parse_move(move_pct), move_pct)
        if fee_ppm is not None:
            with_fee(0, fee_ppm)
        asked = None if trade is None else _checked_trade(*trade)
        pinned = one_pin(answers)
        readings = tuple(
            PoolReading(pool, answer, tuple(once.values()), fee_ppm, asked)
            for pool, answer in zip(written, answers, strict=True)
        )
        return cls(pinned, readings)

    def pool(self, address: str) -> PoolReading:
        """The reading of one pool."""
        wanted = parse_address(address)
        return next(reading for reading in self.pools if reading.pool == wanted)

    @property
    def answers(self) -> Iterator[ToolAnswer]:
        """Every answer, for evidence rows."""
        return (reading.answer for reading in self.pools)

    @property
    def derived(self) -> tuple[Derived, ...]:
        """Every derived number, for evidence rows."""
        return tuple(number for reading in self.pools for number in reading.derived)

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:
        """What a reader of this depth must know."""
        known = [reading for reading in self.pools if reading.data is not None]
        unscaled = [r.pool for r in known if not r.is_scaled]
        named = {s: [r.pool for r in known if s in r.states] for s in _NAMED_STATES}
        return (
            Caveat("value_not_queried"),
            Caveat("depth_in_money"),
            Caveat("transfer_fee_excluded"),
            *caveat("fee_unreadable", [r.pool for r in known if r.told_fee is None]),
            *(found for state in _NAMED_STATES for found in caveat(state, named[state])),
            *caveat("cells_failed", [r.pool for r in self.pools if r.data is None]),
            *caveat("decimals_unknown", unscaled),
            *about_reading(self.answers, self.pinned),
        )

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per pool, move, side and fee; one row with an error where a pool failed.

        Shape: amounts are exact text, raw and in whole tokens.
        """
        rows = [row for reading in self.pools for row in _frame_rows(reading, self.pinned)]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")

    def as_json(self) -> dict[str, Any]:
        """The depth as `depth --json` writes it."""
        return {
            "pin": pin_json(self.pinned),
            "pools": [reading.as_json() for reading in self.pools],
            "caveats": [caveat.as_json() for caveat in self.caveats],
        }


def _checked_trade(raw_in: int, token_in: str) -> tuple[int, str]:
    """Refuse an input that no trade can have."""
    if not 0 < raw_in <= UINT256_MAX:
        raise InvalidArgumentError(
            "An amount in lies above 0 and fits into 256 bits.",
            remedy="Write it in the token's smallest unit.",
        )
    try:
        return raw_in, parse_address(token_in)
    except ValueError as error:
        raise InvalidArgumentError(f"token_in: {error}") from None


_SCHEMA: Final = {
    "chain_id": pl.Int64,
    "block_number": pl.Int64,
    "block_hash": pl.String,
    "pool": pl.String,
    "state": pl.String,
    "side": pl.String,
    "move_pct": pl.String,
    "fee": pl.String,
    "token_in": pl.String,
    "raw_amount_in": pl.String,
    "amount_in": pl.String,
    "token_out": pl.String,
    "raw_amount_out": pl.String,
    "amount_out": pl.String,
    "definition": pl.String,
    "row_id": pl.String,
}


def _frame_rows(reading: PoolReading, pinned: PinnedBlock | None) -> list[tuple[Any, ...]]:
    pin = None if pinned is None else pinned.pin
    at = (None, None, None) if pin is None else (pin.chain_id, pin.number, pin.hash)
    data = reading.data
    if data is None or not reading.has_depth:
        state = "reserve_zero" if reading.error is None else reading.error.code
        reason = reading.error.message if reading.error else None
        return [(*at, reading.pool, state, *(None,) * 9, reason, reading.row_id)]
    rows: list[tuple[Any, ...]] = []
    for move in reading.moves:
        tokens = (data.token0, data.token1)
        if move.side == "sell_token1":
            tokens = (data.token1, data.token0)
        rows.append(
            (
                *at,
                reading.pool,
                "value",
                move.side,
                move.move_pct,
                move.fee,
                tokens[0],
                move.amount_in.text,
                move.amount_in.amount,
                tokens[1],
                move.amount_out.text,
                move.amount_out.amount,
                move.definition,
                move.amount_in.row_id,
            )
        )
    return rows
