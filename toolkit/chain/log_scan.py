"""Reads event logs from the pin downwards, in slices, and says how far it got."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.chain.facts import Witness
from toolkit.chain.logs import Log, LogPage, LogScan, Topics
from toolkit.chain.quantities import parse_address_hex, parse_bytes, parse_hash32, parse_quantity
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import (
    EndpointMisbehavedError,
    EndpointUnreachableError,
    ForbiddenMethodError,
    RangeTooLargeError,
    RateLimitedError,
    ReadError,
    ReorgedError,
)
from toolkit.models import Pin

_FIRST_SLICE: Final = 10_000
_NOT_A_MATTER_OF_RANGE: Final = (
    RateLimitedError,
    EndpointUnreachableError,
    EndpointMisbehavedError,
    ReorgedError,
)


@dataclass(slots=True)
class _Found:
    """Logs collected so far, each once, and the block hash seen at each height."""

    logs: dict[tuple[str, int], Log] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)

    def add(self, log: Log) -> None:
        """Keep a log; two hashes at one height mean that the chain changed under the scan."""
        if self.hashes.setdefault(log.block_number, log.block_hash) != log.block_hash:
            raise ReorgedError(
                f"Block {log.block_number} was replaced while its logs were read.",
                remedy="Ask again, or end the range at a finalized block.",
            )
        self.logs[log.block_hash, log.log_index] = log


def scan_logs(transport: Transport, pin: Pin, scan: LogScan, *, now: Callable[[], str]) -> LogPage:
    """Scan from the top of the range down until its foot, the limit, or an error.

    A slice that the endpoint refuses is halved; a slice of one block that it refuses ends the
    scan. What was read up to then is kept and said.
    """
    found = _Found({}, {pin.number: pin.hash})
    top, size = scan.to_block, _FIRST_SLICE
    covered_from: int | None = None
    error: ReadError | None = None
    while top >= scan.from_block and len(found.logs) < scan.limit:
        foot = max(scan.from_block, top - size + 1)
        try:
            logs = _read_slice(transport, scan, foot, top)
            for log in logs:
                found.add(log)
        except ReadError as refused:
            if foot == top or isinstance(refused, _NOT_A_MATTER_OF_RANGE):
                error = refused
                break
            size = max((top - foot + 1) // 2, 1)
            continue
        covered_from, top = foot, foot - 1
        size = min(size * 2, _FIRST_SLICE)
    return _page(transport, pin, scan, found, covered_from, error, now())


def _page(
    transport: Transport,
    pin: Pin,
    scan: LogScan,
    found: _Found,
    covered_from: int | None,
    error: ReadError | None,
    read_at: str,
) -> LogPage:
    """Order what was found, cut it at the limit, and say exactly what that leaves out."""
    logs = sorted(
        found.logs.values(), key=lambda log: (log.block_number, log.log_index), reverse=True
    )
    kept, cut = logs[: scan.limit], logs[scan.limit :]
    stopped_because: str | None = None
    if cut:
        covered_from = cut[0].block_number + 1
        stopped_because = "limit"
    elif error is not None:
        error = _range_error(error, scan)
        stopped_because = error.code
    elif covered_from is not None and covered_from > scan.from_block:
        stopped_because = "limit"
    covers_something = covered_from is not None and covered_from <= scan.to_block
    return LogPage(
        pin=pin,
        logs=tuple(kept),
        complete=stopped_because is None,
        covered_from=covered_from if covers_something else None,
        covered_to=scan.to_block if covers_something else None,
        stopped_because=stopped_because,
        witness=Witness(
            endpoint_id=transport.endpoint_id,
            read_at=read_at,
            transport="recording" if transport.source == "recording" else "single",
            source=transport.source,
        ),
        error=error,
    )


def _range_error(error: ReadError, scan: LogScan) -> ReadError:
    """Name the range where the endpoint's refusal says nothing better."""
    if error.code != "endpoint_misbehaved" or isinstance(error, EndpointMisbehavedError):
        return error
    return RangeTooLargeError(
        f"The endpoint refuses logs of blocks {scan.from_block} to {scan.to_block}, even one "
        "block at a time.",
        remedy="Use another endpoint for logs.",
    )


def _read_slice(transport: Transport, scan: LogScan, foot: int, top: int) -> list[Log]:
    """Read every filter's logs of one slice."""
    logs: list[Log] = []
    for topics in scan.filters:
        (answer,) = transport.send([_logs_call(scan, topics, foot, top)])
        if isinstance(answer, ForbiddenMethodError | ReadError):
            raise answer
        if not isinstance(answer, list):
            raise EndpointMisbehavedError("The endpoint's logs are not a list.")
        logs += [_parse_log(item, topics, foot, top) for item in answer]
    return logs


def _logs_call(scan: LogScan, topics: Topics, foot: int, top: int) -> RpcCall:
    wanted: dict[str, Any] = {
        "fromBlock": hex(foot),
        "toBlock": hex(top),
        "topics": [None if topic is None else "0x" + topic.hex() for topic in topics],
    }
    if scan.addresses:
        wanted["address"] = list(scan.addresses)
    return RpcCall("eth_getLogs", (wanted,))


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
        topics=tuple(parse_bytes(topic) for topic in item["topics"]),
        data=parse_bytes(item.get("data")),
    )
    matches = len(log.topics) >= len(topics) and all(
        wanted is None or wanted == given for wanted, given in zip(topics, log.topics, strict=False)
    )
    if not (foot <= log.block_number <= top and matches) or item.get("removed") is True:
        raise EndpointMisbehavedError("The endpoint returned a log that was not asked for.")
    return log
