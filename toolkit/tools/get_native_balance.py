"""The native balance of one address at one block."""

from __future__ import annotations

from pydantic import Field

from toolkit.models import Address, BlockRef, ChainId, Decimals, Frozen, RawInt, Unknown, scale
from toolkit.tools.abi import native_balance_of
from toolkit.tools.asks import Ask, Coin, OneWave, coin_of
from toolkit.tools.tool import ENDPOINT_ERRORS, Tool
from toolkit.tools.words import BLOCK, CHAIN_ID


class Args(Frozen):
    """Every argument is required."""

    chain_id: ChainId = Field(description=CHAIN_ID)
    address: Address = Field(description="The holder: 0x and 40 hex digits, EIP-55 or one case.")
    block: BlockRef = Field(description=BLOCK)


class NativeBalance(Frozen):
    """What an address holds of its chain's own coin."""

    raw_amount: RawInt = Field(description="Integer text in wei.")
    decimals: Decimals = Field(description="Decimal places of the coin, an integer.")
    amount: str = Field(description="raw_amount / 10^decimals, exact decimal text. Not a value.")
    symbol: str | Unknown = Field(
        description="The coin's symbol from the shipped chain registry, or why it is unknown."
    )

    @classmethod
    def of(cls, wei: int, coin: Coin) -> NativeBalance:
        """Scale by the coin's own decimals."""
        return cls(
            raw_amount=wei,
            decimals=coin.decimals,
            amount=scale(wei, coin.decimals),
            symbol=coin.symbol,
        )


def asks(args: Args) -> tuple[Ask[int], Ask[Coin]]:
    """Ask for the native-coin balance of one address at one block.

    Source: eth_getBalance at the pinned block. Unit: wei.
    Errors: as any read. Not: ERC-20 tokens, prices, staked or pending amounts, a portfolio.
    """
    return native_balance_of(args.address), coin_of(args.chain_id)


steps = OneWave(asks, NativeBalance.of)


TOOL = Tool(
    name="get_native_balance",
    version="1.0.0",
    reads=(
        "Reads the native-coin balance of one address at one block of one EVM chain "
        "(JSON-RPC eth_getBalance; read-only)."
    ),
    args=Args,
    data=NativeBalance,
    steps=steps,
    excludes=(
        "return ERC-20 balances (use get_erc20_balance)",
        "return a price or a value in any currency",
        "count staked, locked, bridged or pending amounts",
        "make a portfolio or a total",
        "look at other chains",
        "tell whether the address is a person or a contract",
    ),
    errors=ENDPOINT_ERRORS,
    cost="one read, merged with others of the same block; typically 50 to 300 ms, 0 when cached.",
)
