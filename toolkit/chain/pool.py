"""Reads one chain through several endpoints: what one cannot answer, the next one is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from toolkit.chain.facts import Answer, Fact, Failure
from toolkit.chain.failover import Refusals, all_refused, is_of_the_moment, is_worth_another
from toolkit.chain.in_flight import InFlight
from toolkit.chain.log_check import CheckProgress, LogCheck
from toolkit.chain.log_joining import joined, nothing_of, what_is_left
from toolkit.chain.logs import LogPage, LogScan, Watch
from toolkit.chain.member import Chain, Member, Way
from toolkit.chain.members import Members
from toolkit.chain.reader import PinnedBlock, Traffic
from toolkit.chain.reads import Read, ReadIds
from toolkit.chain.tags import TagFloors, TagPinner
from toolkit.errors import ChainMismatchError, EndpointError, ReadError, ReorgedError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Pin

T = TypeVar("T")


class Pool:
    """A Reader over the endpoints of one chain, in the order of preference.

    Each endpoint is opened when it is first needed and proves its chain id before anything it
    says counts. Only what failed is asked of the next one, and each fact names who answered.
    What a contract did is an answer and is asked of nobody else. Any number of threads may use
    it, each for jobs of its own.
    """

    def __init__(
        self,
        ways: Sequence[Way],
        *,
        chain_id: int,
        development: bool,
        now: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._chain_id = chain_id
        self.members = Members(ways, Chain(chain_id, development, now, clock, wall_clock))
        self._tags = TagPinner(self.members, TagFloors(development=development))
        self._in_flight = InFlight()

    @property
    def chain_id(self) -> int:
        """The chain this reader is bound to."""
        return self._chain_id

    @property
    def traffic(self) -> Traffic:
        """What has been asked so far, of all endpoints together."""
        return self.members.traffic

    @property
    def pins_by_hash(self) -> bool:
        """Whether a fact that was read needs no confirmation.

        Among several endpoints, one that pins by height confirms its block with every read.
        """
        if len(self.members) > 1:
            return True
        (only,) = self.members
        return only.pins_by_hash()

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a reference to one block. See `Pinner.pin`, and `TagPinner` for tags."""
        if isinstance(block, BlockTag):
            return self._tags.pin(block)
        return self._first(lambda member: member.pin(block))

    def height_at(self, timestamp: int) -> int:
        """Find the height of the last block at or before an instant. See `TimeFinder`."""
        return self._first(lambda member: member.height_at(timestamp))

    def read(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None = None) -> list[Answer]:
        """Answer each read at the pin, in order; what another thread is asking is not asked twice.

        Errors: none raised for what an endpoint or a contract did; those are Failures.
        """
        return self._in_flight.share(pin, reads, lambda own: self._ask(pin, own, ids))

    def drain_side_facts(self) -> list[Fact]:
        """Give away what this thread's reads proved on the way."""
        return self.members.drain_side_facts()

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None = None) -> LogPage:
        """Read logs; where one endpoint stops, the next one goes on with what is left.

        Each part of the page names who told it.
        """
        page: LogPage | None = None
        refusals = Refusals()
        for member in self.members.in_turn(pin):
            if refusals.are_told and member.rests:
                break
            more = self._scan_one(
                member, pin, scan if page is None else what_is_left(scan, page), watch
            )
            page = more if page is None else joined(page, more)
            if more.error is None or not is_worth_another(more.error):
                return page
            refusals.add(member.endpoint_id, more.error)
        if page is None:
            raise TypeError("A pool has at least one endpoint.")
        return replace(page, error=refusals.worst, stopped_because=refusals.worst.code)

    def check_logs(
        self, scan: LogScan, page: LogPage, progress: CheckProgress | None = None
    ) -> LogCheck:
        """Compare a page with its blocks, as the first endpoint that answers tells them."""
        return self._first(
            lambda member: member.ask(lambda reader: reader.check_logs(scan, page, progress))
        )

    def _scan_one(self, member: Member, pin: Pin, scan: LogScan, watch: Watch | None) -> LogPage:
        """Scan on one endpoint; one that cannot even be opened gives a page of nothing."""
        try:
            page = member.scan(pin, scan, watch)
        except (EndpointError, ChainMismatchError) as error:
            return nothing_of(pin, scan, error, member.witness())
        if page.covered_from is not None:
            self.members.note_answered(member, pin, by_height=True)
        return page

    def confirm(self, pinned: PinnedBlock) -> None:
        """Check that the pinned block still stands, with whom this job's answers came from.

        Where none of them can tell, the others are asked: a fact read by hash is of this block
        whoever confirms that it stands. Logs are told by height, and whoever told them has to
        confirm them. Errors: ReorgedError; ReadError where nobody can tell.
        """
        answered = self.members.drain_answered(pinned.pin)
        refusals = Refusals()
        told = False
        for member, by_height in answered.items():
            stands = self._confirmed(member, pinned, refusals)
            if by_height and not stands:
                raise refusals.worst
            told |= stands
        if told:
            return
        for member in self._who_may_know(pinned, list(answered)):
            if self._confirmed(member, pinned, refusals):
                return
        raise refusals.worst

    def _confirmed(self, member: Member, pinned: PinnedBlock, refusals: Refusals) -> bool:
        """Whether a member says that the block stands. Errors: ReorgedError."""
        try:
            member.ask(lambda reader: reader.confirm(pinned))
        except ReorgedError:
            raise
        except ReadError as error:
            refusals.add(member.endpoint_id, error)
            return False
        return True

    def _who_may_know(self, pinned: PinnedBlock, asked: Sequence[Member]) -> list[Member]:
        """The endpoint that pinned the block first, then the others that were not asked yet."""
        rest = [member for member in self.members.in_turn(pinned.pin) if member not in asked]
        return sorted(rest, key=lambda member: member.endpoint_id != pinned.endpoint_id)

    def _first(self, ask: Callable[[Member], T]) -> T:
        """The first answer in turn. Errors: ReadError, the most telling one of all."""
        refusals = Refusals()
        for member in self.members.in_turn():
            if refusals.are_told and member.rests:
                break
            try:
                return ask(member)
            except ReadError as error:
                if not is_worth_another(error):
                    raise
                refusals.add(member.endpoint_id, error)
        raise refusals.worst

    def _ask(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None) -> list[Answer]:
        """Ask one endpoint after the other, each for what is still open."""
        if not reads:
            return []
        settled: dict[Read, Answer] = {}
        refused: dict[Read, list[tuple[str, ReadError]]] = {}
        still: Sequence[Read] = reads
        for member in self.members.in_turn(pin):
            if member.rests and not all(map(_is_fleeting, refused.values())):
                break
            answers = self._ask_one(member, pin, still, ids)
            if len(still) == len(reads) and not any(map(_is_open, answers)):
                return answers
            settled.update(zip(still, answers, strict=True))
            for read, answer in zip(still, answers, strict=True):
                if isinstance(answer, Failure):
                    refused.setdefault(read, []).append((member.endpoint_id, answer.error))
            still = [read for read in dict.fromkeys(still) if _is_open(settled[read])]
            if not still:
                break
        return _with_reasons(reads, settled, refused, still)

    def _ask_one(
        self, member: Member, pin: Pin, reads: Sequence[Read], ids: ReadIds | None
    ) -> list[Answer]:
        """Ask one endpoint; where it fails as a whole, so does each read."""
        try:
            answers, aside = member.read(pin, reads, ids)
        except ReadError as error:
            return [Failure(read, error) for read in reads]
        pairs = zip(reads, answers, strict=True)
        failed = {read for read, answer in pairs if isinstance(answer, Failure)}
        # What was proven beside a read that failed here may be answered otherwise elsewhere.
        kept = [fact for fact in aside if fact.read not in failed] if failed else aside
        self.members.note_read(member, pin, kept, len(answers) - len(failed))
        return answers


def _is_open(answer: Answer) -> bool:
    return isinstance(answer, Failure) and is_worth_another(answer.error)


def _is_fleeting(said: Sequence[tuple[str, ReadError]]) -> bool:
    """Whether nobody has said anything of the read yet but that it is in trouble itself."""
    return all(is_of_the_moment(error) for _, error in said)


def _with_reasons(
    reads: Sequence[Read],
    settled: dict[Read, Answer],
    refused: dict[Read, list[tuple[str, ReadError]]],
    still: Sequence[Read],
) -> list[Answer]:
    """Give each read that nobody answered one error for all who were asked.

    Thousands of reads share a failure: the sentence is made once for them all.
    """
    made: dict[tuple[int, ...], ReadError] = {}
    for read in still:
        said = refused[read]
        if len(said) == 1:
            continue
        key = tuple(id(error) for _, error in said)
        if key not in made:
            made[key] = all_refused(said)
        settled[read] = Failure(read, made[key])
    return [settled[read] for read in reads]
