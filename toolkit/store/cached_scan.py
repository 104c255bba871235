"""One scan of logs that reads from an endpoint only what the store does not know yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from toolkit.chain.facts import Witness
from toolkit.chain.log_collecting import LogCollector, refuse_range
from toolkit.chain.logs import LogPage, LogPart, LogScan, LogSlice, Watch
from toolkit.chain.reader import PinnedBlock
from toolkit.errors import IncompleteRangeError, ReadError, StoreError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Pin
from toolkit.store.blocks import Blocks
from toolkit.store.log_rows import filter_digest
from toolkit.store.log_slices import FINAL, UNPROVEN, KnownSlice, LogSlicesKept, Told

_TRIES_IN_A_RUN: Final = 3
_NOBODY: Final = Witness("store", "", "single")


class ScansLogs(Protocol):
    """What a cached scan needs of the reader behind it."""

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a reference to one block."""

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None = None) -> LogPage:
        """Read logs at or below the pin."""


@dataclass(slots=True)
class Used:
    """What a scan rests on, to be remembered as standing once its block was confirmed."""

    slice_ids: list[int] = field(default_factory=list)
    run: int | None = None
    needs_confirmation: bool = False


class CachedScan:
    """Answers one scan from the store where that is proven, and from the reader in the gaps.

    A stretch that was searched counts where its topmost block is final, belongs to the pin's
    own proven run, or still stands now. A store that cannot be used is passed by; `failed`
    hears of it.
    """

    def __init__(
        self,
        reader: ScansLogs,
        kept: LogSlicesKept,
        blocks: Blocks,
        pin: Pin,
        scan: LogScan,
        *,
        watch: Watch | None,
        failed: Callable[[StoreError], None],
    ) -> None:
        self._reader = reader
        self._kept = kept
        self._blocks = blocks
        self._pin = pin
        self._scan = scan
        self._watch = watch
        self._failed = failed
        self._digest = filter_digest(scan)
        self._collector = LogCollector(pin, scan)
        self._asked: Witness | None = None
        self.is_final = False
        self._told: dict[Witness, Told] = {}
        self._last: tuple[int, int, Told] | None = None
        self._tops = 0
        self.used = Used()

    def run(self) -> LogPage:
        """Read the scan from the top down, and say how complete the answer is."""
        error: ReadError | None = None
        try:
            refuse_range(self._pin, self._scan)
            stretches = self._proven()
            while not self._collector.done:
                stretches = self._next(stretches)
        except ReadError as refused:
            error = refused
        if self.is_final:
            self._try(lambda: self._kept.mark(self.used.slice_ids, FINAL, self.used.run))
        return self._collector.page(self._asked or _NOBODY, error)

    def _next(self, stretches: list[KnownSlice]) -> list[KnownSlice]:
        """Read on from the highest block that is missing; give what is known below.

        Errors: what ends the scan.
        """
        top = self._collector.next_top
        below = [one for one in stretches if one.from_block <= top]
        if below and below[0].to_block == top:
            try:
                self._take_known(_joined(below))
            except StoreError as error:
                self._failed(error)
                return []
            return below
        self._read(below[0].to_block + 1 if below else self._scan.from_block, top)
        return below

    def _proven(self) -> list[KnownSlice]:
        """Choose stretches that are proven, topmost first, none over another, none outside."""
        foot, top = self._scan.from_block, self._scan.to_block
        known: list[KnownSlice] = []
        self._try(lambda: known.extend(self._kept.find(self._digest, foot, top)))
        self._try(self._look_at_finality)
        proven: list[KnownSlice] = []
        runs: dict[int, list[KnownSlice]] = {}
        for one in known:
            runs.setdefault(one.run, []).append(one)
        for run in sorted(runs.values(), key=self._is_of_another_pin):
            if any(_uncovered(one, proven, foot, top) for one in run):
                proven += self._standing(run)
        return _disjoint(proven, foot, top)

    def _is_of_another_pin(self, run: Sequence[KnownSlice]) -> bool:
        own = (self._pin.number, self._pin.hash)
        return all((one.to_block, one.to_hash) != own for one in run)

    def _look_at_finality(self) -> None:
        seen = self._blocks.by_hash(self._pin.hash)
        self.is_final = seen is not None and seen.finality.status == "finalized"

    def _standing(self, run: Sequence[KnownSlice]) -> list[KnownSlice]:
        """Give those stretches of one run that are of the pin's chain.

        Where the pin itself is not of the canonical chain, a stretch that is would be wrong:
        the job's confirmation finds that out.
        """
        # A development chain can go back behind what it called final.
        final = [one for one in run if one.standing == FINAL and self._pin.lineage is None]
        doubtful = [one for one in run if one not in final]
        for place, one in enumerate(doubtful[:_TRIES_IN_A_RUN]):
            if (one.to_block, one.to_hash) == (self._pin.number, self._pin.hash):
                self.used.needs_confirmation |= one.standing == UNPROVEN
                return [*doubtful[place:], *final]
            if self._stands(one, doubtful[place:]):
                self.used.needs_confirmation = True
                return [*doubtful[place:], *final]
        self.used.needs_confirmation |= bool(final)
        return final

    def _stands(self, one: KnownSlice, below: Sequence[KnownSlice]) -> bool:
        """Ask whether a stretch's topmost block stands now; remember where it is final."""
        try:
            now = self._reader.pin(BlockHeight(number=one.to_block))
        except ReadError:
            return False
        if now.pin.hash != one.to_hash:
            return False
        self._try(lambda: self._blocks.remember(now))
        if now.finality.status == "finalized":
            ids = [known.slice_id for known in below]
            self._try(lambda: self._kept.mark(ids, FINAL))
        return True

    def _take_known(self, stretches: Sequence[KnownSlice]) -> None:
        """Take neighbouring stretches out of the store, as far as there is room."""
        top, foot = stretches[0].to_block, stretches[-1].from_block
        ids = [one.slice_id for one in stretches]
        logs = self._kept.load(self._scan, ids, foot, top, self._collector.room + 1)
        witnesses = self._kept.witnesses([one.batch_id for one in stretches])
        reached = logs[-1].block_number if len(logs) > self._collector.room else foot
        place = 0
        for one in stretches:
            if one.to_block < reached or self._collector.done:
                break
            start = place
            while place < len(logs) and logs[place].block_number >= one.from_block:
                place += 1
            witness = witnesses[one.batch_id]
            told = LogSlice(one.from_block, one.to_block, "", logs[start:place], witness)
            part = LogPart(one.from_block, one.to_block, witness, from_cache=True)
            self._collector.add(told.logs, part)
            self.used.slice_ids.append(one.slice_id)
            if self._watch is not None:
                self._watch(told)

    def _read(self, foot: int, top: int) -> None:
        """Read a gap from the reader, each slice kept as it comes. Errors: what ends the scan."""
        self.used.needs_confirmation = True
        missing = self._collector.missing
        asked = replace(self._scan, from_block=foot, to_block=top, limit=missing)
        page = self._reader.scan(self._pin, asked, self._take_new)
        self._asked = page.witness
        self._collector.join(page)
        if page.error is not None and page.left is not None:
            raise page.error
        if not self._collector.done and self._collector.next_top == top:
            raise IncompleteRangeError(
                f"Nothing came of the logs from block {foot} to block {top}.", remedy="Ask again."
            )

    def _take_new(self, found: LogSlice) -> None:
        """Keep a slice that was read, before it counts.

        One that was read in several requests proves little about blocks that a lagging node
        may lack, so it is kept only where all nodes have them. One that may be cut never is.
        Errors: EndpointsDisagreeError where the store was told another log.
        """
        sure = found.proven and (found.witness.transport != "single" or self.is_final)
        standing = (FINAL if self.is_final else UNPROVEN) if sure else None
        self._try(lambda: self._keep(found, standing))
        if self._watch is not None:
            self._watch(found)

    def _keep(self, found: LogSlice, standing: int | None) -> None:
        told = self._told.get(found.witness)
        if told is None and self.used.run is not None:
            told = Told(self.used.run, 0)
        kept = self._kept.keep(found, self._digest, standing, told, self._grows(found, told))
        self._told[found.witness] = kept.told
        self.used.run = kept.told.run
        if kept.slice_id is None:
            self._last = None
            return
        if self._last is None or kept.slice_id != self._last[0]:
            self.used.slice_ids.append(kept.slice_id)
            self._tops += 1
        self._last = (kept.slice_id, found.from_block, kept.told)

    def _grows(self, found: LogSlice, told: Told | None) -> int | None:
        """The stretch just above that a slice can lengthen, so that a long scan is few rows.

        What a reorg may still take needs a few stretches with tops of their own to fall back on.
        """
        enough = 1 if self.is_final else _TRIES_IN_A_RUN
        if self._last is None or self._tops < enough:
            return None
        slice_id, from_block, told_last = self._last
        return slice_id if (from_block, told_last) == (found.to_block + 1, told) else None

    def _try(self, use: Callable[[], object]) -> None:
        """Use the store, or go on without it and say so."""
        try:
            use()
        except StoreError as error:
            self._failed(error)


def _uncovered(one: KnownSlice, others: Sequence[KnownSlice], foot: int, top: int) -> bool:
    """Whether a stretch adds a height of the range to what others cover."""
    at = max(one.from_block, foot)
    high = min(one.to_block, top)
    for other in sorted(others, key=lambda other: other.from_block):
        if other.from_block <= at <= other.to_block:
            at = other.to_block + 1
    return at <= high


def _disjoint(stretches: Sequence[KnownSlice], foot: int, top: int) -> list[KnownSlice]:
    """Cut stretches to the range, from the top down, so that none lies over another."""
    chosen: list[KnownSlice] = []
    free = top
    for one in sorted(stretches, key=lambda one: (-one.to_block, one.from_block)):
        high, low = min(one.to_block, free), max(one.from_block, foot)
        if low <= high:
            chosen.append(replace(one, from_block=low, to_block=high))
            free = low - 1
    return chosen


def _joined(stretches: Sequence[KnownSlice]) -> list[KnownSlice]:
    """The first stretch and all that follow it without a gap."""
    joined = [stretches[0]]
    for one in stretches[1:]:
        if one.to_block != joined[-1].from_block - 1:
            break
        joined.append(one)
    return joined
