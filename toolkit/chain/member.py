"""One endpoint of several: opened late, left alone while it is in trouble, never misused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from toolkit.chain.facts import Answer, Fact, Failure, Witness
from toolkit.chain.failover import is_of_the_moment
from toolkit.chain.headers import header_call
from toolkit.chain.health import EndpointHealth, Standing
from toolkit.chain.limits import LearnedLimits, Limits
from toolkit.chain.logs import LogPage, LogScan, Watch
from toolkit.chain.pinning import Tip, check_still_there
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.reads import Read, ReadIds
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import Transport
from toolkit.errors import (
    BlockNotFoundError,
    ChainMismatchError,
    EndpointError,
    EndpointMisbehavedError,
    RateLimitedError,
    ReadError,
    ReorgedError,
    StateUnavailableError,
)
from toolkit.models import BlockHash, BlockHeight, BlockTag, Pin, iso_time

T = TypeVar("T")

_FIRST_REST: Final = 2.0
_LONGEST_REST: Final = 60.0


@dataclass(frozen=True, slots=True)
class Way:
    """A way to a chain that nobody has gone yet.

    `learn` says what the endpoint takes, by a probe if need be; `history_from` is the lowest
    height whose state it is known to keep. Errors: `learn` raises ChainMismatchError,
    EndpointError.
    """

    transport: Transport
    learn: Callable[[], LearnedLimits | Limits | None]
    history_from: Callable[[], int | None] = lambda: None


@dataclass(frozen=True, slots=True)
class Chain:
    """What the endpoints of one chain share. Unit: `clock` in seconds that never jump."""

    chain_id: int
    development: bool
    now: Callable[[], str]
    clock: Callable[[], float]
    wall_clock: Callable[[], float]


@dataclass(slots=True)
class Condition:
    """How an endpoint stands. `problem` is its last failure in words, with the time of it.

    Unit: `resting_until` on the chain's clock.
    """

    reachable: bool | None = None
    failures: int = 0
    resting_until: float = 0.0
    excluded: ReadError | None = None
    problem: str | None = None
    problem_at: str | None = None


class Member:
    """One endpoint among those of its chain."""

    def __init__(self, way: Way, chain: Chain, *, alone: bool) -> None:
        self.endpoint_id = way.transport.endpoint_id
        self.transport = way.transport
        self.condition = Condition()
        self.tip_at = float("-inf")
        self._way = way
        self._chain = chain
        self._alone = alone
        self._reader: RpcReader | None = None
        self._shown: set[str] = set()
        self._noted_tip: Tip | None = None
        self._lock = threading.Lock()

    @property
    def limits(self) -> Limits | None:
        """What it takes, where it was opened."""
        return None if self._reader is None else self._reader.limits

    @property
    def tip(self) -> Tip | None:
        """The newest block that it has shown."""
        return None if self._reader is None else self._reader.tip

    @property
    def rests(self) -> bool:
        """Whether it failed a moment ago and is left alone for now."""
        return self.condition.resting_until > self._chain.clock()

    def pins_by_hash(self) -> bool:
        """Whether its reads name their block by hash; no where it cannot be opened."""
        if self._reader is None and self.rests:
            return False
        try:
            return self._use(lambda reader: reader.pins_by_hash)
        except ReadError:
            return False

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a reference on this endpoint. Errors: as `RpcReader.pin`."""
        pinned = self.ask(lambda reader: reader.pin(block))
        self._shown.add(pinned.pin.hash)
        return pinned

    def ask(self, question: Callable[[RpcReader], T]) -> T:
        """Ask this endpoint something. Errors: ReadError, noted as its condition."""
        answer = self._use(question)
        self._well()
        return answer

    def read(
        self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None
    ) -> tuple[list[Answer], list[Fact]]:
        """Answer each read, and give what was proven aside.

        Among several endpoints, one that pins by height has to show the pinned block before
        and after it reads. Errors: ReadError where nothing it said counts.
        """
        return self._use(lambda reader: self._read(reader, pin, reads, ids))

    def height_at(self, timestamp: int) -> int:
        """Find a height by its time on this endpoint. Errors: as `RpcReader.height_at`."""
        return self.ask(lambda reader: self._checked(reader).height_at(timestamp))

    def witness(self) -> Witness:
        """Who was asked, for a page on which nothing stands."""
        return Witness(self.endpoint_id, self._chain.now(), "single", source=self.transport.source)

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None) -> LogPage:
        """Read logs on this endpoint. Errors: ReadError where it cannot be opened."""
        page = self._use(lambda reader: self._checked(reader).scan(pin, scan, watch))
        if page.error is None:
            self._well()
        elif page.covered_from is None and is_of_the_moment(page.error):
            self.rest(page.error)
        else:
            self._note(page.error)
        return page

    def health(self, *, in_use: bool) -> EndpointHealth:
        """How it stands by now, without asking anything."""
        condition, limits, tip = self.condition, self.limits, self.tip
        pace = getattr(self.transport, "pace", None)
        standing: Standing = "in_use" if in_use else "standing_by"
        if condition.excluded is not None:
            standing = "excluded"
        elif self.rests:
            standing = "resting"
        elif condition.reachable is None:
            standing = "not_asked"
        return EndpointHealth(
            endpoint_id=self.endpoint_id,
            chain_id=self._chain.chain_id,
            standing=standing,
            why=condition.problem if standing in {"excluded", "resting"} else None,
            reachable=condition.reachable,
            serves_chain=False if condition.excluded else condition.reachable,
            hash_pins=None if limits is None else limits.hash_pins,
            overrides=None if limits is None else limits.overrides,
            batch_limit=None if limits is None else limits.batch,
            body_limit_bytes=None if limits is None else limits.body_bytes,
            gas_limit=None if limits is None else limits.gas,
            requests_per_second=None if pace is None or pace.rate is None else round(pace.rate, 2),
            history_from=self._way.history_from(),
            tip=None if tip is None else tip.number,
            tip_time=None if tip is None else iso_time(tip.timestamp),
            problem=condition.problem,
            problem_at=condition.problem_at,
            requests=self.transport.requests,
        )

    def rest(self, error: ReadError) -> None:
        """Note a failure that concerns the endpoint as a whole, and leave it alone for a while."""
        asked_for = error.retry_after or 0.0 if isinstance(error, RateLimitedError) else 0.0
        condition = self.condition
        if not self.rests:  # Eight threads that fail at once are one failure.
            condition.failures += 1
        pause = min(_FIRST_REST * 2 ** max(min(condition.failures, 10) - 1, 0), _LONGEST_REST)
        condition.resting_until = self._chain.clock() + max(pause, asked_for)
        self._note(error)
        if self._reader is not None:
            # Who comes back may be another node than the one that went.
            self._reader.doubt_chain()

    def _read(
        self, reader: RpcReader, pin: Pin, reads: Sequence[Read], ids: ReadIds | None
    ) -> tuple[list[Answer], list[Fact]]:
        by_height = not self._alone and not reader.pins_by_hash
        if by_height and pin.hash not in self._shown:
            self._must_show(pin, BlockNotFoundError)
            self._shown.add(pin.hash)
        answers = reader.read(pin, reads, ids)
        aside = reader.drain_side_facts()
        self._judge(answers)
        if by_height and any(isinstance(answer, Fact) for answer in answers):
            self._must_show(pin, ReorgedError)
        return answers, aside

    def _checked(self, reader: RpcReader) -> RpcReader:
        """Logs and headers carry no chain id: among several endpoints it is asked first."""
        if not self._alone:
            reader.check_chain()
        return reader

    def _must_show(self, pin: Pin, otherwise: type[ReadError]) -> None:
        """Ask what stands at the pin's height. Errors: `otherwise` for another block; ReadError."""
        (header,) = self.transport.send([header_call(BlockHeight(number=pin.number))])
        if isinstance(header, ReadError):
            raise header
        if not check_still_there(pin, header):
            self._shown.discard(pin.hash)
            raise otherwise(
                f"Endpoint {self.endpoint_id!r} does not have block {pin.hash} at height "
                f"{pin.number} of chain {pin.chain_id}.",
                remedy="Pin the block that stands there now, or use an endpoint that has it.",
            )

    def _judge(self, answers: Sequence[Answer]) -> None:
        """Note what the answers say of the endpoint itself."""
        errors = [answer.error for answer in answers if isinstance(answer, Failure)]
        for error in {id(error): error for error in errors}.values():
            if isinstance(error, StateUnavailableError):
                self._tell_reach(error)
        if any(isinstance(answer, Fact) for answer in answers):
            self._well()
            return
        for error in errors:
            if isinstance(error, ChainMismatchError):
                raise error
        if errors and all(is_of_the_moment(error) for error in errors):
            self.rest(errors[0])
        elif errors:
            self._note(errors[0])

    def _tell_reach(self, error: StateUnavailableError) -> None:
        """Add how far back the endpoint reaches, where somebody found out."""
        lowest = self._way.history_from()
        if lowest is None:
            error.remedy += " `toolkit doctor` finds out how far back an endpoint reaches."
            return
        error.message += f" Endpoint {self.endpoint_id!r} keeps state from about block {lowest} on."

    def _use(self, question: Callable[[RpcReader], T]) -> T:
        """Open it where need be, ask, and note how that went."""
        if self.condition.excluded is not None and self.rests and not self._alone:
            raise self.condition.excluded
        try:
            answer = question(self._opened())
        except ChainMismatchError as error:
            self._reader = None
            self.rest(error)
            self.condition.excluded = error
            raise
        except ReadError as error:
            if is_of_the_moment(error):
                self.rest(error)
            else:
                self._note(error)
            raise
        finally:
            self._note_tip()
        return answer

    def _opened(self) -> RpcReader:
        """The reader, made on first use. Errors: ChainMismatchError, EndpointError."""
        with self._lock:
            if self._reader is None:
                self._reader = RpcReader(
                    self.transport,
                    chain_id=self._chain.chain_id,
                    development=self._chain.development,
                    now=self._chain.now,
                    limits=self._learned(),
                )
            return self._reader

    def _learned(self) -> LearnedLimits | Limits | None:
        """What it takes. An endpoint that cannot even be probed is left alone for a while."""
        try:
            return self._way.learn()
        except EndpointError as error:
            if isinstance(error, EndpointMisbehavedError):
                self.rest(error)
            raise

    def _note_tip(self) -> None:
        tip = self.tip
        if tip is not None and tip is not self._noted_tip:
            self._noted_tip = tip
            self.tip_at = self._chain.clock()

    def _well(self) -> None:
        condition = self.condition
        condition.reachable, condition.failures, condition.resting_until = True, 0, 0.0
        condition.excluded = None

    def _note(self, error: ReadError) -> None:
        self.condition.problem, self.condition.problem_at = error.message, self._chain.now()
        self.condition.reachable = not is_of_the_moment(error)
