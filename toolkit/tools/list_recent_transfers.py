"""Token transfers from or to one address, newest first, and how complete the list is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from toolkit.chain.logs import Log, LogScan
from toolkit.models import (
    Address,
    BlockHeight,
    BlockRef,
    ChainId,
    Decimals,
    Frozen,
    Hash32,
    Height,
    RawInt,
    Unknown,
    checksummed,
)
from toolkit.tools.abi import TRANSFER_TOPIC, address_word, decimals_of
from toolkit.tools.asks import Ask, Steps, ask, ask_all, decode_page
from toolkit.tools.tool import ENDPOINT_ERRORS, Tool
from toolkit.tools.words import CHAIN_ID

MAX_LIMIT = 10_000
_TOPICS_OF_A_TRANSFER = (3, 4)


class Args(Frozen):
    """Every argument is required."""

    chain_id: ChainId = Field(description=CHAIN_ID)
    address: Address = Field(description="Sender or receiver: 0x and 40 hex digits.")
    from_block: Height = Field(description="The lowest height to look at, in decimal.")
    to_block: BlockRef = Field(
        description="The highest block to look at, also the pin: a height, a hash or a tag."
    )
    limit: int = Field(
        ge=1, le=MAX_LIMIT, description=f"Stop after this many transfers, 1 to {MAX_LIMIT}."
    )

    @model_validator(mode="after")
    def _rises(self) -> Args:
        if isinstance(self.to_block, BlockHeight) and (
            self.from_block.number > self.to_block.number
        ):
            raise ValueError(
                f"from_block {self.from_block} lies above to_block {self.to_block}. "
                "Write the lower height as from_block."
            )
        return self


class Covered(Frozen):
    """The heights that were really read. Unit: block numbers, both included."""

    from_block: int
    to_block: int


class Transfer(Frozen):
    """One Transfer event. An ERC-721 token id is never an amount."""

    block_number: int
    block_hash: Hash32
    log_index: int
    token: Address
    sender: Address = Field(serialization_alias="from")
    receiver: Address = Field(serialization_alias="to")
    raw_amount: RawInt | None
    token_id: RawInt | None
    decimals: Decimals | Unknown | None
    standard: Literal["erc20", "erc721", "unknown"]


class RecentTransfers(Frozen):
    """The transfers found and how much of the question they answer."""

    rows: tuple[Transfer, ...] = Field(
        description=(
            "Newest first: block_number, block_hash, log_index, token, from, to, raw_amount "
            "(integer text in the token's smallest unit; null for ERC-721, which has token_id), "
            "decimals, standard."
        )
    )
    complete: bool = Field(
        description="True only if every block asked for was read and nothing was cut."
    )
    covered: Covered | None = Field(description="The heights really read, both ends included.")
    stopped_because: str | None = Field(
        description="null, 'limit', or the error code that ended the scan early."
    )
    stopped_message: str | None = Field(
        description="The sentence of the error that ended the scan early, with the way out."
    )
    odd_shapes: int = Field(
        description="Logs with the Transfer topic and another shape, which are not rows."
    )


def steps(args: Args) -> Steps[RecentTransfers]:
    """List token transfers from or to one address in a range of blocks, newest first.

    Source: Transfer(address,address,uint256) events by eth_getLogs, at or below the pin.
    Not: native-coin transfers, ERC-1155, approvals, transfers that emit no event, prices.
    """
    party = address_word(args.address)
    scan = LogScan(
        filters=((TRANSFER_TOPIC, party), (TRANSFER_TOPIC, None, party)),
        from_block=args.from_block.number,
        to_block=-1,
        limit=args.limit,
    )
    page = yield from ask(Ask(scan, decode_page, "transfers"))
    logs = tuple(log for log in page.logs if len(log.topics) in _TOPICS_OF_A_TRANSFER)
    tokens = tuple(dict.fromkeys(log.address for log in logs if len(log.topics) == 3))
    decimals = yield from ask_all(tuple(decimals_of(token).optional() for token in tokens))
    by_token = dict(zip(tokens, decimals, strict=True))
    covered = None
    if page.covered_from is not None and page.covered_to is not None:
        covered = Covered(from_block=page.covered_from, to_block=page.covered_to)
    return RecentTransfers(
        rows=tuple(_transfer(log, by_token) for log in logs),
        complete=page.complete,
        covered=covered,
        stopped_because=page.stopped_because,
        stopped_message=None if page.error is None else str(page.error),
        odd_shapes=len(page.logs) - len(logs),
    )


def _transfer(log: Log, decimals: dict[str, int | Unknown]) -> Transfer:
    """Tell ERC-20 from ERC-721 by the number of topics, as the standards do."""
    is_erc20 = len(log.topics) == 3 and len(log.data) == 32
    is_erc721 = len(log.topics) == 4 and len(log.data) == 0
    return Transfer(
        block_number=log.block_number,
        block_hash=log.block_hash,
        log_index=log.log_index,
        token=log.address,
        sender=_party(log.topics[1]),
        receiver=_party(log.topics[2]),
        raw_amount=int.from_bytes(log.data, "big") if is_erc20 else None,
        token_id=int.from_bytes(log.topics[3], "big") if is_erc721 else None,
        decimals=decimals.get(log.address) if is_erc20 else None,
        standard="erc20" if is_erc20 else "erc721" if is_erc721 else "unknown",
    )


def _party(topic: bytes) -> str:
    return checksummed("0x" + topic[12:].hex())


TOOL = Tool(
    name="list_recent_transfers",
    version="1.0.0",
    reads=(
        "Lists ERC-20 and ERC-721 Transfer events from or to one address in a range of blocks of "
        "one EVM chain, newest first (eth_getLogs; read-only)."
    ),
    args=Args,
    data=RecentTransfers,
    steps=steps,
    excludes=(
        "list native-coin transfers or internal transactions",
        "list ERC-1155 transfers",
        "see transfers for which a token emits no event",
        "turn an ERC-721 token id into an amount",
        "return prices or values",
        "search past to_block",
    ),
    errors=(*ENDPOINT_ERRORS, "range_too_large", "incomplete_range"),
    cost=(
        "one request per slice of the range and one read per token; seconds for long ranges. "
        "Check `complete` and `covered` before you count or sum."
    ),
    block_field="to_block",
)
