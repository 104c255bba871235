"""One constant-product pool at one block: its state, what moves it, and what a trade would get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from toolkit.analysis.definitions import definition_of_move, definition_of_trade
from toolkit.analysis.pinned import read_ids
from toolkit.derive import SIDES, Derived, Input, Side, formula_text
from toolkit.models import ToolError, Unknown
from toolkit.tools import ToolAnswer
from toolkit.tools.failure import tool_error
from toolkit.tools.get_pool_reserves import PoolReserves
from toolkit.tools.row_ids import failure_row_id, observed_row_id

Fee: TypeAlias = Literal["in", "out"]
"""Whether the pool's fee is inside a figure (`in`) or left out of it (`out`)."""

MINIMUM_LIQUIDITY: Final = 1000
"""Below this many smallest units a reserve is rounding and nothing else."""


@dataclass(frozen=True, slots=True)
class Move:
    """What moves a pool's own rate by `move_pct` percent. Unit: each token's smallest."""

    move_pct: str
    side: Side
    fee: Fee
    amount_in: Derived
    amount_out: Derived

    @property
    def definition(self) -> str:
        """What the two figures mean, in one sentence."""
        return definition_of_move(self.side, self.fee)

    def as_json(self) -> dict[str, Any]:
        """The move for `depth --json`: `row_id` proves the input, `out_row_id` the output."""
        return {
            "move_pct": self.move_pct,
            "side": self.side,
            "raw_amount_in": self.amount_in.text,
            "raw_amount_out": self.amount_out.text,
            "amount_in": self.amount_in.amount,
            "amount_out": self.amount_out.amount,
            "fee": self.fee,
            "row_id": self.amount_in.row_id,
            "out_row_id": self.amount_out.row_id,
            "definition": self.definition,
        }


@dataclass(frozen=True, slots=True)
class Trade:
    """What the pool would pay for one input, and how far that pushes its rate.

    Ratios are whole tokens out for a whole token in, or raw for raw where decimals are unknown.
    `impact_with_fee` is None where no fee is known or stated. Unit: impacts in percent.
    """

    token_in: str
    token_out: str
    raw_in: int
    fee: Fee
    fee_ppm: int | None
    amount_out: Derived
    average_ratio: Derived
    impact_without_fee: Derived
    impact_with_fee: Derived | None
    marginal_after: Derived

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The trade's numbers, for evidence rows."""
        numbers = (
            self.amount_out,
            self.average_ratio,
            self.impact_without_fee,
            self.impact_with_fee,
            self.marginal_after,
        )
        return tuple(number for number in numbers if number is not None)

    def as_json(self) -> dict[str, Any]:
        """The trade as `depth --json` writes it."""
        with_fee = self.impact_with_fee
        return {
            "token_in": self.token_in,
            "token_out": self.token_out,
            "raw_amount_in": str(self.raw_in),
            "raw_amount_out": self.amount_out.text,
            "amount_out": self.amount_out.amount,
            "fee": self.fee,
            "fee_ppm": self.fee_ppm,
            "average_ratio": self.average_ratio.text,
            "impact_without_fee_pct": self.impact_without_fee.text,
            "impact_with_fee_pct": None if with_fee is None else with_fee.text,
            "marginal_ratio_after": self.marginal_after.text,
            "row_id": self.amount_out.row_id,
            "derived_row_ids": [number.row_id for number in self.derived],
            "definition": definition_of_trade(self.fee),
        }


@dataclass(frozen=True)
class PoolReading:
    """One pool's answer and the figures that follow from it.

    `stated_fee_ppm` is the analyst's word for a pool that tells no fee; `trade_request` is
    (raw amount in, token in).
    """

    pool: str
    answer: ToolAnswer
    move_pcts: tuple[str, ...]
    stated_fee_ppm: int | None
    trade_request: tuple[int, str] | None

    @property
    def data(self) -> PoolReserves | None:
        """The pool's state, where it could be read."""
        return self.answer.data if isinstance(self.answer.data, PoolReserves) else None

    @property
    def error(self) -> ToolError | None:
        """Why there is no state."""
        return None if self.answer.error is None else tool_error(self.answer.error)

    @property
    def told_fee(self) -> int | None:
        """The fee that the pool itself tells, if it does. Unit: parts per million."""
        told = self.data.fee_ppm if self.data else None
        return told if isinstance(told, int) else None

    @property
    def fee_ppm(self) -> int | None:
        """The pool's own fee where it tells one, else the stated one. Unit: parts per million."""
        return self.stated_fee_ppm if self.told_fee is None else self.told_fee

    @property
    def fee_is_stated(self) -> bool:
        """Whether the fee is the analyst's word and not the pool's."""
        return self.stated_fee_ppm is not None and self.told_fee is None

    @property
    def is_scaled(self) -> bool:
        """Whether both tokens' decimals are known."""
        return self._decimals is not None

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Named states: reserve_zero, reserve_tiny, reserve_gap, trade_not_possible."""
        data = self.data
        if data is None:
            return ()
        smallest = min(data.raw_reserve0, data.raw_reserve1)
        gaps = {data.raw_gap0, data.raw_gap1} - {"0", None}
        named = {
            "reserve_zero": smallest == 0,
            "reserve_tiny": 0 < smallest < MINIMUM_LIQUIDITY,
            "reserve_gap": bool(gaps),
            "trade_not_possible": self.trade_request is not None and self.trade is None,
        }
        return tuple(name for name, holds in named.items() if holds)

    @property
    def has_depth(self) -> bool:
        """Whether both reserves are there."""
        return self.data is not None and min(self.data.raw_reserve0, self.data.raw_reserve1) > 0

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The moves in order, both sides each; with the fee inside too where one is known."""
        if not self.has_depth:
            return ()
        fees: tuple[Fee, ...] = ("out",) if self.fee_ppm is None else ("out", "in")
        return tuple(
            self._move(pct, side, fee) for pct in self.move_pcts for side in SIDES for fee in fees
        )

    def _move(self, move_pct: str, side: Side, fee: Fee) -> Move:
        fee_part = {} if fee == "out" or self.fee_ppm is None else {"fee_ppm": self.fee_ppm}
        into, out_of = (0, 1) if side == "sell_token0" else (1, 0)
        pays = formula_text("pool_move@1", move_pct=move_pct, side=side, leg="in", **fee_part)
        gets = formula_text("pool_move@1", move_pct=move_pct, side=side, leg="out")
        return Move(move_pct, side, fee, self._amount(pays, into), self._amount(gets, out_of))

    @cached_property
    def trade(self) -> Trade | None:
        """The trade that was asked for; None where none was or this pool cannot take it."""
        data, request = self.data, self.trade_request
        if data is None or request is None or not self.has_depth:
            return None
        raw_in, token_in = request
        if token_in not in {data.token0, data.token1} or raw_in <= 0:
            return None
        side: Side = "sell_token0" if token_in == data.token0 else "sell_token1"
        return self._trade(raw_in, side, (data.token0, data.token1))

    @property
    def trade_refusal(self) -> str | None:
        """Why this pool cannot take the trade that was asked for, as a sentence."""
        data, request = self.data, self.trade_request
        if data is None or request is None or self.trade is not None:
            return None
        token_in = request[1]
        if token_in not in {data.token0, data.token1}:
            return (
                f"{token_in} is not a token of this pool; it has {data.token0} and {data.token1}."
            )
        return "This pool has an empty reserve: it can take no trade."

    def _trade(self, raw_in: int, side: Side, tokens: tuple[str, str]) -> Trade:
        given = {"raw_in": raw_in, "side": side}
        fee_part = {} if self.fee_ppm is None else {"fee_ppm": self.fee_ppm}
        into, out_of = (0, 1) if side == "sell_token0" else (1, 0)
        scaled = self._reserves + (self._decimals or ())
        whole = {**given, **fee_part}
        with_fee = formula_text("impact@1", **whole)
        return Trade(
            token_in=tokens[into],
            token_out=tokens[out_of],
            raw_in=raw_in,
            fee="in" if fee_part else "out",
            fee_ppm=self.fee_ppm,
            amount_out=self._amount(formula_text("amount_out@1", **whole), out_of),
            average_ratio=self._number(formula_text("average_ratio@1", **whole), scaled),
            impact_without_fee=self._number(formula_text("impact@1", **given), self._reserves),
            impact_with_fee=self._number(with_fee, self._reserves) if fee_part else None,
            marginal_after=self._number(formula_text("marginal_after@1", **whole), scaled),
        )

    @cached_property
    def marginal_ratios(self) -> tuple[Derived, Derived] | None:
        """token1 for a token0, then token0 for a token1, at the margin and without a fee.

        In whole tokens, or raw for raw (formula ratio@1) where decimals are unknown.
        """
        if not self.has_depth:
            return None
        reserve0, reserve1 = self._reserves
        if self._decimals is None:
            return (
                self._number("ratio@1", (reserve1, reserve0)),
                self._number("ratio@1", (reserve0, reserve1)),
            )
        decimals0, decimals1 = self._decimals
        return (
            self._number("marginal_ratio@1", (reserve0, reserve1, decimals0, decimals1)),
            self._number("marginal_ratio@1", (reserve1, reserve0, decimals1, decimals0)),
        )

    @cached_property
    def product(self) -> Derived | None:
        """k, the product of both raw reserves."""
        return None if self.data is None else self._number("product@1", self._reserves)

    @cached_property
    def gaps(self) -> tuple[Derived, ...]:
        """balanceOf(pool) minus reserve, for each token whose balance is known."""
        data = self.data
        if data is None:
            return ()
        balances = (data.raw_balance0, data.raw_balance1)
        return tuple(
            self._amount(
                "gap@1",
                at,
                ((balance, self._row(f"raw_balance{at}", "raw_amount")), self._reserves[at]),
            )
            for at, balance in enumerate(balances)
            if isinstance(balance, int)
        )

    @property
    def derived(self) -> Iterator[Derived]:
        """Every derived number of this pool, for evidence rows."""
        yield from self.marginal_ratios or ()
        if self.product is not None:
            yield self.product
        yield from self.gaps
        for move in self.moves:
            yield move.amount_in
            yield move.amount_out
        if self.trade is not None:
            yield from self.trade.derived

    @cached_property
    def _reserves(self) -> tuple[Input, Input]:
        data = self.data
        if data is None:
            raise TypeError("A pool that could not be read has no reserves.")
        return (
            (data.raw_reserve0, self._row("reserves", "raw_reserve0")),
            (data.raw_reserve1, self._row("reserves", "raw_reserve1")),
        )

    @cached_property
    def _decimals(self) -> tuple[Input, Input] | None:
        """Both tokens' decimals and their rows; None unless both are known."""
        found = tuple(self._decimals_at(at) for at in (0, 1))
        return None if None in found else found  # type: ignore[return-value]

    def _decimals_at(self, at: int) -> Input | None:
        decimals = None if self.data is None else getattr(self.data, f"decimals{at}")
        if decimals is None or isinstance(decimals, Unknown):
            return None
        return decimals, self._row(f"decimals{at}", "decimals")

    def _row(self, observed: str, field: str) -> str:
        seen = next(seen for seen in self.answer.observations if seen.field == observed)
        return observed_row_id(self.answer, seen, field)

    def _amount(self, formula: str, at: int, inputs: Sequence[Input] = ()) -> Derived:
        """Derive an amount of token0 or token1, scaled where its decimals are known."""
        decimals = self._decimals_at(at)
        return Derived.of(
            formula,
            inputs or self._reserves,
            self.answer.pinned.pin,  # type: ignore[union-attr]  # data is there, so a pin is
            contract=self.pool,
            decimals=decimals[0] if decimals else None,
            decimals_row_id=decimals[1] if decimals else None,
        )

    def _number(self, formula: str, inputs: Sequence[Input]) -> Derived:
        pin = self.answer.pinned.pin  # type: ignore[union-attr]  # data is there, so a pin is
        return Derived.of(formula, inputs, pin, contract=self.pool)

    @property
    def row_id(self) -> str:
        """The evidence row of the first reserve, or of the failure."""
        return failure_row_id(self.answer) if self.data is None else self._reserves[0][1]

    def as_json(self) -> dict[str, Any]:
        """The pool as `depth --json` writes it."""
        data = self.data
        ratios = self.marginal_ratios
        state = data.model_dump(mode="json", include=_STATE) if data else dict.fromkeys(_STATE)
        for name in ("decimals0", "decimals1", "raw_balance0", "raw_balance1"):
            state[name] = None if isinstance(state[name], dict) else state[name]
        return {
            "pool": self.pool,
            **{name: state[name] for name in _STATE_ORDER},
            "fee_ppm": self.fee_ppm,
            "fee_stated": self.fee_is_stated,
            "marginal_ratio_1_per_0": ratios[0].text if ratios else None,
            "marginal_ratio_0_per_1": ratios[1].text if ratios else None,
            "product": self.product.text if self.product else None,
            "states": list(self.states),
            "read_ids": read_ids(self.answer),
            "row_id": self.row_id,
            "moves": [move.as_json() for move in self.moves],
            "trade": self.trade.as_json() if self.trade else None,
            "trade_refusal": self.trade_refusal,
            "error": None if self.error is None else self.error.model_dump(mode="json"),
        }


_STATE_ORDER: Final = (
    "kind",
    "token0",
    "token1",
    "decimals0",
    "decimals1",
    "raw_reserve0",
    "raw_reserve1",
    "raw_balance0",
    "raw_balance1",
    "raw_gap0",
    "raw_gap1",
    "last_update",
)
_STATE: Final = set(_STATE_ORDER)
