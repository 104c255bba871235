"""Reads one chain through one endpoint, every state read at the pinned block's hash."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolkit.chain.carrier import Riders
from toolkit.chain.facts import Answer, Fact
from toolkit.chain.forms import Forms
from toolkit.chain.headers import header_call
from toolkit.chain.limits import LearnedLimits, Limits
from toolkit.chain.log_check import CheckProgress, LogCheck, check_logs
from toolkit.chain.log_scan import scan_logs
from toolkit.chain.log_width import LogLimits
from toolkit.chain.logs import LogPage, LogScan, Watch
from toolkit.chain.pin_time import TimeFinder
from toolkit.chain.pinning import Pinner, Tip, check_still_there
from toolkit.chain.reader import PinnedBlock, Traffic
from toolkit.chain.reading import Reading
from toolkit.chain.reads import Read, ReadIds
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import EndpointError, ReadError, ReorgedError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Pin

_PIN_CALLS: Final = 6
"""The calls of one pin: the block, three tags, the chain's id, and the genesis block."""


class RpcReader:
    """A Reader over one endpoint. Any number of threads may use it, each for jobs of its own.

    Source: eth_call through Multicall3 where it stands, else a JSON-RPC batch, else single
    calls; EIP-1898 `{blockHash, requireCanonical}` on each, or the height with a header check
    afterwards where the endpoint does not honour hashes.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        chain_id: int,
        development: bool,
        now: Callable[[], str],
        limits: LearnedLimits | Limits | None = None,
    ) -> None:
        self._transport = transport
        self._chain_id = chain_id
        self._now = now
        self._learned = (
            limits if isinstance(limits, LearnedLimits) else LearnedLimits(limits or Limits())
        )
        self._pinner = Pinner(
            self._send_split,
            transport,
            chain_id=chain_id,
            development=development,
            hash_pins=self.limits.hash_pins,
            takes_batches=lambda: self.limits.batch >= _PIN_CALLS,
            now=now,
        )
        self.log_limits = LogLimits()
        self._counted = Traffic()
        self._stands: dict[str, bool] = {}
        self._final: set[str] = set()
        self._proven_aside = threading.local()
        self._forms = Forms(self._learned)
        self._lock = threading.Lock()

    @property
    def chain_id(self) -> int:
        """The chain this reader is bound to."""
        return self._chain_id

    @property
    def limits(self) -> Limits:
        """What the endpoint takes, as far as it has shown by now."""
        return self._learned.now

    @property
    def pins_by_hash(self) -> bool:
        """Whether each read names its block by hash, so that a fact needs no confirmation."""
        return self.limits.hash_pins

    @property
    def tip(self) -> Tip | None:
        """The newest block that the endpoint has shown, where it was asked."""
        return self._pinner.tip

    def doubt_chain(self) -> None:
        """Ask again whose chain this is, before anything else counts."""
        self._pinner.chain_checked = False

    def check_chain(self) -> None:
        """Ask whose chain this is, where that is not known yet.

        Errors: ChainMismatchError, EndpointError.
        """
        if calls := self._pinner.first_calls():
            self._pinner.check_first(self._send_split(calls))

    @property
    def traffic(self) -> Traffic:
        """What has been asked so far."""
        self._counted.requests = self._transport.requests
        return self._counted

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a reference to one block. See `Pinner.pin`."""
        pinned = self._pinner.pin(block)
        if not pinned.needs_confirmation:
            self._final.add(pinned.pin.hash)
        return pinned

    def height_at(self, timestamp: int) -> int:
        """Find the height of the last block at or before an instant. See `TimeFinder`."""
        return TimeFinder(self._chain_id, self._send_split).last_block_at(timestamp).number

    def read(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None = None) -> list[Answer]:
        """Answer each read at the pin, in order, in as few requests as the endpoint allows."""
        reading = Reading(
            self._transport,
            pin,
            limits=self._learned,
            forms=self._forms,
            now=self._now,
            ids=ids,
        )
        self._forget_standing(pin)
        answers = reading.run(reads, riders=lambda: self._riders(pin))
        self._proven_aside.facts = [*self._aside(), *reading.side_facts]
        with self._lock:
            self._counted.facts_read += sum(isinstance(answer, Fact) for answer in answers)
        return answers

    def drain_side_facts(self) -> list[Fact]:
        """Give away what this thread's reads proved on the way: code, confirmed reverts."""
        drained, self._proven_aside.facts = self._aside(), []
        return drained

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None = None) -> LogPage:
        """Read logs at or below the pin, newest first, and say how complete the answer is."""
        self._forget_standing(pin)
        return scan_logs(
            self._transport,
            pin,
            scan,
            now=self._now,
            batch=self.limits.batch,
            limits=self.log_limits,
            watch=watch,
        )

    def check_logs(
        self, scan: LogScan, page: LogPage, progress: CheckProgress | None = None
    ) -> LogCheck:
        """Compare a page with the blooms and receipts of its blocks. See `check_logs`."""
        batch = self.limits.batch
        return check_logs(self._transport, scan, page, batch=batch, progress=progress)

    def confirm(self, pinned: PinnedBlock) -> None:
        """Check that the pinned block still stands, with a request only where none carried it.

        Errors: ReorgedError; EndpointError where the endpoint cannot tell.
        """
        pin = pinned.pin
        if not self.pins_by_hash or pin.hash not in self._stands:
            (header,) = self._send_split([header_call(BlockHeight(number=pin.number))])
            if isinstance(header, ReadError):
                raise header
            self._note_standing(pin, header)
        stands = self._stands[pin.hash]
        self._forget_standing(pin)
        if not stands:
            raise ReorgedError(
                f"Block {pin.number} of chain {pin.chain_id} was replaced while it was read.",
                remedy="Ask again; for a number that must last, choose a finalized block.",
            )

    def _aside(self) -> list[Fact]:
        facts: list[Fact] = getattr(self._proven_aside, "facts", [])
        return facts

    def _riders(self, pin: Pin) -> Riders:
        """Calls that travel with reads: is this the chain, and does the block still stand."""
        first = self._pinner.first_calls()
        header: list[RpcCall] = []
        if self.pins_by_hash and pin.hash not in self._final and self.limits.batch > 1:
            header.append(header_call(BlockHeight(number=pin.number)))

        def take(answers: list[Any]) -> None:
            self._pinner.check_first(answers[: len(first)])
            # Who does not have the height yet says nothing of what stands there.
            if header and answers[-1] is not None:
                self._note_standing(pin, answers[-1])

        return Riders([*first, *header], take, come_first=bool(first))

    def _forget_standing(self, pin: Pin) -> None:
        """What was seen before a read says nothing after it; a block once gone stays gone."""
        if self._stands.get(pin.hash):
            del self._stands[pin.hash]

    def _note_standing(self, pin: Pin, header: Any) -> None:
        """Remember whether the block stands; an unreadable answer leaves it open."""
        if not isinstance(header, ReadError) and self._stands.get(pin.hash, True):
            self._stands[pin.hash] = check_still_there(pin, header)

    def _send_split(self, calls: list[RpcCall]) -> list[Any]:
        """Send calls in one request, or one by one where the endpoint takes no batch."""
        if len(calls) <= self.limits.batch:
            return self._transport.send(calls)
        answers: list[Any] = []
        for call in calls:
            try:
                answers.extend(self._transport.send([call]))
            except EndpointError as error:
                answers.append(error)
        return answers
