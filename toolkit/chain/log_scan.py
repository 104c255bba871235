"""Reads event logs from the pin downwards, in slices, and says how far it got."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

from toolkit.chain.facts import Witness
from toolkit.chain.headers import header_call, parse_header
from toolkit.chain.logs import Log, LogPage, LogScan, Topics
from toolkit.chain.quantities import parse_address_hex, parse_bytes, parse_hash32, parse_quantity
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    IncompleteRangeError,
    MethodUnsupportedError,
    RangeTooLargeError,
    RateLimitedError,
    ReadError,
    ReorgedError,
    RequestTooLargeError,
    RpcRefusedError,
)
from toolkit.models import BlockHeight, Pin

_FIRST_SLICE: Final = 10_000
_TIMEOUTS_IN_A_ROW: Final = 2
_NOT_A_MATTER_OF_RANGE: Final = (
    RateLimitedError,
    EndpointUnreachableError,
    EndpointMisbehavedError,
    MethodUnsupportedError,
    BlockAheadOfHeadError,
    IncompleteRangeError,
    ReorgedError,
)
_REFUSES_BATCHES: Final = (EndpointMisbehavedError, MethodUnsupportedError, RequestTooLargeError)


def scan_logs(
    transport: Transport, pin: Pin, scan: LogScan, *, now: Callable[[], str], batch: int = 100
) -> LogPage:
    """Scan from the top of the range down until its foot, the limit, or an error.

    A slice that the endpoint refuses is halved; a slice of one block that it refuses ends the
    scan, and so does a second timeout in a row. What was read up to then is kept and said.
    Unit: `batch` counts the calls that the endpoint takes in one request.
    """
    slices = _Slices(transport, pin, scan, batched=batch > len(scan.filters))
    found: dict[tuple[str, int], Log] = {}
    top, size, largest, timeouts = scan.to_block, _FIRST_SLICE, _FIRST_SLICE, 0
    covered_from: int | None = None
    error: ReadError | None = None
    while top >= scan.from_block and len(found) < scan.limit:
        foot = max(scan.from_block, top - size + 1)
        try:
            logs = slices.read(foot, top)
        except ReadError as refused:
            timed_out = isinstance(refused, EndpointTimeoutError)
            timeouts = timeouts + 1 if timed_out else 0
            if foot == top or timeouts == _TIMEOUTS_IN_A_ROW or _is_final(refused):
                error = _of_one_block(refused, top)
                break
            size = (top - foot + 1) // 2
            largest = size if timed_out else largest
            continue
        found |= {(log.block_hash, log.log_index): log for log in logs}
        covered_from, top, timeouts = foot, foot - 1, 0
        size = min(size * 2, largest)
    witness = Witness(
        endpoint_id=transport.endpoint_id,
        read_at=now(),
        transport="recording" if transport.source == "recording" else slices.travel,
        source=transport.source,
    )
    return _page(pin, scan, found.values(), covered_from, error, witness)


def _is_final(error: ReadError) -> bool:
    """Whether a narrower range would meet the same error."""
    return isinstance(error, _NOT_A_MATTER_OF_RANGE)


def _of_one_block(error: ReadError, block_number: int) -> ReadError:
    """Name the block where the endpoint's refusal says nothing better."""
    if not isinstance(error, RpcRefusedError | RequestTooLargeError):
        return error
    return RangeTooLargeError(
        f"The endpoint refuses the logs of block {block_number}, even alone.",
        remedy="Use another endpoint for logs.",
    )


def _page(
    pin: Pin,
    scan: LogScan,
    found: Iterable[Log],
    covered_from: int | None,
    error: ReadError | None,
    witness: Witness,
) -> LogPage:
    """Order what was found, cut it at the limit, and say exactly what that leaves out."""
    logs = sorted(found, key=lambda log: (log.block_number, log.log_index), reverse=True)
    kept, cut = logs[: scan.limit], logs[scan.limit :]
    stopped_because = error.code if error else None
    if cut:
        # The block of the first log left out was read, but is not whole in this page.
        covered_from = cut[0].block_number + 1
    if cut or (error is None and covered_from is not None and covered_from > scan.from_block):
        stopped_because = "limit"
    covers_something = covered_from is not None and covered_from <= scan.to_block
    return LogPage(
        pin=pin,
        logs=tuple(kept),
        complete=stopped_because is None,
        covered_from=covered_from if covers_something else None,
        covered_to=scan.to_block if covers_something else None,
        stopped_because=stopped_because,
        witness=witness,
        error=error,
    )


class _Slices:
    """Reads one slice in one request: each filter's logs, and the header of the topmost block.

    The header shows that the node which answered has these blocks at all: one that lags behind
    answers an empty list where it should refuse. Not: proof of that where the endpoint takes no
    batch, since a balancer may send each call to another node.
    """

    def __init__(self, transport: Transport, pin: Pin, scan: LogScan, *, batched: bool) -> None:
        self._transport = transport
        self._pin = pin
        self._scan = scan
        self._batched = batched

    @property
    def travel(self) -> Literal["batch", "single"]:
        """How the last slice travelled."""
        return "batch" if self._batched else "single"

    def read(self, foot: int, top: int) -> list[Log]:
        """Read the logs of the blocks from foot to top, both included, all of them or none.

        Errors: IncompleteRangeError where the node does not have the topmost block;
        ReorgedError where two hashes are told for one height; what the endpoint answered.
        """
        filters = self._scan.filters
        calls = [_logs_call(self._scan, topics, foot, top) for topics in filters]
        *answers, header = self._ask([*calls, header_call(BlockHeight(number=top))])
        told = {self._pin.number: self._pin.hash}
        _note(told, top, self._hash_of(header, top))
        logs: list[Log] = []
        for topics, answer in zip(filters, answers, strict=True):
            logs += _parse_logs(answer, topics, foot, top)
        for log in logs:
            _note(told, log.block_number, log.block_hash)
        return logs

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
        "topics": [None if topic is None else "0x" + topic.hex() for topic in topics],
    }
    if scan.addresses:
        wanted["address"] = list(scan.addresses)
    return RpcCall("eth_getLogs", (wanted,))


def _parse_logs(answer: Any, topics: Topics, foot: int, top: int) -> list[Log]:
    """Read the answer to one filter, or raise the error that it is."""
    if isinstance(answer, ReadError):
        raise answer
    if not isinstance(answer, list):
        raise EndpointMisbehavedError("The endpoint's logs are not a list.")
    return [_parse_log(item, topics, foot, top) for item in answer]


def _parse_log(item: Any, topics: Topics, foot: int, top: int) -> Log:
    """Read one log strictly; a log that was not asked for is an error, not a row."""
    if not isinstance(item, dict) or not isinstance(item.get("topics"), list):
        raise EndpointMisbehavedError("The endpoint's log is not an object with topics.")
    log = Log(
        block_number=parse_quantity(item.get("blockNumber"), bits=63),
        block_hash=parse_hash32(item.get("blockHash")),
        log_index=parse_quantity(item.get("logIndex"), bits=63),
        transaction_hash=parse_hash32(item.get("transactionHash")),
        address=parse_address_hex(item.get("address")),
        topics=tuple(parse_bytes(topic, 32, field="topic") for topic in item["topics"]),
        data=parse_bytes(item.get("data")),
    )
    matches = len(log.topics) >= len(topics) and all(
        wanted is None or wanted == given for wanted, given in zip(topics, log.topics, strict=False)
    )
    if not (foot <= log.block_number <= top and matches) or item.get("removed") is True:
        raise EndpointMisbehavedError("The endpoint returned a log that was not asked for.")
    return log
