"""What each pool figure means, in one sentence that stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

DEFINITIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "marginal_ratio": (
            "Reserve divided by reserve in whole tokens (raw for raw where decimals are "
            "unknown): the rate of an endlessly small trade, without the fee."
        ),
        "product": "raw_reserve0 times raw_reserve1.",
        "gap": "balanceOf(pool) minus the reserve: a donation, a rebase or a transfer fee.",
        "sell_token0": (
            "Token0 paid in (rounded up) and token1 paid out (rounded down) until the pool's "
            "own marginal rate token1/token0 has fallen by this percentage"
        ),
        "sell_token1": (
            "Token1 paid in (rounded up) and token0 paid out (rounded down) until the pool's "
            "own marginal rate token1/token0 has risen by this percentage"
        ),
        "fee_in": "; the input includes the pool's fee.",
        "fee_out": "; no fee in the figures.",
        "trade": (
            "Amount out as the pair's contract reckons it, rounded down; average ratio is out/in; "
            "impact is how far it lies below the marginal ratio before the trade; transfer fees "
            "of the tokens are not included"
        ),
        "trade_fee_in": "; the fee of fee_ppm is included.",
        "trade_fee_out": (
            "; the pool's fee is NOT included, for the pool does not tell it: "
            "what it pays is less than this."
        ),
    }
)
"""The sentences by figure. Pages translate by the same keys."""


def definition_of_trade(fee: str) -> str:
    """The sentence of a trade, and whether the pool's fee is in its figures."""
    return DEFINITIONS["trade"] + DEFINITIONS[f"trade_fee_{fee}"]


def definition_of_move(side: str, fee: str) -> str:
    """The sentence of one move: which token goes in, which way the rate goes, fee in or out."""
    return DEFINITIONS[side] + DEFINITIONS[f"fee_{fee}"]
