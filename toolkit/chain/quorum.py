"""Reads one chain through several endpoints at once, and believes what most of them say alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from toolkit.chain.agreement import agreed, agreed_answers, agreed_facts, agreed_pin
from toolkit.chain.facts import Answer, Fact, Failure
from toolkit.chain.failover import all_refused
from toolkit.chain.in_flight import InFlight
from toolkit.chain.log_agreement import agreed_page, agreed_slices
from toolkit.chain.log_check import CheckProgress, LogCheck
from toolkit.chain.log_joining import nothing_of
from toolkit.chain.logs import LogPage, LogScan, LogSlice, Watch
from toolkit.chain.member import Chain, Member, Way
from toolkit.chain.members import Members
from toolkit.chain.reader import PinnedBlock, Traffic
from toolkit.chain.reads import Read, ReadIds
from toolkit.chain.tags import TagFloors
from toolkit.errors import ReadError, ReorgedError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Pin

T = TypeVar("T")

SMALLEST: Final = 2
"""One endpoint alone agrees with nobody."""


class Quorum:
    """A Reader over two or more endpoints of one chain that are asked the same things.

    A fact is what a majority, and at least two, say alike while none says otherwise; a
    difference is an EndpointsDisagreeError with both values. An endpoint that rests after a
    failure is left out as long as enough others answer.
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
        if len(ways) < SMALLEST:
            raise TypeError("A quorum has at least two endpoints.")
        self._chain_id = chain_id
        self._least = max(SMALLEST, len(ways) // 2 + 1)
        self.members = Members(ways, Chain(chain_id, development, now, clock, wall_clock))
        self._floors = TagFloors(development=development)
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
        """Whether a fact that was read needs no confirmation: each read confirms its own block."""
        return True

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a reference to one block that enough endpoints know by the same hash.

        A tag is resolved where the lowest of them stands, so that all know the block.
        Errors: EndpointsDisagreeError; the endpoints' own, where too few answer.
        """
        if not isinstance(block, BlockTag):
            return self._pin_all(self._asked(), block)
        lowest = self._lowest(block)
        return self._floors.not_below(
            block, lowest, lambda: self._lowest(block), lambda at: self._pin_all(self._asked(), at)
        )

    def height_at(self, timestamp: int) -> int:
        """Find the height of the last block at or before an instant, on which they agree."""
        told = self._each(self._asked(), lambda member: member.height_at(timestamp))
        answers = [(member.endpoint_id, one) for member, one in told]
        return agreed(answers, self._least, f"the block at {timestamp}", str)[0][1]

    def read(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None = None) -> list[Answer]:
        """Answer each read at the pin, in order, as enough endpoints answer it."""
        return self._in_flight.share(pin, reads, lambda own: self._ask(pin, own, ids))

    def drain_side_facts(self) -> list[Fact]:
        """Give away what this thread's reads proved on the way."""
        return self.members.drain_side_facts()

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None = None) -> LogPage:
        """Read logs that enough endpoints tell alike.

        `watch` gets the slices once they are agreed upon, so none before the end.
        """
        seen: dict[str, list[LogSlice]] = {}

        def scan_one(member: Member) -> LogPage:
            slices = seen.setdefault(member.endpoint_id, [])
            return member.scan(pin, scan, slices.append if watch else None)

        told = self._each(self._asked(pin), scan_one)
        pages = [
            (
                member.endpoint_id,
                nothing_of(pin, scan, one, member.witness()) if isinstance(one, ReadError) else one,
            )
            for member, one in told
        ]
        for member, _ in told:
            self.members.note_answered(member, pin)
        page = agreed_page(scan, pages, self._least)
        for one in agreed_slices(seen.get(page.witness.endpoint_id, []), page):
            if watch is not None:
                watch(one)
        return page

    def check_logs(
        self, scan: LogScan, page: LogPage, progress: CheckProgress | None = None
    ) -> LogCheck:
        """Compare a page with its blocks on every endpoint; one that contradicts it counts.

        Errors: ReadError where no endpoint answers.
        """
        told = self._each(
            self._asked(page.pin),
            lambda member: member.ask(lambda reader: reader.check_logs(scan, page)),
        )
        checks = [one for _, one in told if isinstance(one, LogCheck)]
        if not checks:
            refused = [(of.endpoint_id, one) for of, one in told if isinstance(one, ReadError)]
            raise all_refused(refused)
        if progress is not None:
            progress(1, 1)
        return next((check for check in checks if not check.holds), checks[0])

    def confirm(self, pinned: PinnedBlock) -> None:
        """Check that the pinned block still stands for enough of those that were asked.

        Errors: ReorgedError where it was replaced for any; the endpoints' own error.
        """
        answered = list(self.members.drain_answered(pinned.pin)) or self._asked(pinned.pin)
        told = self._each(answered, lambda member: member.ask(lambda one: one.confirm(pinned)))
        refused = [(member.endpoint_id, one) for member, one in told if one is not None]
        for _, error in refused:
            if isinstance(error, ReorgedError):
                raise error
        if len(told) - len(refused) < self._least:
            raise all_refused(refused)

    def _asked(self, pin: Pin | None = None) -> list[Member]:
        """Whom to ask: all, but those that rest or are excluded while enough others are left."""
        in_turn = self.members.in_turn(pin)
        ready = [one for one in in_turn if not one.rests]
        return ready if len(ready) >= self._least else in_turn

    def _each(
        self, members: Sequence[Member], ask: Callable[[Member], T]
    ) -> list[tuple[Member, T | ReadError]]:
        """Ask all of them at once, in threads of their own."""

        def attempt(member: Member) -> T | ReadError:
            try:
                return ask(member)
            except ReadError as error:
                return error

        with ThreadPoolExecutor(max_workers=len(members)) as pool:
            return list(zip(members, pool.map(attempt, members), strict=True))

    def _pin_all(self, members: Sequence[Member], block: BlockHeight | BlockHash) -> PinnedBlock:
        told = self._each(members, lambda member: member.pin(block))
        answers = [(member.endpoint_id, one) for member, one in told]
        return agreed_pin(answers, self._least, f"block {block} of chain {self._chain_id}")

    def _lowest(self, tag: BlockTag) -> PinnedBlock:
        """The block where the lowest endpoint stands, on which enough of them agree.

        One that lags is left out where enough others are left.
        """
        told = self._each(self._asked(), lambda member: member.pin(tag))
        found = [(member, one) for member, one in told if not isinstance(one, ReadError)]
        if len(found) < self._least:
            raise all_refused(
                [(member.endpoint_id, one) for member, one in told if isinstance(one, ReadError)]
            )
        keeping_up = [pair for pair in found if not self.members.lags(pair[0])]
        if len(keeping_up) >= self._least:
            found = keeping_up
        height = min(one.pin.number for _, one in found)
        higher = [member for member, one in found if one.pin.number > height]
        at = BlockHeight(number=height)
        answers: list[tuple[str, PinnedBlock | ReadError]] = [
            (member.endpoint_id, one) for member, one in found if one.pin.number == height
        ]
        if higher:
            told = self._each(higher, lambda member: member.pin(at))
            answers += [(member.endpoint_id, one) for member, one in told]
        return agreed_pin(answers, self._least, f"block {at} of chain {self._chain_id}")

    def _ask(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None) -> list[Answer]:
        """Ask all of them, and keep what they agree upon."""
        if not reads:
            return []
        told = self._each(self._asked(pin), lambda member: member.read(pin, reads, ids))
        answers: list[tuple[str, Sequence[Answer]]] = []
        asides: list[list[Fact]] = []
        for member, one in told:
            if isinstance(one, ReadError):
                answers.append((member.endpoint_id, [Failure(read, one) for read in reads]))
                continue
            answers.append((member.endpoint_id, one[0]))
            asides.append(one[1])
            self.members.note_answered(member, pin)
        settled = agreed_answers(reads, answers, self._least)
        facts = sum(isinstance(answer, Fact) for answer in settled)
        failed = {answer.read for answer in settled if isinstance(answer, Failure)}
        aside = [fact for fact in agreed_facts(asides, self._least) if fact.read not in failed]
        self.members.note_read(told[0][0], pin, aside, facts)
        return settled
