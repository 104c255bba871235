"""Every formula by id, so that anybody recomputes a derived row from its text and its inputs.

A formula's text is its id and, where it has them, parameters in sorted order:
`pool_move@1(fee_ppm=3000;leg=in;move_pct=0.5;side=sell_token0)`. A changed meaning is a new
number after the `@`; an id once shipped computes the same for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from toolkit.derive.arithmetic import Ratio, difference, ratio, scaled_ratio, share, total
from toolkit.derive.constant_product import SIDES, Side, amount_out, impact, move
from toolkit.errors import InvalidArgumentError
from toolkit.models import UINT256_MAX, Unknown

Result: TypeAlias = int | Ratio | Unknown
"""What a formula gives: an exact integer, an exact fraction, or why there is neither."""

Parameters: TypeAlias = Mapping[str, str]

_TEXT = re.compile(r"([a-z][a-z0-9_]*@[0-9]+)(?:\(([a-z0-9_=.;]*)\))?")
_INTEGER = re.compile(r"0|[1-9][0-9]{0,77}")
_LEGS: Final = ("in", "out")
_MOST_DECIMALS: Final = 255


@dataclass(frozen=True, slots=True)
class Formula:
    """One pure function over integers. `states` tells what it computes and how it rounds."""

    id: str
    inputs: tuple[int, ...] | None
    parameters: frozenset[str]
    states: str
    compute: Callable[[Sequence[int], Parameters], Result]


def formula_text(formula_id: str, **parameters: str | int) -> str:
    """Write a formula's id with its parameters, sorted."""
    if not parameters:
        return formula_id
    given = ";".join(f"{name}={parameters[name]}" for name in sorted(parameters))
    return f"{formula_id}({given})"


def parse_formula(text: str) -> tuple[Formula, dict[str, str]]:
    """Read a formula's text back.

    Errors: InvalidArgumentError for an id that does not exist or parameters it does not take.
    """
    found = _TEXT.fullmatch(text)
    formula = FORMULAS.get(found[1]) if found else None
    if found is None or formula is None:
        raise InvalidArgumentError(
            f"There is no formula {text[:60]!r}.", remedy=f"Formulas: {', '.join(FORMULAS)}."
        )
    pairs = [part.partition("=") for part in (found[2] or "").split(";") if part]
    parameters = {name: value for name, _, value in pairs}
    if len(parameters) != len(pairs) or not set(parameters) <= formula.parameters:
        takes = ", ".join(sorted(formula.parameters)) or "none"
        raise InvalidArgumentError(f"{formula.id} takes these parameters: {takes}.")
    return formula, parameters


def compute(text: str, inputs: Sequence[int]) -> Result:
    """Recompute a derived value from its formula's text and the integers it comes from.

    Errors: InvalidArgumentError for an unknown formula, a parameter or an input that cannot be,
    or a wrong count.
    """
    formula, parameters = parse_formula(text)
    if formula.inputs is not None and len(inputs) not in formula.inputs:
        raise InvalidArgumentError(
            f"{formula.id} takes {' or '.join(map(str, formula.inputs))} inputs, not {len(inputs)}."
        )
    try:
        return formula.compute(inputs, parameters)
    except KeyError as missing:
        raise InvalidArgumentError(f"{formula.id} needs its parameter {missing}.") from None


def _side(parameters: Parameters) -> Side:
    side = parameters["side"]
    if side not in SIDES:
        raise InvalidArgumentError(f"A side is one of {', '.join(SIDES)}.")
    return side


def _integer(name: str, parameters: Parameters) -> int:
    """Read an integer as `formula_text` writes it: no sign, no zero in front, at most 256 bits."""
    written = parameters[name]
    number = int(written) if _INTEGER.fullmatch(written) else UINT256_MAX + 1
    if number > UINT256_MAX:
        raise InvalidArgumentError(f"{name}={written[:40]} is not a plain integer of 256 bits.")
    return number


def _fee(parameters: Parameters) -> int | None:
    return _integer("fee_ppm", parameters) if "fee_ppm" in parameters else None


def _pool_move(inputs: Sequence[int], parameters: Parameters) -> int:
    leg = parameters["leg"]
    if leg not in _LEGS:
        raise InvalidArgumentError(f"A leg is one of {', '.join(_LEGS)}.")
    moved = move(inputs[0], inputs[1], parameters["move_pct"], _side(parameters), _fee(parameters))
    return moved.raw_amount_in if leg == "in" else moved.raw_amount_out


def _check_decimals(decimals: Sequence[int]) -> None:
    """Refuse what no token tells: it would be a power of ten below one, or one without end."""
    if not all(0 <= one <= _MOST_DECIMALS for one in decimals):
        raise InvalidArgumentError(f"Decimals lie between 0 and {_MOST_DECIMALS}.")


@dataclass(frozen=True, slots=True)
class _Trade:
    """A trade against two reserves, seen from the side that pays in."""

    raw_in: int
    raw_out: int
    reserve_in: int
    reserve_out: int
    decimals_in: int
    decimals_out: int

    @classmethod
    def of(cls, inputs: Sequence[int], parameters: Parameters) -> _Trade:
        reserves, decimals = list(inputs[:2]), list(inputs[2:]) or [0, 0]
        if _side(parameters) == "sell_token1":
            reserves.reverse()
            decimals.reverse()
        _check_decimals(decimals)
        raw_in = _integer("raw_in", parameters)
        if raw_in == 0:
            raise InvalidArgumentError("A trade puts in more than nothing: raw_in is above 0.")
        raw_out = amount_out(raw_in, reserves[0], reserves[1], _fee(parameters) or 0)
        return cls(raw_in, raw_out, *reserves, *decimals)


def _amount_out(inputs: Sequence[int], parameters: Parameters) -> int:
    return _Trade.of(inputs, parameters).raw_out


def _average_ratio(inputs: Sequence[int], parameters: Parameters) -> Result:
    trade = _Trade.of(inputs, parameters)
    return scaled_ratio(trade.raw_out, trade.decimals_out, trade.raw_in, trade.decimals_in)


def _impact(inputs: Sequence[int], parameters: Parameters) -> Result:
    trade = _Trade.of(inputs, parameters)
    return impact(trade.raw_in, trade.raw_out, trade.reserve_in, trade.reserve_out).percent()


def _marginal_after(inputs: Sequence[int], parameters: Parameters) -> Result:
    trade = _Trade.of(inputs, parameters)
    return scaled_ratio(
        trade.reserve_out - trade.raw_out,
        trade.decimals_out,
        trade.reserve_in + trade.raw_in,
        trade.decimals_in,
    )


def _marginal_ratio(inputs: Sequence[int], _: Parameters) -> Result:
    reserve_base, reserve_quote, decimals_base, decimals_quote = inputs
    _check_decimals(inputs[2:])
    return scaled_ratio(reserve_quote, decimals_quote, reserve_base, decimals_base)


_NONE: Final = frozenset[str]()
_TRADE: Final = frozenset({"raw_in", "side", "fee_ppm"})

_ALL: Final = (
    Formula("sum@1", None, _NONE, "The sum of all inputs.", lambda i, _: total(i)),
    Formula(
        "difference@1", (2,), _NONE, "First minus second, signed.", lambda i, _: difference(*i)
    ),
    Formula(
        "change@1", (2,), _NONE, "After minus before, signed.", lambda i, _: difference(i[1], i[0])
    ),
    Formula("ratio@1", (2,), _NONE, "First divided by second.", lambda i, _: ratio(*i)),
    Formula("share_of_supply@1", (2,), _NONE, "Balance / total supply.", lambda i, _: share(*i)),
    Formula(
        "gap@1", (2,), _NONE, "Balance of the pool minus reserve.", lambda i, _: difference(*i)
    ),
    Formula("product@1", (2,), _NONE, "reserve0 * reserve1.", lambda i, _: i[0] * i[1]),
    Formula(
        "marginal_ratio@1",
        (4,),
        _NONE,
        "Whole quote tokens for a whole base token at the margin: inputs reserve_base, "
        "reserve_quote, decimals_base, decimals_quote.",
        _marginal_ratio,
    ),
    Formula(
        "pool_move@1",
        (2,),
        frozenset({"move_pct", "side", "leg", "fee_ppm"}),
        "Amount in (rounded up) or out (down) that moves token1/token0 by move_pct percent on "
        "x*y=k; with fee_ppm the input is divided by 1-fee, rounded up.",
        _pool_move,
    ),
    Formula("amount_out@1", (2,), _TRADE, "getAmountOut of the pair, rounded down.", _amount_out),
    Formula("average_ratio@1", (2, 4), _TRADE, "Amount out / amount in.", _average_ratio),
    Formula(
        "impact@1",
        (2, 4),
        _TRADE,
        "Percent by which the average rate lies below the marginal rate before the trade.",
        _impact,
    ),
    Formula(
        "marginal_after@1",
        (2, 4),
        _TRADE,
        "(reserve_out - amount out) / (reserve_in + amount in).",
        _marginal_after,
    ),
)

FORMULAS: Final[Mapping[str, Formula]] = MappingProxyType({one.id: one for one in _ALL})
"""The formulas by id."""
