"""A reader that asks the store first and keeps what it learns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from toolkit.chain.facts import Answer, Fact, Failure, Reverted
from toolkit.chain.log_check import CheckProgress, LogCheck
from toolkit.chain.logs import LogPage, LogScan, Watch
from toolkit.chain.reader import PinnedBlock, Reader, Traffic
from toolkit.chain.reads import NO_CALLER, READER_CALLER, CallRead, Read, ReadIds
from toolkit.errors import EndpointsDisagreeError, ReorgedError, StoreError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Pin
from toolkit.store.blocks import Blocks
from toolkit.store.cached_scan import CachedScan, Used
from toolkit.store.facts import Facts, LookUp, StoredFact
from toolkit.store.log_slices import STOOD

T = TypeVar("T")


class ProvingReader(Reader, Protocol):
    """A reader that meets further facts on the way to its answers."""

    @property
    def pins_by_hash(self) -> bool:
        """Whether each read names its block by hash, so that a fact needs no confirmation."""

    def read(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None = None) -> list[Answer]:
        """Answer each read at the pin, in order, naming them by `ids` where it is given."""

    def drain_side_facts(self) -> list[Fact]:
        """Give each fact that was proven beside the answers, once."""


class _Job(threading.local):
    """What the job of one thread has asked and not yet confirmed, by block hash."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self.held: dict[str, list[Fact]] = {}
        self.scanned: dict[str, list[Used]] = {}


class CachedReader:
    """A `Reader` over another one: known facts cost no request, new ones are kept.

    Where the wrapped reader pins by height, a fact is held until its block was confirmed. A
    store that is busy or unusable fails no read: it is passed by, and a note says so while
    that lasts.
    """

    def __init__(self, reader: ProvingReader, facts: Facts, blocks: Blocks) -> None:
        self._reader = reader
        self._facts = facts
        self._blocks = blocks
        self._job = _Job()

    @property
    def chain_id(self) -> int:
        """The chain this reader is bound to."""
        return self._reader.chain_id

    @property
    def traffic(self) -> Traffic:
        """What has been asked so far, by both readers together."""
        return self._reader.traffic

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a hash that was seen or a height that was seen finalized with no request.

        A hash that was not seen finalized still needs its confirmation. One that was found
        replaced is given as orphaned: what is stored of it stays readable, and a job that asks
        an endpoint more about it fails as `reorged`. Anything else is asked.
        Errors: as the wrapped reader.
        """
        known = self._try_store(lambda: self._known(block), None)
        if known is not None:
            confirmed = self._reader.pins_by_hash and not known.needs_confirmation
            return replace(known, needs_confirmation=not confirmed)
        pinned = self._reader.pin(block)
        self._try_store(lambda: self._blocks.remember(pinned), None)
        return pinned

    def height_at(self, timestamp: int) -> int:
        """Find the height of the last block at or before an instant. Errors: as the wrapped."""
        return self._reader.height_at(timestamp)

    def read(self, pin: Pin, reads: Sequence[Read]) -> list[Answer]:
        """Answer each read in order, from the store as far as it knows."""
        ids = ReadIds(pin)
        read_ids = ids.of_batch(reads)
        asked = dict(zip(read_ids, reads, strict=True))
        known = self._known_answers(pin, ids, asked)
        if len(known) == len(asked):
            self.traffic.facts_cached += len(read_ids)
            return list(map(known.__getitem__, read_ids))
        missing = {read_id: read for read_id, read in asked.items() if read_id not in known}
        self.traffic.facts_cached += sum(read_id in known for read_id in read_ids)
        self._job.asked.add(pin.hash)
        fresh = self._reader.read(pin, list(missing.values()), ids)
        known.update(zip(missing, fresh, strict=True))
        self._keep(pin, ids, missing, fresh)
        return [known[read_id] for read_id in read_ids]

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None = None) -> LogPage:
        """Read logs, from the store as far as it knows; each slice is kept as it comes."""
        cached = CachedScan(
            self._reader, self._facts.logs, self._blocks, pin, scan, watch=watch, failed=self._note
        )
        page = cached.run()
        if cached.used.needs_confirmation:
            self._job.asked.add(pin.hash)
            if not cached.is_final:
                self._job.scanned.setdefault(pin.hash, []).append(cached.used)
        return page

    def check_logs(
        self, scan: LogScan, page: LogPage, progress: CheckProgress | None = None
    ) -> LogCheck:
        """Compare a page with its blocks; what differs is not known any longer."""
        check = self._reader.check_logs(scan, page, progress)
        if (wrong := check.differs_at) is not None:
            self._try_store(lambda: self._facts.logs.forget(wrong), None)
        return check

    def confirm(self, pinned: PinnedBlock) -> None:
        """Check that the block is still canonical, where this job asked anything of it.

        Errors: ReorgedError; then nothing that was held is kept.
        """
        block_hash = pinned.pin.hash
        held = self._job.held.pop(block_hash, [])
        scanned = self._job.scanned.pop(block_hash, [])
        if block_hash in self._job.asked:
            self._job.asked.discard(block_hash)
            self._confirm(pinned)
        if scanned:
            self._try_store(lambda: self._settle(scanned), None)
        if held:
            self._try_store(lambda: self._facts.keep_later(pinned.pin, held, self._note), None)

    def _confirm(self, pinned: PinnedBlock) -> None:
        """Ask whether the block still stands, and label what is stored of it if it does not."""
        try:
            self._reader.confirm(pinned)
        except ReorgedError:
            self._try_store(lambda: self._blocks.orphan(pinned.pin), None)
            raise
        if pinned.finality.status == "orphaned":
            self._try_store(lambda: self._blocks.stands_again(pinned), None)

    def _settle(self, scanned: Iterable[Used]) -> None:
        """Remember that what scans rest on stood: their pin did, after all of it was read."""
        for used in scanned:
            self._facts.logs.mark(used.slice_ids, STOOD, used.run)

    def _known(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock | None:
        """Find a block whose name cannot have moved since it was seen."""
        match block:
            case BlockHash(hash=block_hash):
                return self._blocks.by_hash(block_hash)
            case BlockHeight(number=number):
                # A development chain's heights carry a lineage, so they are never found here:
                # only the node can say which chain it is today.
                return self._blocks.finalized_at(number, lineage=None)
        return None

    def _known_answers(
        self, pin: Pin, ids: ReadIds, asked: Mapping[bytes, Read]
    ) -> dict[bytes, Answer]:
        """Answer what the store knows, by the id of the read that was asked."""
        nothing: LookUp = {}
        stored = self._try_store(lambda: self._facts.look_up(pin, asked), nothing)
        known: dict[bytes, Answer] = {}
        instead: dict[bytes, CallRead] = {}
        for read_id, found in stored.items():
            read = asked[read_id]
            known[read_id] = _answer(read, read_id, found)
            refused = isinstance(found, StoredFact) and isinstance(found.outcome, Reverted)
            if refused and isinstance(read, CallRead) and read.caller == READER_CALLER:
                instead[read_id] = replace(read, caller=NO_CALLER)
        if instead:
            known.update(self._known_instead(pin, ids, instead))
        return known

    def _known_instead(
        self, pin: Pin, ids: ReadIds, instead: Mapping[bytes, CallRead]
    ) -> dict[bytes, Answer]:
        """Answer calls that refuse the reader's caller by what they told no caller."""
        nothing: LookUp = {}
        plain_ids = {read_id: ids.of(plain) for read_id, plain in instead.items()}
        stored = self._try_store(lambda: self._facts.look_up(pin, plain_ids.values()), nothing)
        return {
            read_id: _answer(instead[read_id], plain_id, stored[plain_id])
            for read_id, plain_id in plain_ids.items()
            if plain_id in stored
        }

    def _keep(
        self, pin: Pin, ids: ReadIds, missing: Iterable[bytes], fresh: Iterable[Answer]
    ) -> None:
        """Keep what was learned.

        A side fact about a read that failed is left out: kept alone, it would be taken for
        the read's answer. So is one of another pin, which another thread's job may have left.
        """
        failed = {
            read_id
            for read_id, answer in zip(missing, fresh, strict=True)
            if isinstance(answer, Failure)
        }
        facts = [answer for answer in fresh if isinstance(answer, Fact)]
        facts += [
            fact
            for fact in self._reader.drain_side_facts()
            if fact.read_id not in failed and fact.read_id == ids.of(fact.read)
        ]
        if self._reader.pins_by_hash:
            self._try_store(lambda: self._facts.keep_later(pin, facts, self._note), None)
        else:
            self._job.held.setdefault(pin.hash, []).extend(facts)

    def _try_store(self, use: Callable[[], T], otherwise: T) -> T:
        """Use the store, or go on without it and say so."""
        try:
            used = use()
        except StoreError as error:
            self._note(error)
            return otherwise
        self.traffic.notes.clear()
        return used

    def _note(self, error: StoreError) -> None:
        """Say that the store was passed by, until it can be used again."""
        self.traffic.notes[:] = [f"The store was passed by. {error}"]


def _answer(read: Read, read_id: bytes, stored: StoredFact | EndpointsDisagreeError) -> Answer:
    """Give a stored fact the form that a reader answers in."""
    if isinstance(stored, EndpointsDisagreeError):
        return Failure(read, stored)
    return Fact(read, read_id, stored.outcome, stored.witness, from_cache=True)
