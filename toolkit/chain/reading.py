"""One batch of reads on its way: packed into requests, repaired where parts fail, settled.

Work goes in rounds. A round carries aggregates and single calls in as few requests as the
limits allow; what comes back settles reads or leaves narrower work for the next round: an
aggregate that failed is halved, one whose form does not run here changes its form, a revert
seen inside one is asked again alone, an empty answer waits for proof of the code behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from toolkit.chain.aggregate import Aggregate, Brought, Mergeable
from toolkit.chain.carrier import Carried, Carrier, Riders
from toolkit.chain.facts import Answer, Fact, Failure, NoCode, Outcome, Reverted, Value, Witness
from toolkit.chain.forms import Forms
from toolkit.chain.limits import LearnedLimits
from toolkit.chain.packing import WORTH_AGGREGATING, Item, Single, aggregates, plan
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
from toolkit.chain.transport import Transport
from toolkit.errors import (
    CallRevertedError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    MethodUnsupportedError,
    OutOfGasError,
    ReadError,
    RequestTooLargeError,
    RpcRefusedError,
    ToolkitError,
)
from toolkit.models import Pin
from toolkit.models import Transport as TransportName

_LAST_PRECOMPILE: Final = 0xFFFF
_TOO_MUCH: Final = (OutOfGasError, RequestTooLargeError, EndpointTimeoutError)
_DOES_NOT_RUN: Final = (CallRevertedError, RpcRefusedError, MethodUnsupportedError)


class Reading:
    """Settles a sequence of reads at one pin."""

    def __init__(
        self,
        transport: Transport,
        pin: Pin,
        *,
        limits: LearnedLimits,
        forms: Forms,
        now: Callable[[], str],
        ids: ReadIds | None = None,
    ) -> None:
        self._transport = transport
        self._pin = pin
        self._limits = limits
        self._forms = forms
        self._now = now
        self._ids = ids or ReadIds(pin)
        self._carrier = Carrier(transport, pin, limits)
        self._settled: dict[Read, Answer] = {}
        self._next: list[Item] = []
        self._awaiting_code: dict[str, list[tuple[CallRead, Witness]]] = {}
        self._unproven: dict[str, list[CallRead]] = {}
        self._plain_form: dict[CallRead, CallRead] = {}
        self.side_facts: list[Fact] = []

    def run(self, reads: Sequence[Read], *, riders: Callable[[], Riders]) -> list[Answer]:
        """Answer each read, in order. Riders travel with the first request of every round."""
        if not reads:
            return []
        asked = dict.fromkeys(reads)
        ready = [read for read in asked if not self._must_prove_code(read)]
        self._next += plan(ready, self._limits.now, self._forms.best_at(self._pin.number))
        for read in ready:
            if isinstance(read, CallRead) and read.often_refused:
                self._ask_plain(read)
        while self._next:
            items, self._next = self._next, []
            try:
                self._take(self._carrier.carry(items, riders()))
            except ReadError as error:
                # Nothing of a round counts once the endpoint proved to be another chain's.
                self._fail([*items, *self._next], error)
                self._next = []
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

    def _witness(self, name: TransportName) -> Witness:
        recorded = self._transport.source == "recording"
        return Witness(
            endpoint_id=self._transport.endpoint_id,
            read_at=self._now(),
            transport="recording" if recorded else name,
            source=self._transport.source,
        )

    def _take(self, carried: Iterable[Carried]) -> None:
        """Settle a round's items, or leave narrower work."""
        alone, batch = self._witness("single"), self._witness("batch")
        for item, answer, came_alone in carried:
            if isinstance(item, Single):
                self._take_single(item.read, answer, alone if came_alone else batch)
            else:
                self._take_aggregate(item, answer)

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

    def _take_aggregate(self, item: Aggregate, answer: Any) -> None:
        """Settle what an aggregate brought, and narrow down what it did not."""
        if isinstance(answer, _TOO_MUCH) and not self._carrier.hangs:
            self._halve(item)
            return
        if isinstance(answer, _DOES_NOT_RUN):
            if not isinstance(answer, CallRevertedError):
                self._limits.narrow(overrides=False)
            self._change_form(item)
            return
        if isinstance(answer, ReadError):
            self._fail([item], answer)
            return
        try:
            data = parse_bytes(answer)
            brought = item.form.understand(data, item) if data else None
        except EndpointMisbehavedError as error:
            self._fail([item], error)
            return
        if brought is None or len(brought.unasked) == len(item.reads):
            self._change_form(item)
        elif not brought.is_of(self._pin, parent_hash=self._limits.now.parent_hash):
            self._fail([item], self._other_block())
        else:
            self._settle_brought(item, brought)

    def _settle_brought(self, item: Aggregate, brought: Brought) -> None:
        """Settle the values; ask failed ones alone, and those not reached again."""
        witness, of = self._witness(item.form.name), self._ids.of
        settled = self._settled
        for read, value in brought.values:
            if value:
                settled[read] = Fact(read, of(read), Value(value), witness)
            else:
                self._settle_value(read, value, witness)
        self._next += self._halves(item, brought.unasked)
        for read in brought.failed:
            self._next.append(Single(read))
            if isinstance(read, CallRead):
                self._ask_plain(read)
        if brought.gas is not None and brought.gas < self._limits.now.gas // 2:
            self._limits.narrow(gas=brought.gas)

    def _other_block(self) -> EndpointMisbehavedError:
        return EndpointMisbehavedError(
            f"Endpoint {self._transport.endpoint_id!r} answered for another block than "
            f"{self._pin.number}: what the call tells of its block differs from the header.",
            remedy="Use an endpoint that keeps the state of this block.",
        )

    def _change_form(self, item: Aggregate) -> None:
        """This form does not run at this block: the reads travel in the next best one."""
        self._forms.rule_out(item.form, self._pin.number)
        form = self._forms.best_at(self._pin.number)
        self._next += plan(item.reads, self._limits.now, None if form is item.form else form)

    def _halve(self, item: Aggregate) -> None:
        """Ask two halves again; few are asked one by one."""
        if len(item.reads) <= WORTH_AGGREGATING:
            self._next += [Single(read) for read in item.reads]
        else:
            self._next += self._halves(item, item.reads)

    def _halves(self, item: Aggregate, reads: Sequence[Mergeable]) -> list[Item]:
        """Put reads into two aggregates, so that rounds stay few however many go wrong."""
        middle = len(reads) // 2
        limits = self._limits.now
        parts = (part for part in (reads[:middle], reads[middle:]) if part)
        return [one for part in parts for one in aggregates(part, limits, item.form)]

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
