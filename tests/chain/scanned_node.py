"""A node for log scans that refuses, lags or lies as a test tells it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolkit.chain.log_scan import scan_logs
from toolkit.chain.logs import LogPage, LogScan
from toolkit.chain.rpc_errors import classify_rpc_error
from toolkit.errors import EndpointMisbehavedError, MethodUnsupportedError
from toolkit.models import Pin
from toolkit.tools.abi import TRANSFER_TOPIC

WORD, OTHER_WORD = b"\x01" * 32, b"\x02" * 32
FILTERS = ((TRANSFER_TOPIC, WORD), (TRANSFER_TOPIC, None, WORD))
NOW = "2026-01-05T00:00:00Z"


def hash_of(number: int) -> str:
    return f"0x{number:064x}"


def header_of(number: int) -> dict[str, str]:
    return {
        "number": hex(number),
        "hash": hash_of(number),
        "parentHash": hash_of(max(number - 1, 0)),
        "timestamp": hex(1_767_571_200 + number),
        "stateRoot": hash_of(number),
    }


def log_at(number: int, index: int = 0, **changed: Any) -> dict[str, Any]:
    topics = ["0x" + topic.hex() for topic in (TRANSFER_TOPIC, WORD, OTHER_WORD)]
    return {
        "blockNumber": hex(number),
        "blockHash": hash_of(number),
        "logIndex": hex(index),
        "transactionHash": hash_of(7),
        "address": "0x" + "22" * 20,
        "topics": topics,
        "data": "0x" + "00" * 32,
        **changed,
    }


def pin_at(number: int) -> Pin:
    return Pin(1, number, hash_of(number), hash_of(number - 1), 1_767_571_200, hash_of(number))


def too_wide(error, widest):
    return lambda foot, top: error if top - foot + 1 > widest else None


def told(text: str, code: int = -32000) -> Any:
    """The error that a provider's text means."""
    return classify_rpc_error("eth_getLogs", {"code": code, "message": text})


_answers = too_wide(None, 0)


def fits(wanted: list[Any], topics: list[str]) -> bool:
    """Compare by position, as a node does; a topic as text holds itself."""
    return len(wanted) <= len(topics) and all(
        topic is None or told in topic for topic, told in zip(wanted, topics, strict=False)
    )


@dataclass
class Endpoint:
    """A transport over a list of logs; a test replaces one of its answers.

    `refuses` gets the lowest and highest block asked for. An error in its place is raised,
    as for a whole request, where `whole` is set. `cuts_at` leaves logs out without a word, the
    oldest of them where `keeps_newest` is set. `receipts` says whether there are any.
    """

    logs: list[dict[str, Any]] = field(default_factory=list)
    refuses: Any = _answers
    header: Any = header_of
    takes_batches: bool = True
    whole: bool = False
    lies: bool = False
    cuts_at: int | None = None
    keeps_newest: bool = False
    receipts: bool = True
    sent: list[list[str]] = field(default_factory=list)
    slices: list[tuple[int, int]] = field(default_factory=list)
    endpoint_id = "endpoint"
    source = "rpc"
    requests = 0

    def send(self, calls):
        self.sent.append([call.method for call in calls])
        if len(calls) > 1 and not self.takes_batches:
            raise EndpointMisbehavedError("One error came for a whole batch.")
        return [getattr(self, call.method)(*call.params) for call in calls]

    def eth_getBlockByNumber(self, name, _whole):  # noqa: N802
        return self.header(int(name, 16))

    def eth_getLogs(self, wanted):  # noqa: N802
        foot, top = int(wanted["fromBlock"], 16), int(wanted["toBlock"], 16)
        self.slices.append((foot, top))
        refusal = self.refuses(foot, top)
        if refusal is not None and self.whole:
            raise refusal
        if refusal is not None:
            return refusal
        if self.lies:
            return self.logs
        found = [
            log
            for log in self.logs
            if foot <= int(log["blockNumber"], 16) <= top and fits(wanted["topics"], log["topics"])
        ]
        if self.cuts_at is None or len(found) <= self.cuts_at:
            return found
        return found[-self.cuts_at :] if self.keeps_newest else found[: self.cuts_at]

    def eth_getBlockReceipts(self, name):  # noqa: N802
        if not self.receipts:
            return MethodUnsupportedError("No such method.")
        number = int(name, 16)
        return [{"logs": [log for log in self.logs if int(log["blockNumber"], 16) == number]}]


def scanned(endpoint: Any, *, pin: int = 100, first: int = 1, limit: int = 50, **how: int):
    scan = LogScan(FILTERS, first, pin, limit)
    return scan_logs(endpoint, pin_at(pin), scan, now=lambda: NOW, **how)


def heights(page: LogPage) -> list[int]:
    return [log.block_number for log in page.logs]
