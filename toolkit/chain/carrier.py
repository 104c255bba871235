"""Carries items to one endpoint in as few requests as it takes, and learns what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NamedTuple

from toolkit.chain.limits import LearnedLimits
from toolkit.chain.packing import Item, body_bytes, hash_block, item_call, pack
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import EndpointError, EndpointTimeoutError, ReadError, RequestTooLargeError
from toolkit.models import Pin

_MOST_TIMEOUTS: Final = 2
# A body below this is refused for its count of calls; and no limit is believed to be lower.
_SMALL_BODY: Final = 32_000


@dataclass(frozen=True, slots=True)
class Riders:
    """Calls that travel with the first request of a round, and who hears their answers.

    `come_first`: nothing else is sent before they are heard.
    """

    calls: list[RpcCall]
    take: Callable[[list[Any]], None]
    come_first: bool = True


class Carried(NamedTuple):
    """An item and its answer: JSON, or the error that it or its whole request met."""

    item: Item
    answer: Any
    alone: bool


class Carrier:
    """Carries items of one job at one pin."""

    def __init__(self, transport: Transport, pin: Pin, limits: LearnedLimits) -> None:
        self._transport = transport
        self._limits = limits
        self._block = hash_block(pin) if limits.now.hash_pins else hex(pin.number)
        self._timeouts = 0

    @property
    def hangs(self) -> bool:
        """Whether timeouts came in a row: then size is not the reason, and asking on is vain."""
        return self._timeouts >= _MOST_TIMEOUTS

    def carry(self, items: Sequence[Item], riders: Riders) -> list[Carried]:
        """Give every item its answer. A request refused for its size is sent in halves.

        Errors: ReadError that the riders raise, or that their own request met.
        """
        packs = pack(items, self._limits.now, riding=len(riders.calls))
        if len(packs) == 1:
            return self._carry_with(packs[0], riders)
        with ThreadPoolExecutor(max_workers=self._limits.now.parallel) as pool:
            if riders.come_first:
                first = self._carry_with(packs[0], riders)
                rest = pool.map(self._carry_pack, packs[1:])
            else:
                rest = pool.map(self._carry_pack, packs[1:])
                first = self._carry_with(packs[0], riders)
            return [*first, *chain.from_iterable(rest)]

    def _carry_with(self, items: list[Item], riders: Riders) -> list[Carried]:
        """Carry the pack that the riders travel with."""
        answers = self._send(items, riders.calls)
        if isinstance(answers, ReadError):
            if riders.calls:
                alone = self._send([], riders.calls)
                if isinstance(alone, ReadError):
                    raise alone
                riders.take(alone)
            return self._after(items, answers)
        riders.take(answers[len(items) :])
        return self._paired(items, answers)

    def _carry_pack(self, items: list[Item]) -> list[Carried]:
        answers = self._send(items)
        if isinstance(answers, ReadError):
            return self._after(items, answers)
        return self._paired(items, answers)

    def _send(self, items: list[Item], riding: Sequence[RpcCall] = ()) -> list[Any] | ReadError:
        """Carry one pack; a failure of the whole request is a value."""
        limits = self._limits.now
        calls = [item_call(item, self._block, limits) for item in items]
        try:
            together = [*calls, *riding]
            if len(together) > limits.batch:
                return [self._transport.send([call])[0] for call in together]
            return self._transport.send(together)
        except EndpointError as error:
            return error

    def _paired(self, items: list[Item], answers: list[Any]) -> list[Carried]:
        self._timeouts = 0
        alone = len(items) == 1
        return [Carried(*pair, alone) for pair in zip(items, answers, strict=False)]

    def _after(self, items: list[Item], error: ReadError) -> list[Carried]:
        """Halve a request that failed as a whole where its size may be why.

        A second timeout in a row means that the endpoint hangs, whatever the size.
        """
        self._timeouts += isinstance(error, EndpointTimeoutError)
        by_size = isinstance(error, RequestTooLargeError | EndpointTimeoutError)
        if isinstance(error, RequestTooLargeError):
            self._learn(items)
        if self.hangs or not by_size or len(items) == 1:
            return [Carried(item, error, alone=len(items) == 1) for item in items]
        middle = len(items) // 2
        return [*self._carry_pack(items[:middle]), *self._carry_pack(items[middle:])]

    def _learn(self, items: Sequence[Item]) -> None:
        """Take half of what was refused as the limit from now on."""
        size = sum(map(body_bytes, items))
        if size >= 2 * _SMALL_BODY:
            self._limits.narrow(body_bytes=size // 2)
        elif len(items) > 1:
            self._limits.narrow(batch=len(items) // 2)
