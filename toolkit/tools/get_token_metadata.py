"""What a token contract says about itself at one block."""

from __future__ import annotations

from pydantic import Field

from toolkit.errors import NotAContractError, NotSupportedByContractError
from toolkit.models import Address, BlockRef, ChainId, Decimals, Frozen, RawInt, Unknown, scale
from toolkit.tools.abi import decimals_of, implementation_of, name_of, symbol_of, total_supply_of
from toolkit.tools.asks import Steps, ask
from toolkit.tools.tool import ENDPOINT_ERRORS, Tool
from toolkit.tools.words import BLOCK, CHAIN_ID
from toolkit.untrusted import UntrustedText


class Args(Frozen):
    """Every argument is required."""

    chain_id: ChainId = Field(description=CHAIN_ID)
    token: Address = Field(description="The token contract's address, never a ticker.")
    block: BlockRef = Field(description=BLOCK)


class TokenMetadata(Frozen):
    """A token's own words and numbers. The words are untrusted; the address is the identity."""

    name: UntrustedText | Unknown = Field(
        description="name() as untrusted text with its encoding (string, bytes32, not_utf8)."
    )
    symbol: UntrustedText | Unknown = Field(
        description="symbol() as untrusted text with its encoding. Never an identity."
    )
    decimals: Decimals | Unknown = Field(description="decimals(), an integer, or why unknown.")
    raw_total_supply: RawInt | Unknown = Field(
        description="totalSupply() as integer text in the smallest unit, or why unknown."
    )
    total_supply: str | None = Field(
        description="raw_total_supply / 10^decimals, exact decimal text; null where unknown."
    )
    implementation: Address | None = Field(
        description="The EIP-1967 implementation behind a proxy; null where that slot is empty."
    )


def steps(args: Args) -> Steps[TokenMetadata]:
    """Read a token's name, symbol, decimals, total supply and proxy slot at one block.

    Source: EIP-20 by eth_call, EIP-1967 by eth_getStorageAt, at the pinned block.
    Not: circulating supply, a judgement of the token, a price.
    """
    name, symbol, decimals, supply, implementation = yield from ask(
        name_of(args.token).optional(),
        symbol_of(args.token).optional(),
        decimals_of(args.token).optional(),
        total_supply_of(args.token).optional(),
        implementation_of(args.token),
    )
    answers = (name, symbol, decimals, supply)
    unknown = [answer for answer in answers if isinstance(answer, Unknown)]
    if len(unknown) == len(answers):
        _refuse(args.token, unknown)
    known = not isinstance(supply, Unknown) and not isinstance(decimals, Unknown)
    return TokenMetadata(
        name=name,
        symbol=symbol,
        decimals=decimals,
        raw_total_supply=supply,
        total_supply=scale(supply, decimals) if known else None,  # type: ignore[arg-type]
        implementation=implementation,
    )


def _refuse(token: str, unknown: list[Unknown]) -> None:
    """An address that answers nothing is not a token, and says so."""
    if any(answer.code == "not_a_contract" for answer in unknown):
        raise NotAContractError(
            f"No code stands at {token} at this block.",
            remedy="Check the address and the chain, or choose a block after its deployment.",
        )
    raise NotSupportedByContractError(
        f"The contract at {token} answers none of name, symbol, decimals and totalSupply.",
        remedy="Check that the address is a token.",
    )


TOOL = Tool(
    name="get_token_metadata",
    version="1.0.0",
    reads=(
        "Reads what a token contract says about itself at one block of one EVM chain "
        "(EIP-20 name, symbol, decimals, totalSupply by eth_call; EIP-1967 slot; read-only)."
    ),
    args=Args,
    data=TokenMetadata,
    steps=steps,
    excludes=(
        "vouch for the name or symbol: anybody can write them",
        "return circulating supply, holders or burned amounts",
        "return a price, a rating or a safety verdict",
        "follow links in the text",
        "know proxies of other kinds than EIP-1967",
    ),
    errors=(*ENDPOINT_ERRORS, "not_a_contract", "not_supported_by_contract"),
    cost="five reads, merged with others of the same block; typically 50 to 300 ms, 0 when cached.",
)
