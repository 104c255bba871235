"""Turns a reference to a block into a pin, once, and says what is known of its finality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolkit.chain.headers import header_call, parse_header
from toolkit.chain.quantities import parse_quantity
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    ChainMismatchError,
    EndpointError,
    EndpointMisbehavedError,
    ReadError,
    ReorgedError,
)
from toolkit.models import (
    BlockHash,
    BlockHeight,
    BlockTag,
    Finality,
    FinalityObservation,
    Pin,
)

_LATEST: Final = BlockTag(tag="latest")
_SAFE: Final = BlockTag(tag="safe")
_FINALIZED: Final = BlockTag(tag="finalized")
_GENESIS: Final = BlockHeight(number=0)
_CONFIRMATIONS: Final = 64
"""How far below the head a height is proposed where no tag says what is final. Unit: blocks."""


@dataclass(frozen=True, slots=True)
class Tip:
    """The newest block that an endpoint has shown, and when. Unit: `timestamp` as in a Pin."""

    number: int
    timestamp: int
    seen_at: str


class Pinner:
    """Pins blocks of one chain on one endpoint.

    The chain id, and the genesis hash on a development chain, are asked with the first pin of
    each process and never remembered beyond it.
    """

    def __init__(
        self,
        send: Callable[[list[RpcCall]], list[Any]],
        transport: Transport,
        *,
        chain_id: int,
        development: bool,
        hash_pins: bool,
        takes_batches: Callable[[], bool],
        now: Callable[[], str],
    ) -> None:
        self._send = send
        self._transport = transport
        self._chain_id = chain_id
        self._development = development
        self._hash_pins = hash_pins
        self._takes_batches = takes_batches
        self._now = now
        self._lineage: str | None = None
        self.chain_checked = False
        self.tip: Tip | None = None

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a reference in one request, two where a hash has to prove that it is canonical.

        Errors: BlockNotFoundError, BlockAheadOfHeadError, ReorgedError, ChainMismatchError,
        EndpointError.
        """
        calls = [header_call(block)]
        calls += [header_call(tag) for tag in (_LATEST, _SAFE, _FINALIZED)]
        # A height or a tag names a block of whatever chain answers: look again where it is free.
        calls += self._identity_calls() if self._takes_batches() else self.first_calls()
        header, latest, safe, finalized, *first = self._send(calls)
        self.check_first(first)
        head = self._note_tip(latest)
        if isinstance(header, ReadError):
            raise self._explained(block, header, head)
        if header is None:
            raise self._not_found(block, head)
        pin = parse_header(self._chain_id, header, self._lineage)
        self._check_named(block, pin)
        tips: dict[Finality, int | None] = {
            "finalized": self._tip(finalized),
            "safe": self._tip(safe),
        }
        observed = self._observe(pin, head, tips)
        if isinstance(block, BlockHash):
            self._check_canonical(pin)
        return PinnedBlock(
            pin=pin,
            finality=observed,
            endpoint_id=self._transport.endpoint_id,
            needs_confirmation=observed.status != "finalized" or not self._hash_pins,
        )

    def first_calls(self) -> list[RpcCall]:
        """What rides in the first request of a process: whose chain is this."""
        return [] if self.chain_checked else self._identity_calls()

    def _identity_calls(self) -> list[RpcCall]:
        calls = [RpcCall("eth_chainId")]
        return [*calls, header_call(_GENESIS)] if self._development else calls

    def check_first(self, answers: list[Any]) -> None:
        """Check the chain id, and keep the genesis hash of a development chain.

        Errors: ChainMismatchError; whatever the endpoint answered instead.
        """
        if not answers:
            return
        for answer in answers:
            if isinstance(answer, ReadError):
                raise answer
        told = parse_quantity(answers[0], bits=256)
        if told != self._chain_id:
            raise ChainMismatchError(
                f"Endpoint {self._transport.endpoint_id!r} serves chain {told}, "
                f"not chain {self._chain_id}.",
                remedy="Correct the endpoint's chain id or its address in the configuration.",
            )
        if self._development:
            self._lineage = parse_header(self._chain_id, answers[1], None).hash
        self.chain_checked = True

    def _note_tip(self, latest: Any) -> int | None:
        """Remember the newest block that was shown, and return its height."""
        if not isinstance(latest, dict):
            return None
        head = parse_header(self._chain_id, latest, None)
        self.tip = Tip(head.number, head.timestamp, self._now())
        return head.number

    def _tip(self, header: Any) -> int | None:
        """The height of a tag's block, where the endpoint supports the tag."""
        if not isinstance(header, dict):
            return None
        return parse_header(self._chain_id, header, None).number

    def _check_named(self, block: BlockHeight | BlockHash | BlockTag, pin: Pin) -> None:
        """The header must be of the block that was asked for."""
        asked_other = (isinstance(block, BlockHeight) and pin.number != block.number) or (
            isinstance(block, BlockHash) and pin.hash != block.hash
        )
        if asked_other:
            raise EndpointMisbehavedError(
                f"Endpoint {self._transport.endpoint_id!r} answered with another block "
                f"than {block}.",
                remedy="Use another endpoint.",
            )

    def _check_canonical(self, pin: Pin) -> None:
        """A block named by hash must stand at its height now."""
        (header,) = self._send([header_call(BlockHeight(number=pin.number))])
        if isinstance(header, ReadError):
            raise header
        if header is None or parse_header(self._chain_id, header, None).hash != pin.hash:
            raise ReorgedError(
                f"Block {pin.hash} is not on the canonical chain of {self._chain_id}: "
                f"another block stands at height {pin.number}.",
                remedy="Pin the block that stands there now, by its height.",
            )

    def _observe(
        self, pin: Pin, head: int | None, tips: dict[Finality, int | None]
    ) -> FinalityObservation:
        """Say how final the block was at this moment."""
        status: Finality = "unknown" if tips["finalized"] is None else "unsafe"
        for name, tip in tips.items():
            if tip is not None and pin.number <= tip:
                status = name
                break
        depth = None if head is None else max(head - pin.number, 0)
        return FinalityObservation(status=status, observed_at=self._now(), depth=depth)

    def _not_found(self, block: BlockHeight | BlockHash | BlockTag, head: int | None) -> ReadError:
        """Tell a block of the future from one that is not there."""
        endpoint = self._transport.endpoint_id
        if isinstance(block, BlockTag):
            return self._without_tag(block, head)
        if isinstance(block, BlockHeight) and head is not None and block.number > head:
            return BlockAheadOfHeadError(
                f"Block {block} is not mined yet on chain {self._chain_id}: "
                f"endpoint {endpoint!r} stands at {head}.",
                remedy=f"Choose a block up to {head}.",
            )
        return BlockNotFoundError(
            f"Endpoint {endpoint!r} does not know block {block} of chain {self._chain_id}.",
            remedy="Check the block, or use an endpoint that has it.",
        )

    def _explained(
        self, block: BlockHeight | BlockHash | BlockTag, error: ReadError, head: int | None
    ) -> ReadError:
        """A tag that an endpoint refuses is a matter of the endpoint, and says so."""
        if isinstance(block, BlockTag) and not error.retryable and isinstance(error, EndpointError):
            return self._without_tag(block, head)
        return error

    def _without_tag(self, tag: BlockTag, head: int | None) -> BlockNotFoundError:
        """Say what to pin where an endpoint has no block of this name."""
        instead = "latest, or a height some blocks below the head"
        if head is not None and head > _CONFIRMATIONS:
            below = head - _CONFIRMATIONS
            instead = f"a height instead: {below} has {_CONFIRMATIONS} blocks above it now"
        return BlockNotFoundError(
            f"Endpoint {self._transport.endpoint_id!r} does not support the tag {tag}, or has no "
            "such block yet: it cannot say what is final.",
            remedy=f"Pin {instead}. Its finality stays unknown; count the blocks above it.",
        )


def check_still_there(pin: Pin, header: Any) -> bool:
    """Tell whether the header now at the pin's height is the pinned block."""
    if not isinstance(header, dict):
        return False
    return parse_header(pin.chain_id, header, None).hash == pin.hash
