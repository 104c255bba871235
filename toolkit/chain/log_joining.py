"""Puts pages of one scan together that different endpoints have told."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from toolkit.chain.facts import Witness
from toolkit.chain.logs import LogPage, LogScan
from toolkit.errors import ReadError
from toolkit.models import Pin


def what_is_left(scan: LogScan, page: LogPage) -> LogScan:
    """What has still to be read after a page that ended in an error.

    A page that covers all and proves not all of it has to be read anew.
    """
    if page.left is None:
        return scan
    counted = sum(len(log.topics) >= scan.counted_topics for log in page.logs)
    lowest, highest = page.left
    return replace(scan, from_block=lowest, to_block=highest, limit=scan.limit - counted)


def joined(upper: LogPage, lower: LogPage) -> LogPage:
    """One page of what `upper` covered and of what was left of it."""
    if upper.left is None:
        return lower if lower.error is None else upper
    if upper.covered_from is None:
        return lower
    nothing_more = lower.covered_from is None
    parts = (*upper.parts, *lower.parts)
    witnesses = [part.witness for part in parts] or [upper.witness]
    return replace(
        lower,
        logs=(*upper.logs, *lower.logs),
        covered_from=upper.covered_from if nothing_more else lower.covered_from,
        covered_to=upper.covered_to,
        witness=min(witnesses, key=attrgetter("read_at")),
        parts=parts,
        unproven=(*upper.unproven, *lower.unproven),
    )


def nothing_of(pin: Pin, scan: LogScan, error: ReadError, witness: Witness) -> LogPage:
    """The page of an endpoint that told nothing."""
    return LogPage(
        pin=pin,
        logs=(),
        complete=False,
        covered_from=None,
        covered_to=None,
        stopped_because=error.code,
        witness=witness,
        error=error,
        left=(scan.from_block, scan.to_block),
    )
