"""Compares a list of logs with what its blocks say of their logs in two other ways.

A header's bloom filter can rule out that a block holds a log; a block's receipts hold all of
its logs. Source: the Yellow Paper, 4.3.1 (three bits of a keccak for each address and topic).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from toolkit.chain.headers import header_call, parse_header
from toolkit.chain.log_receipts import parse_receipts, receipts_call
from toolkit.chain.logs import Log, LogPage, LogScan, Topics
from toolkit.chain.quantities import parse_bytes
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import (
    EndpointMisbehavedError,
    EndpointsDisagreeError,
    IncompleteRangeError,
    MethodUnsupportedError,
    ReadError,
    ReorgedError,
)
from toolkit.models import BlockHeight, Pin, keccak

MOST_BLOCKS: Final = 2_000
"""A check reads every header: it looks at the newest blocks of a list, so many at most."""

_RECEIPTS_AT_ONCE: Final = 10
_BLOOM_BYTES: Final = 256

Found: TypeAlias = dict[tuple[str, int], Log]
CheckProgress: TypeAlias = Callable[[int, int], None]
"""Called with blocks compared and blocks in all; what it raises ends the check."""


@dataclass(frozen=True, slots=True)
class LogCheck:
    """How a list of logs compares with its blocks. Unit: block numbers, counts of blocks.

    `ruled_out` blocks hold no such log by their bloom; `compared` ones have exactly those of
    the list in their receipts; of `unchecked` ones the endpoint gives no receipts. `error` says
    what differs, at `differs_at`, and ended the check.
    """

    from_block: int
    to_block: int
    ruled_out: int = 0
    compared: int = 0
    unchecked: int = 0
    error: ReadError | None = None
    differs_at: int | None = None

    @property
    def holds(self) -> bool:
        """Whether every block in the range agrees with the list."""
        return self.error is None and not self.unchecked


def may_hold(bloom: bytes, scan: LogScan) -> bool:
    """Whether a block with this bloom can hold a log that the scan asks for."""
    bits = int.from_bytes(bloom, "big")

    def has(part: bytes) -> bool:
        mask = _mask(part)
        return bits & mask == mask

    addresses = [bytes.fromhex(address[2:]) for address in scan.addresses]
    return (not addresses or any(map(has, addresses))) and any(
        all(any(map(has, values)) for values in _wanted(topics)) for topics in scan.filters
    )


def _wanted(topics: Topics) -> list[Sequence[bytes]]:
    return [[one] if isinstance(one, bytes) else one for one in topics if one is not None]


def _mask(part: bytes) -> int:
    """The three bits that an address or a topic sets."""
    digest = keccak(part)
    mask = 0
    for place in (0, 2, 4):
        mask |= 1 << (int.from_bytes(digest[place : place + 2], "big") & 2_047)
    return mask


def check_logs(
    transport: Transport,
    scan: LogScan,
    page: LogPage,
    *,
    batch: int = 100,
    progress: CheckProgress | None = None,
) -> LogCheck:
    """Compare the newest blocks of a page, at most MOST_BLOCKS of them, with the chain.

    Errors: none raised for what the endpoint did; the check holds its error.
    """
    if page.covered_from is None or page.covered_to is None:
        pin = page.pin.number
        return LogCheck(pin, pin, error=page.error or _nothing_covered())
    foot = max(page.covered_from, page.covered_to - MOST_BLOCKS + 1)
    checking = _Checking(transport, scan, page, batch)
    for trusts_blooms in (True, False):
        check = LogCheck(foot, page.covered_to)
        try:
            for top in range(page.covered_to, foot - 1, -batch):
                low = max(foot, top - batch + 1)
                check = checking.compare(check, low, top, trusts_blooms=trusts_blooms)
                if check.error is not None:
                    return check
                if progress is not None:
                    progress(page.covered_to - low + 1, page.covered_to - foot + 1)
        except _BloomsAreNotKeptError:
            continue
        except ReadError as error:
            return replace(check, error=error)
        break
    return check


class _BloomsAreNotKeptError(Exception):
    """A block holds a log that its bloom rules out: this chain does not keep them."""


class _Checking:
    """Compares blocks of one page."""

    def __init__(self, transport: Transport, scan: LogScan, page: LogPage, batch: int) -> None:
        self._transport = transport
        self._scan = scan
        self._pin: Pin = page.pin
        self._batch = batch
        self._listed: dict[int, Found] = {}
        for log in page.logs:
            self._listed.setdefault(log.block_number, {})[log.block_hash, log.log_index] = log

    def compare(self, check: LogCheck, foot: int, top: int, *, trusts_blooms: bool) -> LogCheck:
        """Compare the blocks from top to foot. Errors: what the endpoint answered."""
        numbers = range(top, foot - 1, -1)
        headers = self._send([header_call(BlockHeight(number=number)) for number in numbers])
        open_blocks: dict[int, tuple[str, bool]] = {}
        for number, header in zip(numbers, headers, strict=True):
            block_hash, ruled_out = self._seen(number, header)
            if ruled_out and trusts_blooms and number not in self._listed:
                check = replace(check, ruled_out=check.ruled_out + 1)
            else:
                open_blocks[number] = (block_hash, ruled_out)
        numbers_left = list(open_blocks)
        for start in range(0, len(numbers_left), _RECEIPTS_AT_ONCE):
            some = numbers_left[start : start + _RECEIPTS_AT_ONCE]
            receipts = self._send([receipts_call(number) for number in some])
            for number, answer in zip(some, receipts, strict=True):
                block_hash, ruled_out = open_blocks[number]
                check = self._compared(check, number, block_hash, answer)
                if check.error is not None:
                    return check
                if ruled_out and trusts_blooms and number in self._listed:
                    raise _BloomsAreNotKeptError
        return check

    def _seen(self, number: int, header: Any) -> tuple[str, bool]:
        """A block's hash, and whether its bloom rules out what is asked for.

        An empty bloom over transactions may be one that the chain does not keep.
        """
        if isinstance(header, ReadError):
            raise header
        block = parse_header(self._pin.chain_id, header, None)
        bloom = parse_bytes(header.get("logsBloom"), _BLOOM_BYTES, field="logsBloom")
        listed = self._listed.get(number, {})
        expected = {self._pin.number: self._pin.hash}.get(number, block.hash)
        if block.number != number:
            raise EndpointMisbehavedError(
                f"The endpoint answered with block {block.number} where block {number} was asked "
                "for.",
                remedy="Use another endpoint.",
            )
        if block.hash != expected or any(log.block_hash != block.hash for log in listed.values()):
            raise ReorgedError(
                f"Block {number} is another one than the list was read from.",
                remedy="Ask again, or end the range at a finalized block.",
            )
        is_kept = any(bloom) or not header.get("transactions")
        return block.hash, is_kept and not may_hold(bloom, self._scan)

    def _compared(self, check: LogCheck, number: int, block_hash: str, answer: Any) -> LogCheck:
        """Hold a block's receipts against the list."""
        if answer is None or isinstance(answer, MethodUnsupportedError):
            return replace(check, unchecked=check.unchecked + 1)
        held = parse_receipts(answer, self._scan, number, block_hash)
        if error := _difference(number, self._listed.get(number, {}), held):
            return replace(check, error=error, differs_at=number)
        return replace(check, compared=check.compared + 1)

    def _send(self, calls: list[RpcCall]) -> list[Any]:
        """Send calls in as few requests as the endpoint takes."""
        answers: list[Any] = []
        for start in range(0, len(calls), self._batch):
            answers += self._transport.send(calls[start : start + self._batch])
        return answers


def _difference(
    number: int, listed: Mapping[Any, Log], held: Mapping[Any, Log]
) -> ReadError | None:
    """Say how a block's list and its receipts differ, if they do."""
    missing = held.keys() - listed.keys()
    if missing:
        return IncompleteRangeError(
            f"The receipts of block {number} hold {len(missing)} logs that the list lacks.",
            remedy="Do not count from this list; use another endpoint for logs.",
        )
    if listed != held:
        return EndpointsDisagreeError(
            f"The list and the receipts of block {number} tell different logs.",
            remedy="Do not count from this list; use another endpoint for logs.",
        )
    return None


def _nothing_covered() -> IncompleteRangeError:
    return IncompleteRangeError("No block was read, so there is nothing to compare.")
