"""What a constant-product pool pays and needs, in integers, as its contract reckons.

Source: the Uniswap V2 pair and library contracts; x*y=k for the moves. Every root is an exact
integer root of an exact fraction, so each result is the true value rounded once, as stated.
Not: a quote. Token transfer fees, other trades in the same block and other pools are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Final, Literal, TypeAlias, get_args

from toolkit.derive.arithmetic import Ratio, ceil_div
from toolkit.errors import InvalidArgumentError

Side: TypeAlias = Literal["sell_token0", "sell_token1"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)

FEE_UNIT: Final = 1_000_000
"""Fees are in parts per million: 3000 ppm is the 0.3 % of Uniswap V2."""

_MOVE = re.compile(r"(0|[1-9][0-9]?)(\.[0-9]{1,18})?")


@dataclass(frozen=True, slots=True)
class PoolMove:
    """What moves a pool's own marginal rate by a percentage. Unit: each token's smallest.

    `raw_amount_in` is rounded up, `raw_amount_out` down.
    """

    raw_amount_in: int
    raw_amount_out: int


def amount_out(raw_in: int, reserve_in: int, reserve_out: int, fee_ppm: int) -> int:
    """Tell what the pool pays for an input. Unit: smallest units. Rounded down.

    Source: UniswapV2Library.getAmountOut; for 3000 ppm the integer is the contract's own.
    """
    _check_fee(fee_ppm)
    if reserve_in <= 0 or reserve_out <= 0:
        raise InvalidArgumentError("A pool with an empty reserve pays nothing.")
    after_fee = raw_in * (FEE_UNIT - fee_ppm)
    return after_fee * reserve_out // (reserve_in * FEE_UNIT + after_fee)


def move(
    reserve0: int, reserve1: int, move_pct: str, side: Side, fee_ppm: int | None = None
) -> PoolMove:
    """Tell what moves the marginal rate (token1 per token0) by `move_pct` percent.

    `sell_token0` lets the rate fall, `sell_token1` lets it rise. With a fee, the input is the
    smallest one whose part after the fee is enough. Rounded: input up, output down.
    Errors: InvalidArgumentError where `move_pct` is not above 0 and below 100.
    """
    more, less = _change(move_pct, side)
    into, out_of = (reserve0, reserve1) if side == "sell_token0" else (reserve1, reserve0)
    raw_in = _ceil_root(into * into * more, less) - into
    raw_out = out_of - _ceil_root(out_of * out_of * less, more)
    return PoolMove(raw_in if fee_ppm is None else with_fee(raw_in, fee_ppm), raw_out)


def with_fee(raw_in: int, fee_ppm: int) -> int:
    """The smallest input of which at least `raw_in` is left after the fee. Rounded up."""
    _check_fee(fee_ppm)
    return ceil_div(raw_in * FEE_UNIT, FEE_UNIT - fee_ppm)


def impact(raw_in: int, raw_out: int, reserve_in: int, reserve_out: int) -> Ratio:
    """How far a trade's average rate lies below the marginal rate before it. Unit: 1 is all."""
    offered = raw_in * reserve_out
    return Ratio(offered - raw_out * reserve_in, offered)


def parse_move(move_pct: str) -> Fraction:
    """Read a move in percent from plain decimal text.

    Errors: InvalidArgumentError unless it lies above 0 and below 100.
    """
    if not isinstance(move_pct, str) or not _MOVE.fullmatch(move_pct) or not Fraction(move_pct):
        raise InvalidArgumentError(
            f"{str(move_pct)[:40]!r} is not a move.",
            remedy="Write percent as plain decimal text above 0 and below 100, such as 0.5.",
        )
    return Fraction(move_pct)


@lru_cache(maxsize=1_024)
def _change(move_pct: str, side: Side) -> tuple[int, int]:
    """How the rate changes, as two integers of which the first is the larger."""
    after = 1 + parse_move(move_pct) / 100 * (-1 if side == "sell_token0" else 1)
    parts = after.as_integer_ratio()
    return max(parts), min(parts)


def _check_fee(fee_ppm: int) -> None:
    if not 0 <= fee_ppm < FEE_UNIT:
        raise InvalidArgumentError(
            f"A fee of {fee_ppm} ppm is not possible.",
            remedy="Write parts per million from 0 to 999999; 3000 is 0.3 %.",
        )


def _ceil_root(numerator: int, denominator: int) -> int:
    """The smallest integer m with m*m >= numerator / denominator.

    m*m is an integer, so rounding the square up first changes nothing.
    """
    whole = ceil_div(numerator, denominator)
    return isqrt(whole - 1) + 1 if whole > 0 else 0
