"""The words in charts, by key. English here; a page passes its own language's in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Words: TypeAlias = Mapping[str, str]

ENGLISH: Final[Words] = MappingProxyType(
    {
        "chain": "chain",
        "block": "block",
        "price_free": "price-free",
        "native": "Native coin",
        "address": "Address",
        "amount": "Amount",
        "raw_amount": "Raw amount",
        "raw_units": "raw units, decimals unknown",
        "state": "State",
        "reason": "Reason",
        "zero": "zero, read as such",
        "value": "amount",
        "not_a_contract": "no code at this block",
        "not_supported_by_contract": "function not there",
        "call_reverted": "reverted",
        "decode_failed": "unreadable answer",
        "abnormal_answer": "absurd answer",
        "state_unavailable": "unknown: state not available",
        "log_scale": "logarithmic scale",
        "linear_scale": "linear scale from zero",
        "shown_of": "{shown} of {total} addresses; the table holds all",
        "pool": "Pool",
        "move": "Move of the pool's own rate, %",
        "sell_token0": "Sell token0",
        "sell_token1": "Sell token1",
        "input": "Input needed",
        "output": "Output",
        "fee_in": "fee included",
        "fee_out": "no fee",
        "not_a_quote": "calculated from reserves at this block, not a quote",
        "reserve0": "Reserve of token0",
        "reserve1": "Reserve of token1",
        "now": "At this block",
        "after_trade": "After the trade",
        "curve": "x*y=k",
        "amount_in": "Amount in",
        "amount_out": "Amount out",
        "sent": "Sent",
        "received": "Received",
        "net": "Net (received minus sent)",
        "self": "To itself",
        "direction": "Direction",
        "transfers": "Transfers",
        "count": "Number of transfers",
        "block_number": "Block",
        "incomplete": "the list is NOT complete",
        "complete": "complete",
        "unavailable": "No value",
    }
)
"""Every key that a chart may ask for."""


def merged(words: Words | None) -> Words:
    """The given words, with English where one is missing."""
    return ENGLISH if words is None else {**ENGLISH, **words}
