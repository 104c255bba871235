"""The ABI shapes of pools: enough to read a constant-product pair and to know other kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolkit.chain.reads import CallRead
from toolkit.errors import AbnormalAnswerError, DecodeFailedError
from toolkit.tools.abi import decode_address, decode_uint, selector
from toolkit.tools.asks import Ask

_GET_RESERVES: Final = selector("getReserves()")
_TOKEN0: Final = selector("token0()")
_TOKEN1: Final = selector("token1()")
_FACTORY: Final = selector("factory()")
_FEE: Final = selector("fee()")
_SLOT0: Final = selector("slot0()")
_STABLE: Final = selector("stable()")

RESERVE_MAX: Final = 2**112 - 1
"""A Uniswap V2 pair packs each reserve into 112 bits."""


@dataclass(frozen=True, slots=True)
class Reserves:
    """Two reserves and when they last changed. Unit: smallest units; seconds modulo 2^32."""

    raw_reserve0: int
    raw_reserve1: int
    timestamp_last: int


def decode_reserves(data: bytes) -> Reserves:
    """Read getReserves(): two reserves and a time. Forks with wider reserves are read too."""
    if len(data) != 96:
        raise DecodeFailedError(
            f"getReserves() returned {len(data)} bytes where 96 belong.",
            remedy="Check that the address is a constant-product pair.",
        )
    reserve0, reserve1, last = (decode_uint(data[at : at + 32]) for at in (0, 32, 64))
    if max(reserve0, reserve1) >= 2**128:
        raise AbnormalAnswerError("A reserve exceeds 128 bits, which no known pair can hold.")
    return Reserves(reserve0, reserve1, last)


def reserves_of(pool: str) -> Ask[Reserves]:
    """Ask for a pair's two reserves."""
    read = CallRead(pool, _GET_RESERVES, function="getReserves()")
    return Ask(read, decode_reserves, "reserves")


def token0_of(pool: str) -> Ask[str]:
    """Ask for the pool's first token."""
    return Ask(CallRead(pool, _TOKEN0, function="token0()"), decode_address, "token0")


def token1_of(pool: str) -> Ask[str]:
    """Ask for the pool's second token."""
    return Ask(CallRead(pool, _TOKEN1, function="token1()"), decode_address, "token1")


def factory_of(pool: str) -> Ask[str]:
    """Ask which factory made the pool."""
    return Ask(CallRead(pool, _FACTORY, function="factory()"), decode_address, "factory")


def fee_of(pool: str) -> Ask[int]:
    """Ask for a fee the pool itself tells; most constant-product pairs have none to tell."""
    return Ask(CallRead(pool, _FEE, function="fee()"), decode_uint, "fee")


def slot0_of(pool: str) -> Ask[int]:
    """Ask for slot0(), which only concentrated-liquidity pools have. Only its presence counts."""
    return Ask(CallRead(pool, _SLOT0, function="slot0()"), decode_uint, "slot0")


def stable_of(pool: str) -> Ask[int]:
    """Ask for stable(), which Solidly-style pairs have: 1 means not a constant product."""
    read = CallRead(pool, _STABLE, function="stable()", often_refused=True)
    return Ask(read, decode_uint, "stable")
