"""Reads the logs of some neighbouring blocks in one request, and proves that they are all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from toolkit.chain.facts import Witness
from toolkit.chain.headers import header_call, parse_header
from toolkit.chain.log_collecting import newest_first
from toolkit.chain.log_parsing import filter_json, parse_logs
from toolkit.chain.log_receipts import logs_by_receipts
from toolkit.chain.log_width import LogLimits
from toolkit.chain.logs import Log, LogScan, LogSlice, Topics
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    EndpointMisbehavedError,
    IncompleteRangeError,
    MethodUnsupportedError,
    ReadError,
    ReorgedError,
    RequestTooLargeError,
)
from toolkit.models import BlockHeight, Pin

_REFUSES_BATCHES: Final = (EndpointMisbehavedError, MethodUnsupportedError, RequestTooLargeError)


class DoubtedSlice(Exception):  # noqa: N818  # not an error: an answer to look at again
    """An answer that may have been cut: to be asked again in two halves, and compared."""

    def __init__(self, foot: int, logs: Sequence[Log], count: int) -> None:
        super().__init__()
        self.foot = foot
        self.count = count
        self.by_id = {(log.block_hash, log.log_index): log for log in logs}


class LogSlices:
    """Reads one slice in one request: each filter's logs, and the header of the topmost block.

    The header shows that the node which answered has these blocks at all: one that lags behind
    answers an empty list where it should refuse. Not: proof of that where the endpoint takes no
    batch, since a balancer may send each call to another node.
    """

    def __init__(
        self,
        transport: Transport,
        pin: Pin,
        scan: LogScan,
        limits: LogLimits,
        *,
        now: Callable[[], str],
        batched: bool,
    ) -> None:
        self._transport = transport
        self._pin = pin
        self._scan = scan
        self._limits = limits
        self._now = now
        self._batched = batched
        self._witness: Witness | None = None
        self._doubts: list[DoubtedSlice] = []

    @property
    def witness(self) -> Witness:
        """Who is asked, since when, and how the last slice travelled."""
        travel = self._travel
        if self._witness is None or self._witness.transport != travel:
            self._witness = Witness(
                endpoint_id=self._transport.endpoint_id,
                read_at=self._now(),
                transport=travel,
                source=self._transport.source,
            )
        return self._witness

    @property
    def _travel(self) -> Literal["recording", "batch", "single"]:
        if self._transport.source == "recording":
            return "recording"
        return "batch" if self._batched else "single"

    def read(self, foot: int, top: int) -> LogSlice:
        """Read the logs of the blocks from foot to top, both included, all of them or none.

        Errors: DoubtedSlice where the answer may have been cut; IncompleteRangeError where the
        node does not have the topmost block, or tells less than before; ReorgedError where two
        hashes are told for one height; what the endpoint answered.
        """
        filters = self._scan.filters
        calls = [_logs_call(self._scan, topics, foot, top) for topics in filters]
        *answers, header = self._ask([*calls, header_call(BlockHeight(number=top))])
        told = {self._pin.number: self._pin.hash, self._pin.number - 1: self._pin.parent_hash}
        top_hash = self._hash_of(header, top)
        _note(told, top, top_hash)
        by_filter = [
            parse_logs(answer, self._scan, topics, foot, top)
            for topics, answer in zip(filters, answers, strict=True)
        ]
        for number, block_hash in {
            (log.block_number, log.block_hash) for logs in by_filter for log in logs
        }:
            _note(told, number, block_hash)
        found = _by_identity(by_filter)
        self._learn_from_doubts(top, found)
        proven = self._is_whole(foot, top, top_hash, by_filter, found)
        self._compare_with_doubts(foot, top, found)
        return LogSlice(foot, top, top_hash, newest_first(found.values()), self.witness, proven)

    def _is_whole(
        self,
        foot: int,
        top: int,
        top_hash: str,
        by_filter: Sequence[Sequence[Log]],
        found: Mapping[tuple[str, int], Log],
    ) -> bool:
        """Whether no answer looks cut. One that does is asked for again at both of its ends.

        Errors: DoubtedSlice; IncompleteRangeError where a block's receipts hold more.
        """
        suspect = [place for place, logs in enumerate(by_filter) if self._looks_cut(logs)]
        if suspect and foot == top:
            return self._has_its_receipts(top, top_hash, found, len(by_filter[suspect[0]]))
        for place in suspect:
            count = len(by_filter[place])
            if count == self._limits.results or self._is_longer(place, by_filter[place], foot, top):
                doubt = DoubtedSlice(foot, list(found.values()), count)
                self._doubts.append(doubt)
                raise doubt
        for logs in by_filter:
            self._limits.note_answer(len(logs))
        return True

    def _looks_cut(self, logs: Sequence[Log]) -> bool:
        return self._limits.looks_cut(len(logs))

    def _is_longer(self, place: int, logs: Sequence[Log], foot: int, top: int) -> bool:
        """Ask again for where a list begins and where it ends: a cut leaves logs out there.

        What cannot be asked for in pieces that hold fewer logs may be longer.
        """
        numbers = [log.block_number for log in logs]
        ends = ((foot, min(numbers)), (max(numbers), top))
        if ends[0][1] == top or ends[1][0] == foot:
            return True
        topics = self._scan.filters[place]
        answers = self._ask([_logs_call(self._scan, topics, low, high) for low, high in ends])
        for (low, high), answer in zip(ends, answers, strict=True):
            again = parse_logs(answer, self._scan, topics, low, high)
            if len(again) >= len(logs):
                return True
            if {(log.block_hash, log.log_index) for log in again} != {
                (log.block_hash, log.log_index) for log in logs if low <= log.block_number <= high
            }:
                self._limits.results = len(logs)
                return True
        return False

    def _has_its_receipts(
        self, block_number: int, block_hash: str, found: Mapping[tuple[str, int], Log], count: int
    ) -> bool:
        """Check one block's list by its receipts; False where the endpoint offers none.

        Errors: IncompleteRangeError where the two differ.
        """
        proven = logs_by_receipts(self._transport, self._scan, block_number, block_hash)
        if proven is None:
            return False
        if proven.keys() != found.keys():
            self._limits.results = count
            raise IncompleteRangeError(
                f"The endpoint lists {len(found)} logs for block {block_number}, and its receipts "
                f"hold {len(proven)}.",
                remedy="Use another endpoint for logs.",
            )
        self._limits.note_answer(count)
        return True

    def _learn_from_doubts(self, top: int, found: Mapping[tuple[str, int], Log]) -> None:
        """Remember the count of a wider answer as a cap where this one holds a log more."""
        self._doubts = [doubt for doubt in self._doubts if doubt.foot <= top]
        for doubt in self._doubts:
            if any(
                place not in doubt.by_id
                for place in found
                if doubt.foot <= found[place].block_number
            ):
                self._limits.results = doubt.count

    def _compare_with_doubts(
        self, foot: int, top: int, found: Mapping[tuple[str, int], Log]
    ) -> None:
        """Hold a narrower answer that is whole against the wider ones that were doubted.

        Errors: IncompleteRangeError where it holds less: the endpoint does not answer alike.
        """
        for doubt in self._doubts:
            if any(
                foot <= log.block_number <= top and place not in found
                for place, log in doubt.by_id.items()
            ):
                raise IncompleteRangeError(
                    f"The endpoint told a log between block {foot} and block {top} once, and "
                    "did not tell it when it was asked again.",
                    remedy="Use another endpoint for logs.",
                )

    def _ask(self, calls: Sequence[RpcCall]) -> list[Any]:
        """Send the calls in one request, or one by one once the endpoint has refused that."""
        if self._batched:
            try:
                return self._transport.send(calls)
            except _REFUSES_BATCHES:
                pass
        answers = [self._transport.send([call])[0] for call in calls]
        # Where the calls fail alone too, their being together was not the reason.
        self._batched = self._batched and any(isinstance(one, ReadError) for one in answers)
        return answers

    def _hash_of(self, header: Any, top: int) -> str:
        """Read the hash of the topmost block out of its header."""
        if header is None or isinstance(header, BlockNotFoundError | BlockAheadOfHeadError):
            raise IncompleteRangeError(
                f"Endpoint {self._transport.endpoint_id!r} does not have block {top} yet or any "
                "more, so that its list of logs up to there proves nothing.",
                remedy="Ask again, or end the range at a finalized block.",
            )
        if isinstance(header, ReadError):
            raise header
        block = parse_header(self._pin.chain_id, header, None)
        if block.number != top:
            raise EndpointMisbehavedError(
                f"The endpoint answered with block {block.number} where block {top} was asked for.",
                remedy="Use another endpoint for logs.",
            )
        return block.hash


def _by_identity(by_filter: Sequence[Sequence[Log]]) -> dict[tuple[str, int], Log]:
    """Bring together what several filters found; each log once.

    Errors: EndpointMisbehavedError where two different logs have one place.
    """
    found: dict[tuple[str, int], Log] = {}
    for logs in by_filter:
        told = {(log.block_hash, log.log_index): log for log in logs}
        doubled = len(told) < len(logs) or not found.keys().isdisjoint(told)
        if doubled and any(
            told[log.block_hash, log.log_index] != log
            or found.get((log.block_hash, log.log_index), log) != log
            for log in logs
        ):
            raise EndpointMisbehavedError(
                "The endpoint told two different logs for one place in a block.",
                remedy="Use another endpoint for logs.",
            )
        found |= told
    return found


def _note(told: dict[int, str], block_number: int, block_hash: str) -> None:
    """Keep the hash told for a height; two of them mean that the chain changed meanwhile."""
    if told.setdefault(block_number, block_hash) != block_hash:
        raise ReorgedError(
            f"Block {block_number} was replaced while its logs were read.",
            remedy="Ask again, or end the range at a finalized block.",
        )


def _logs_call(scan: LogScan, topics: Topics, foot: int, top: int) -> RpcCall:
    wanted: dict[str, Any] = {
        "fromBlock": hex(foot),
        "toBlock": hex(top),
        "topics": filter_json(topics),
    }
    if scan.addresses:
        wanted["address"] = list(scan.addresses)
    return RpcCall("eth_getLogs", (wanted,))
