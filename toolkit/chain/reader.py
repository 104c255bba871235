"""The seam between tools and the chain: whatever pins blocks and answers reads at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from toolkit.chain.facts import Answer
from toolkit.chain.log_check import CheckProgress, LogCheck
from toolkit.chain.logs import LogPage, LogScan, Watch
from toolkit.chain.reads import Read
from toolkit.models import BlockHash, BlockHeight, BlockTag, FinalityObservation, Pin


@dataclass(frozen=True, slots=True)
class PinnedBlock:
    """A pin, what was observed of its finality, and whether it must be confirmed at the end."""

    pin: Pin
    finality: FinalityObservation
    endpoint_id: str
    needs_confirmation: bool


@dataclass(slots=True)
class Traffic:
    """What a reader has cost so far. Unit: HTTP requests, and facts by where they came from."""

    requests: int = 0
    facts_read: int = 0
    facts_cached: int = 0
    notes: list[str] = field(default_factory=list)


class Reader(Protocol):
    """Answers reads of one chain at a pin.

    `RpcReader` asks an endpoint, `CachedReader` the store first.
    """

    @property
    def chain_id(self) -> int:
        """The chain this reader is bound to."""

    @property
    def traffic(self) -> Traffic:
        """What has been asked so far."""

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a reference to one block, once.

        Errors: BlockNotFoundError, BlockAheadOfHeadError, ChainMismatchError, EndpointError.
        """

    def height_at(self, timestamp: int) -> int:
        """Find the height of the last block at or before an instant. Unit: seconds since 1970.

        Errors: BlockNotFoundError before the first block, BlockAheadOfHeadError after the head.
        """

    def read(self, pin: Pin, reads: Sequence[Read]) -> list[Answer]:
        """Answer each read at the pin, in order.

        Errors: none raised for what an endpoint or a contract did; those are Failures.
        """

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None = None) -> LogPage:
        """Read logs at or below the pin, newest first, and say how complete the answer is.

        `watch` gets each slice as it comes, from the top down, and may raise to end the scan.
        """

    def check_logs(
        self, scan: LogScan, page: LogPage, progress: CheckProgress | None = None
    ) -> LogCheck:
        """Compare a page's newest blocks with their blooms and receipts, and say how it holds."""

    def confirm(self, pinned: PinnedBlock) -> None:
        """Check at a job's end that the pinned block is still canonical.

        Errors: ReorgedError.
        """
