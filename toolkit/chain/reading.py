"""One batch of reads on its way: packed into requests, repaired where parts fail, settled.

Work goes in rounds. A round packs aggregates and single calls into as few requests as the
limits allow; what comes back settles reads or leaves narrower work for the next round: an
aggregate that failed is halved, a revert seen inside one is asked again alone, an empty
answer waits for proof of the code behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

from toolkit.chain.facts import Answer, Fact, Failure, NoCode, Outcome, Reverted, Value, Witness
from toolkit.chain.limits import Limits
from toolkit.chain.multicall import decode_aggregate
from toolkit.chain.packing import (
    WORTH_AGGREGATING,
    Aggregate,
    Item,
    Single,
    hash_block,
    item_call,
    pack,
    plan,
)
from toolkit.chain.quantities import parse_bytes, parse_quantity
from toolkit.chain.reads import (
    NO_CALLER,
    READER_CALLER,
    BalanceRead,
    CallRead,
    CodeRead,
    NonceRead,
    Read,
    ReadIds,
    StorageRead,
)
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import (
    CallRevertedError,
    EndpointError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    OutOfGasError,
    ReadError,
    RequestTooLargeError,
    RpcRefusedError,
    ToolkitError,
)
from toolkit.models import Pin
from toolkit.models import Transport as TransportName

_MOST_TIMEOUTS: Final = 2
_LAST_PRECOMPILE: Final = 0xFFFF
_SPLITTABLE: Final = (
    CallRevertedError,
    OutOfGasError,
    RequestTooLargeError,
    RpcRefusedError,
    EndpointTimeoutError,
)


@dataclass(frozen=True, slots=True)
class Riders:
    """Calls that travel with the first request of a round, and who hears their answers."""

    calls: list[RpcCall]
    take: Callable[[list[Any]], None]


class Reading:
    """Settles a sequence of reads at one pin."""

    def __init__(
        self,
        transport: Transport,
        pin: Pin,
        *,
        limits: Limits,
        now: Callable[[], str],
        aggregator: bool,
        ids: ReadIds | None = None,
    ) -> None:
        self._transport = transport
        self._pin = pin
        self._limits = limits
        self._now = now
        self._ids = ids or ReadIds(pin)
        self._block = hash_block(pin) if limits.hash_pins else hex(pin.number)
        self._aggregates = aggregator
        self._settled: dict[Read, Answer] = {}
        self._next: list[Item] = []
        self._awaiting_code: dict[str, list[tuple[CallRead, Witness]]] = {}
        self._unproven: dict[str, list[CallRead]] = {}
        self._plain_form: dict[CallRead, CallRead] = {}
        self._timeouts = 0
        self.side_facts: list[Fact] = []
        self.aggregator_missing = False

    def run(
        self,
        reads: Sequence[Read],
        *,
        riders: Callable[[], Riders],
    ) -> list[Answer]:
        """Answer each read, in order. Riders travel with the first request of every round."""
        if not reads:
            return []
        asked = dict.fromkeys(reads)
        ready = [read for read in asked if not self._must_prove_code(read)]
        self._next += plan(ready, self._limits, aggregator=self._aggregates)
        while self._next:
            riding = riders()
            packs, self._next = pack(self._next, self._limits, riding=len(riding.calls)), []
            try:
                self._send_round(packs, riding)
            except ReadError as error:
                self._fail_rest(packs, error)
                break
        if len(self._settled) > len(asked):
            self.side_facts += [
                fact
                for read, fact in self._settled.items()
                if isinstance(fact, Fact) and read not in asked
            ]
        if not self._plain_form:
            return [self._settled[read] for read in reads]
        return [self._answer(read) for read in reads]

    def _answer(self, read: Read) -> Answer:
        """Where the reader's caller is refused, the plain call's answer is the answer."""
        answer = self._settled[read]
        plain = self._plain_form.get(read) if isinstance(read, CallRead) else None
        if plain is None or not isinstance(answer, Fact) or plain not in self._settled:
            return answer
        if isinstance(answer.outcome, Reverted):
            self.side_facts.append(answer)
            return self._settled[plain]
        return answer

    def _send_round(self, packs: list[list[Item]], riding: Riders) -> None:
        """Send all packs, the first one first and alone while it carries the chain check."""
        answers = self._send(packs[0], riding.calls)
        if isinstance(answers, ReadError):
            self._take_riders_alone(riding)
            self._take_failure(packs[0], answers)
        else:
            self._timeouts = 0
            riding.take(answers[len(packs[0]) :])
            self._take(packs[0], answers)
        rest = packs[1:]
        if not rest:
            return
        with ThreadPoolExecutor(max_workers=self._limits.parallel) as pool:
            for items, result in zip(rest, pool.map(self._send, rest), strict=True):
                if isinstance(result, ReadError):
                    self._take_failure(items, result)
                else:
                    self._take(items, result)

    def _take_riders_alone(self, riding: Riders) -> None:
        """The riders of a failed request travel alone: nothing counts before they are heard."""
        if riding.calls:
            answers = self._send([], riding.calls)
            if isinstance(answers, ReadError):
                raise answers
            riding.take(answers)

    def _send(self, items: list[Item], riding: Sequence[RpcCall] = ()) -> list[Any] | ReadError:
        """Carry one pack; a failure of the whole request is a value."""
        calls = [item_call(item, self._block) for item in items]
        try:
            together = [*calls, *riding]
            if len(together) > self._limits.batch:
                return [self._transport.send([call])[0] for call in together]
            return self._transport.send(together)
        except EndpointError as error:
            return error

    def _witness(self, name: TransportName) -> Witness:
        recorded = self._transport.source == "recording"
        return Witness(
            endpoint_id=self._transport.endpoint_id,
            read_at=self._now(),
            transport="recording" if recorded else name,
            source=self._transport.source,
        )

    def _take_failure(self, items: list[Item], error: ReadError) -> None:
        """A request that failed as a whole is halved if size may be why, else it fails.

        A second timeout in a row means that the endpoint hangs, whatever the size.
        """
        self._timeouts += isinstance(error, EndpointTimeoutError)
        hangs = self._timeouts >= _MOST_TIMEOUTS
        if hangs or not isinstance(error, RequestTooLargeError | EndpointTimeoutError):
            self._fail(items, error)
        elif len(items) > 1:
            middle = len(items) // 2
            for half in (items[:middle], items[middle:]):
                answers = self._send(half)
                if isinstance(answers, ReadError):
                    self._take_failure(half, answers)
                else:
                    self._take(half, answers)
        elif isinstance(items[0], Aggregate) and len(items[0].reads) > 1:
            self._halve(items[0].reads)
        else:
            self._fail(items, error)

    def _take(self, items: list[Item], answers: list[Any]) -> None:
        """Settle a request's items, or leave narrower work."""
        single = self._witness("single" if len(items) == 1 else "batch")
        merged = self._witness("multicall3")
        for item, answer in zip(items, answers, strict=False):
            if isinstance(item, Single):
                self._take_single(item.read, answer, single)
            else:
                self._take_aggregate(item, answer, merged)

    def _take_single(self, read: Read, answer: Any, witness: Witness) -> None:
        """Settle a read that travelled alone."""
        try:
            if isinstance(answer, CallRevertedError) and isinstance(read, CallRead):
                self._settle(read, Reverted(answer.data), witness)
                self._ask_plain(read)
                return
            if isinstance(answer, ToolkitError):
                self._fail([Single(read)], answer)
                return
            self._settle_value(read, _result_bytes(read, answer), witness)
        except EndpointMisbehavedError as error:
            self._fail([Single(read)], error)

    def _take_aggregate(self, item: Aggregate, answer: Any, witness: Witness) -> None:
        """Settle what an aggregate brought, and narrow down what it did not."""
        if isinstance(answer, ReadError):
            if isinstance(answer, _SPLITTABLE):
                self._halve(item.reads)
            else:
                self._fail([item], answer)
            return
        try:
            data = parse_bytes(answer)
            if not data:
                self._without_aggregator(item)
                return
            timestamp, results = decode_aggregate(data, len(item.reads))
        except EndpointMisbehavedError as error:
            self._fail([item], error)
            return
        if timestamp != self._pin.timestamp:
            self._fail([item], self._other_block())
            return
        self._take_results(item.reads, results, witness)

    def _take_results(
        self,
        reads: tuple[CallRead | BalanceRead, ...],
        results: list[tuple[bool, bytes]],
        witness: Witness,
    ) -> None:
        """Settle the items of an aggregate that succeeded; ask the others again.

        An item that failed without a word may have burnt the gas of all that follow, and a
        contract that survives its own inner failure then answers another number. So what
        follows such an item is asked again in an aggregate without it.
        """
        alone: list[CallRead | BalanceRead] = []
        again: list[CallRead | BalanceRead] = []
        starved = False
        for read, (success, value) in zip(reads, results, strict=True):
            if success and starved:
                again.append(read)
            elif success and value:
                self._settled[read] = Fact(read, self._ids.of(read), Value(value), witness)
            elif success:
                self._settle_value(read, value, witness)
            else:
                alone.append(read)
                starved = starved or not value
        self._next += [Aggregate.of(tuple(again))] if again else []
        for read in alone:
            self._next.append(Single(read))
            if isinstance(read, CallRead):
                self._ask_plain(read)

    def _other_block(self) -> EndpointMisbehavedError:
        return EndpointMisbehavedError(
            f"Endpoint {self._transport.endpoint_id!r} answered for another block than "
            f"{self._pin.number}: the time inside the call differs from the header's.",
            remedy="Use an endpoint that keeps the state of this block.",
        )

    def _without_aggregator(self, item: Aggregate) -> None:
        """No Multicall3 stands at this block: from now on every read travels alone."""
        self.aggregator_missing = True
        self._aggregates = False
        self._next += [Single(read) for read in item.reads]

    def _halve(self, reads: tuple[CallRead | BalanceRead, ...]) -> None:
        """Ask two halves again; what is left of one read travels alone."""
        if len(reads) <= WORTH_AGGREGATING:
            self._next += [Single(read) for read in reads]
            return
        middle = len(reads) // 2
        self._next += [Aggregate.of(reads[:middle]), Aggregate.of(reads[middle:])]

    def _ask_plain(self, read: CallRead) -> None:
        """A revert may be aimed at the reader's caller: ask once more as nobody."""
        if read.caller != READER_CALLER:
            return
        if read in self._plain_form:
            return
        plain = replace(read, caller=NO_CALLER)
        self._plain_form[read] = plain
        if plain not in self._settled:
            self._next.append(Single(plain))

    def _must_prove_code(self, read: Read) -> bool:
        """A precompile answers like a contract and has no code: there the code comes first."""
        if not isinstance(read, CallRead) or int(read.to, 16) > _LAST_PRECOMPILE:
            return False
        waiting = self._unproven.setdefault(read.to, [])
        if not waiting:
            self._next.append(Single(CodeRead(read.to)))
        waiting.append(read)
        return True

    def _settle_value(self, read: Read, data: bytes, witness: Witness) -> None:
        """An empty answer of a call proves nothing before the code behind it is known."""
        if data or not isinstance(read, CallRead):
            self._settle(read, Value(data), witness)
            if isinstance(read, CodeRead):
                self._settle_waiting(read.address, has_code=bool(data))
            return
        code = CodeRead(read.to)
        known = self._settled.get(code)
        if isinstance(known, Fact) and isinstance(known.outcome, Value):
            outcome = Value(b"") if known.outcome.data else NoCode()
            self._settle(read, outcome, witness)
            return
        if isinstance(known, Failure):
            self._settled[read] = Failure(read, known.error)
            return
        waiting = self._awaiting_code.setdefault(read.to, [])
        if not waiting:
            self._next.append(Single(code))
        waiting.append((read, witness))

    def _settle_waiting(self, address: str, *, has_code: bool) -> None:
        for read, witness in self._awaiting_code.pop(address, ()):
            self._settle(read, Value(b"") if has_code else NoCode(), witness)
        for read in self._unproven.pop(address, ()):
            if has_code:
                self._next.append(Single(read))
            else:
                self._settle(read, NoCode(), self._witness("single"))

    def _settle(self, read: Read, outcome: Outcome, witness: Witness) -> None:
        self._settled[read] = Fact(read, self._ids.of(read), outcome, witness)

    def _fail(self, items: list[Item], error: ToolkitError) -> None:
        """Give every read of a request its failure, and those that waited for its proof."""
        reason = error if isinstance(error, ReadError) else EndpointMisbehavedError(str(error))
        for item in items:
            for read in item.reads if isinstance(item, Aggregate) else (item.read,):
                self._settled[read] = Failure(read, reason)
                if isinstance(read, CodeRead):
                    waiting = [call for call, _ in self._awaiting_code.pop(read.address, ())]
                    for call in (*waiting, *self._unproven.pop(read.address, ())):
                        self._settled[call] = Failure(call, reason)

    def _fail_rest(self, packs: list[list[Item]], error: ReadError) -> None:
        """Nothing of a round counts once the endpoint proved to be another chain's."""
        for items in packs:
            self._fail(items, error)
        self._fail(self._next, error)
        self._next = []


def _result_bytes(read: Read, result: Any) -> bytes:
    """Read a single call's result strictly.

    Errors: EndpointMisbehavedError for anything but the hex that the method prescribes.
    """
    if isinstance(read, BalanceRead | NonceRead):
        return parse_quantity(result, bits=256).to_bytes(32, "big")
    data = parse_bytes(result)
    if isinstance(read, StorageRead) and len(data) != 32:
        raise EndpointMisbehavedError("A storage word is 32 bytes long; the endpoint's is not.")
    return data
