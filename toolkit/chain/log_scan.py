"""Reads event logs from the pin downwards, in slices, and says how far it got."""

from __future__ import annotations

from collections.abc import Callable

from toolkit.chain.log_collecting import LogCollector, refuse_range
from toolkit.chain.log_slices import DoubtedSlice, LogSlices
from toolkit.chain.log_width import LogLimits, SliceWidth
from toolkit.chain.logs import LogPage, LogPart, LogScan, Watch
from toolkit.chain.transport import Transport
from toolkit.errors import RangeTooLargeError, ReadError, RequestTooLargeError, RpcRefusedError
from toolkit.models import Pin


def scan_logs(
    transport: Transport,
    pin: Pin,
    scan: LogScan,
    *,
    now: Callable[[], str],
    batch: int = 100,
    limits: LogLimits | None = None,
    watch: Watch | None = None,
) -> LogPage:
    """Scan from the top of the range down until its foot, the limit, or an error.

    A slice that the endpoint refuses is narrowed by what its text proposes, else halved; so is
    one whose count looks like a silent cap. A slice of one block that it refuses ends the scan,
    and so does a second timeout in a row. What was read up to then is kept and said. `limits`
    are used, and learned from what happens. `watch` gets each slice before it
    counts, and may raise to stop.
    Unit: `batch` counts the calls that the endpoint takes in one request.
    """
    limits = LogLimits() if limits is None else limits
    batched = batch > len(scan.filters)
    slices = LogSlices(transport, pin, scan, limits, now=now, batched=batched)
    collector = LogCollector(pin, scan)
    width = SliceWidth(limits)
    error: ReadError | None = None
    try:
        refuse_range(pin, scan)
        while not collector.done:
            _read_next(slices, collector, width, scan, watch)
    except ReadError as refused:
        error = refused
    return collector.page(slices.witness, error)


def _read_next(
    slices: LogSlices,
    collector: LogCollector,
    width: SliceWidth,
    scan: LogScan,
    watch: Watch | None,
) -> None:
    """Try the next slice down; one that is refused or doubted makes the next try narrower.

    Errors: what ends the scan.
    """
    top = collector.next_top
    foot = max(scan.from_block, top - width.now + 1)
    try:
        found = slices.read(foot, top)
    except DoubtedSlice:
        width.doubted(top - foot + 1)
        return
    except ReadError as refused:
        if width.refused(refused, top - foot + 1):
            return
        raise _of_one_block(refused, top) from None
    if watch is not None:
        watch(found)
    part = LogPart(foot, top, found.witness)
    collector.add(found.logs, part, proven=found.proven)
    width.answered(top - foot + 1, len(found.logs))


def _of_one_block(error: ReadError, block_number: int) -> ReadError:
    """Name the block where the endpoint's refusal says nothing better."""
    if not isinstance(error, RpcRefusedError | RequestTooLargeError | RangeTooLargeError):
        return error
    return RangeTooLargeError(
        f"The endpoint refuses the logs of block {block_number}, even alone.",
        remedy="Use another endpoint for logs.",
    )
