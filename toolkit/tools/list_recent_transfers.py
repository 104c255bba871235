"""Token transfers from or to one address, newest first, and how complete the list is."""

from __future__ import annotations

from typing import Annotated

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
)
from toolkit.models.value import value
from toolkit.tools.abi import decimals_of
from toolkit.tools.asks import Ask, Steps, ask, ask_all, decode_page
from toolkit.tools.tool import ENDPOINT_ERRORS, Tool
from toolkit.tools.transfer_events import (
    LEAST_TOPICS,
    Moved,
    Reason,
    Standard,
    filters_of,
    is_multi_token,
    is_transfer,
    moves_of,
    parties_of,
)
from toolkit.tools.words import CHAIN_ID

MAX_LIMIT = 10_000


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


@value
class Transfer:
    """One transfer. A token id is never an amount, and neither are ERC-1155's units of one.

    The ids of an ERC-1155 batch are transfers with one log between them.
    """

    block_number: int
    block_hash: Hash32
    log_index: int
    token: Address
    sender: Annotated[Address, Field(serialization_alias="from")]
    receiver: Annotated[Address, Field(serialization_alias="to")]
    raw_amount: RawInt | None
    token_id: RawInt | None
    raw_units: RawInt | None
    decimals: Decimals | Unknown | None
    standard: Standard
    reason: Reason | None


class RecentTransfers(Frozen):
    """The transfers found and how much of the question they answer."""

    rows: tuple[Transfer, ...] = Field(
        description=(
            "Newest first: block_number, block_hash, log_index, token, from, to, raw_amount "
            "(integer text in the token's smallest unit; null for ERC-721, which has token_id, "
            "and for ERC-1155, which has token_id and raw_units of it), decimals, standard, "
            "reason (null, or why an ERC-1155 event shows no ids)."
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
        description=(
            "Logs with a transfer's first topic and too few others, which are not rows and do "
            "not count against the limit."
        )
    )


def steps(args: Args) -> Steps[RecentTransfers]:
    """List token transfers from or to one address in a range of blocks, newest first.

    Source: Transfer, TransferSingle and TransferBatch events by eth_getLogs, at or below the
    pin. Not: native-coin transfers, approvals, transfers that emit no event or one whose
    parties are not indexed, prices.
    """
    scan = scan_of(args.address, args.from_block.number, args.limit)
    page = yield from ask(Ask(scan, decode_page, "transfers"))
    logs = tuple(log for log in page.logs if is_transfer(log))
    tokens = tuple(
        dict.fromkeys(
            log.address for log in logs if len(log.topics) == 3 and not is_multi_token(log)
        )
    )
    decimals = yield from ask_all(tuple(decimals_of(token).optional() for token in tokens))
    by_token = dict(zip(tokens, decimals, strict=True))
    covered = None
    if page.covered_from is not None and page.covered_to is not None:
        covered = Covered(from_block=page.covered_from, to_block=page.covered_to)
    return RecentTransfers(
        rows=tuple(_transfer(log, moved, by_token) for log in logs for moved in moves_of(log)),
        complete=page.complete,
        covered=covered,
        stopped_because=page.stopped_because,
        stopped_message=None if page.error is None else str(page.error),
        odd_shapes=len(page.logs) - len(logs),
    )


def scan_of(address: str, from_block: int, limit: int) -> LogScan:
    """Look for the transfers of an address from a height up to the pin."""
    return LogScan(
        filters=filters_of(address),
        from_block=from_block,
        to_block=-1,
        limit=limit,
        counted_topics=LEAST_TOPICS,
    )


def _transfer(log: Log, moved: Moved, decimals: dict[str, int | Unknown]) -> Transfer:
    """Lay one move out. What it is made of was checked when the log was read."""
    sender, receiver = parties_of(log)
    return Transfer(
        log.block_number,
        log.block_hash,
        log.log_index,
        log.address,
        sender,
        receiver,
        moved.raw_amount,
        moved.token_id,
        moved.raw_units,
        decimals.get(log.address) if moved.standard == "erc20" else None,
        moved.standard,
        moved.reason,
    )


TOOL = Tool(
    name="list_recent_transfers",
    version="1.1.0",
    reads=(
        "Lists ERC-20, ERC-721 and ERC-1155 transfer events from or to one address in a range of "
        "blocks of one EVM chain, newest first (eth_getLogs; read-only)."
    ),
    args=Args,
    data=RecentTransfers,
    steps=steps,
    excludes=(
        "list native-coin transfers or internal transactions",
        "see transfers for which a token emits no event, or one whose parties are not indexed",
        "turn a token id, or ERC-1155 units of one, into an amount",
        "return prices or values",
        "search past to_block",
    ),
    errors=(*ENDPOINT_ERRORS, "range_too_large", "incomplete_range"),
    cost=(
        "one request per slice of the range that the store does not know, and one read per "
        "token; seconds for long ranges. "
        "Check `complete` and `covered` before you count or sum."
    ),
    block_field="to_block",
)
