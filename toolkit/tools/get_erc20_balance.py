"""The balance of one ERC-20 token held by one address at one block."""

from __future__ import annotations

from pydantic import Field

from toolkit.models import Address, BlockRef, ChainId, Decimals, Frozen, RawInt, Unknown, scale
from toolkit.tools.abi import balance_of, decimals_if_told
from toolkit.tools.asks import Ask, OneWave
from toolkit.tools.tool import ENDPOINT_ERRORS, Tool
from toolkit.tools.words import BLOCK, CHAIN_ID


class Args(Frozen):
    """Every argument is required."""

    chain_id: ChainId = Field(description=CHAIN_ID)
    holder: Address = Field(description="The holder: 0x and 40 hex digits, EIP-55 or one case.")
    token: Address = Field(
        description="The ERC-20 contract's address, never a ticker; the coin has its own tool."
    )
    block: BlockRef = Field(description=BLOCK)


class Erc20Balance(Frozen):
    """What an address holds of one token."""

    raw_amount: RawInt = Field(description="Integer text in the token's smallest unit.")
    decimals: Decimals | Unknown = Field(
        description="What decimals() says, an integer, or why it is unknown."
    )
    amount: str | None = Field(
        description="raw_amount / 10^decimals, exact decimal text; null where decimals are unknown."
    )

    @classmethod
    def of(cls, raw_amount: int, decimals: int | Unknown) -> Erc20Balance:
        """Scale where the decimals are known, and only there."""
        amount = None if isinstance(decimals, Unknown) else scale(raw_amount, decimals)
        return cls(raw_amount=raw_amount, decimals=decimals, amount=amount)


def asks(args: Args) -> tuple[Ask[int], Ask[int | Unknown]]:
    """Ask for the balance of one ERC-20 token of one holder at one block.

    Source: EIP-20 balanceOf(address) and decimals() by eth_call at the pinned block.
    Unit: the token's smallest unit. Not: native coin, rewards, shares behind a vault, prices.
    """
    return balance_of(args.token, args.holder), decimals_if_told(args.token)


steps = OneWave(asks, Erc20Balance.of)


TOOL = Tool(
    name="get_erc20_balance",
    version="1.0.0",
    reads=(
        "Reads the balance of one ERC-20 token of one holder at one block of one EVM chain "
        "(EIP-20 balanceOf and decimals by eth_call; read-only)."
    ),
    args=Args,
    data=Erc20Balance,
    steps=steps,
    excludes=(
        "return the native balance (use get_native_balance)",
        "return a price or a value in any currency",
        "count unclaimed rewards, staked or vaulted shares, or tokens in pools",
        "treat an address without code as a balance of 0 (that is not_a_contract)",
        "assume 18 decimals where the token does not tell them",
        "identify a token by its symbol",
        "make a portfolio",
    ),
    errors=(
        *ENDPOINT_ERRORS,
        "not_a_contract",
        "not_supported_by_contract",
        "call_reverted",
        "decode_failed",
    ),
    cost="two reads, merged with others of the same block; typically 50 to 300 ms, 0 when cached.",
)
