"""The two reserves of a constant-product pool at one block."""

from __future__ import annotations

from typing import NoReturn

from pydantic import Field

from toolkit.errors import NotAContractError, WrongPoolKindError
from toolkit.models import Address, BlockRef, ChainId, Decimals, Frozen, RawInt, Unknown, iso_time
from toolkit.tools.abi import balance_of, decimals_of
from toolkit.tools.asks import Steps, ask
from toolkit.tools.pair_abi import (
    factory_of,
    reserves_of,
    slot0_of,
    stable_of,
    token0_of,
    token1_of,
)
from toolkit.tools.tool import ENDPOINT_ERRORS, Tool
from toolkit.tools.words import BLOCK, CHAIN_ID

_CONTRACT = "The token's contract address."
_DECIMALS = "The token's decimals, an integer, or why unknown."
_RESERVE = "Integer text in that token's smallest unit, as getReserves() says."
_BALANCE = "balanceOf(pool): integer text in that token's smallest unit, or why unknown."
_GAP = "raw_balance minus raw_reserve as signed integer text (a donation or rebase), or unknown."

_FEE_UNREADABLE = Unknown(
    code="fee_unreadable",
    message="A pair of this kind does not tell its fee; state it to include it.",
)


class Args(Frozen):
    """Every argument is required."""

    chain_id: ChainId = Field(description=CHAIN_ID)
    pool: Address = Field(description="The pool contract's address.")
    block: BlockRef = Field(description=BLOCK)


class PoolReserves(Frozen):
    """A constant-product pair's state, with what the pool really holds beside each reserve."""

    kind: str = Field(description="constant_product.")
    token0: Address = Field(description=_CONTRACT)
    token1: Address = Field(description=_CONTRACT)
    decimals0: Decimals | Unknown = Field(description=_DECIMALS)
    decimals1: Decimals | Unknown = Field(description=_DECIMALS)
    raw_reserve0: RawInt = Field(description=_RESERVE)
    raw_reserve1: RawInt = Field(description=_RESERVE)
    raw_balance0: RawInt | Unknown = Field(description=_BALANCE)
    raw_balance1: RawInt | Unknown = Field(description=_BALANCE)
    raw_gap0: str | None = Field(description=_GAP)
    raw_gap1: str | None = Field(description=_GAP)
    last_update: str = Field(description="Time of the last reserve update, ISO 8601 UTC.")
    factory: Address | Unknown = Field(description="The pool's factory, or why unknown.")
    fee_ppm: int | Unknown = Field(
        description="Swap fee in parts per million where the pool tells it, else why unknown."
    )


def steps(args: Args) -> Steps[PoolReserves]:
    """Read a constant-product pair's reserves, and the pool's balances beside them.

    Source: Uniswap V2 pair interface and EIP-20 by eth_call at the pinned block.
    Errors: wrong_pool_kind names the kind that was found. Not: depth in money, prices, TVL.
    """
    pool = args.pool
    reserves, token0, token1, factory = yield from ask(
        reserves_of(pool).optional(),
        token0_of(pool).optional(),
        token1_of(pool).optional(),
        factory_of(pool).optional(),
    )
    if isinstance(reserves, Unknown) or isinstance(token0, Unknown) or isinstance(token1, Unknown):
        slot0 = yield from ask(slot0_of(pool).optional())
        _refuse(pool, (reserves, token0, token1), has_slot0=not isinstance(slot0, Unknown))
    stable, decimals0, decimals1, balance0, balance1 = yield from ask(
        stable_of(pool).optional(),
        decimals_of(token0, "decimals0").optional(),
        decimals_of(token1, "decimals1").optional(),
        balance_of(token0, pool, "raw_balance0").optional(),
        balance_of(token1, pool, "raw_balance1").optional(),
    )
    if stable == 1:
        raise _stable_curve(pool)
    return PoolReserves(
        kind="constant_product",
        token0=token0,
        token1=token1,
        decimals0=decimals0,
        decimals1=decimals1,
        raw_reserve0=reserves.raw_reserve0,
        raw_reserve1=reserves.raw_reserve1,
        raw_balance0=balance0,
        raw_balance1=balance1,
        raw_gap0=_gap(balance0, reserves.raw_reserve0),
        raw_gap1=_gap(balance1, reserves.raw_reserve1),
        last_update=iso_time(reserves.timestamp_last % 2**32),
        factory=factory,
        fee_ppm=_FEE_UNREADABLE,
    )


def _stable_curve(pool: str) -> WrongPoolKindError:
    return WrongPoolKindError(
        f"The pool {pool} is a stable-curve pair: its reserves do not follow x*y=k.",
        remedy="No built-in tool reads its depth; its reserves alone would mislead.",
    )


def _gap(balance: int | Unknown, reserve: int) -> str | None:
    """What the pool holds beyond its reserve, where the balance is known."""
    return None if isinstance(balance, Unknown) else str(balance - reserve)


def _refuse(pool: str, found: tuple[object, ...], *, has_slot0: bool) -> NoReturn:
    """Say what the address is instead, and which tool reads that."""
    unknown = [part for part in found if isinstance(part, Unknown)]
    if any(part.code == "not_a_contract" for part in unknown):
        raise NotAContractError(
            f"No code stands at {pool} at this block.",
            remedy="Check the address and the chain, or choose a block after its deployment.",
        )
    if has_slot0:
        raise WrongPoolKindError(
            f"The pool {pool} is a concentrated-liquidity pool: it has no two reserves.",
            remedy="Use get_concentrated_liquidity.",
        )
    raise WrongPoolKindError(
        f"The contract at {pool} is not a constant-product pool. {unknown[0].message}",
        remedy="Check the address; a token or a router is not a pool.",
    )


TOOL = Tool(
    name="get_pool_reserves",
    version="1.0.0",
    reads=(
        "Reads the two reserves of a constant-product (Uniswap V2 kind) pool at one block of one "
        "EVM chain, with balanceOf(pool) beside each (eth_call; read-only)."
    ),
    args=Args,
    data=PoolReserves,
    steps=steps,
    excludes=(
        "return a price, TVL or depth in money",
        "read concentrated-liquidity pools (get_concentrated_liquidity) or stable curves",
        "assume a fee that the pool does not tell",
        "include token transfer fees",
        "quote a trade",
    ),
    errors=(*ENDPOINT_ERRORS, "not_a_contract", "wrong_pool_kind", "decode_failed"),
    cost="ten reads in two dependent rounds, merged with others; typically 100 to 500 ms.",
)
