"""Puts slices of a scan together, top down, and says exactly what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final

from toolkit.chain.facts import Witness
from toolkit.chain.logs import Log, LogPage, LogPart, LogScan
from toolkit.errors import IncompleteRangeError, RangeTooLargeError, ReadError
from toolkit.models import Pin

ODD_KEPT: Final = 1_000
"""So many logs that do not count are kept beside those that do."""

_newest = attrgetter("block_number", "log_index")


def newest_first(logs: Iterable[Log]) -> list[Log]:
    """Put logs into the order of a page."""
    return sorted(logs, key=_newest, reverse=True)


def refuse_range(pin: Pin, scan: LogScan) -> None:
    """Refuse a range that is reversed or ends past the pin, whatever a node would say of it.

    Errors: RangeTooLargeError.
    """
    if not 0 <= scan.from_block <= scan.to_block <= pin.number:
        raise RangeTooLargeError(
            f"The range from {scan.from_block} to {scan.to_block} does not lie at or below "
            f"block {pin.number}, which is the pin.",
            remedy=f"Choose from_block at or below {pin.number}.",
        )


class LogCollector:
    """Holds the rows that a page will have, never more, however long the scan."""

    def __init__(self, pin: Pin, scan: LogScan) -> None:
        self._pin = pin
        self._scan = scan
        self._logs: list[Log] = []
        self._counted = 0
        self._cut_at: int | None = None
        self._covered_from: int | None = None
        self._parts: list[LogPart] = []
        self._unproven: list[int] = []

    @property
    def next_top(self) -> int:
        """The highest block that was not read yet."""
        return self._scan.to_block if self._covered_from is None else self._covered_from - 1

    @property
    def done(self) -> bool:
        """Whether nothing more is to be read."""
        return self._is_full or self.next_top < self._scan.from_block

    @property
    def missing(self) -> int:
        """How many more logs that count the page takes."""
        return self._scan.limit - self._counted

    @property
    def room(self) -> int:
        """How many more logs the page takes; one more than that shows that it was cut."""
        return self.missing + self._room_for_odd

    @property
    def _room_for_odd(self) -> int:
        if not self._scan.counted_topics:
            return 0
        return ODD_KEPT - (len(self._logs) - self._counted)

    @property
    def _is_full(self) -> bool:
        no_more_odd = self._scan.counted_topics > 0 and self._room_for_odd <= 0
        return self._cut_at is not None or self.missing <= 0 or no_more_odd

    def add(self, logs: Sequence[Log], part: LogPart, *, proven: bool = True) -> None:
        """Take the next slice down. Shape: logs newest first."""
        counted = sum([len(log.topics) >= self._scan.counted_topics for log in logs])
        odd = len(logs) - counted
        if not self._is_full and counted <= self.missing and odd <= self._room_for_odd:
            self._logs += logs
            self._counted += counted
        else:
            self._add_until_full(logs)
        self._covered_from = part.from_block
        if not proven:
            self._unproven.append(part.from_block)
        self._add_part(part)

    def _add_until_full(self, logs: Sequence[Log]) -> None:
        for log in logs:
            if self._is_full:
                self._cut_at = log.block_number
                break
            self._logs.append(log)
            self._counted += len(log.topics) >= self._scan.counted_topics

    def join(self, page: LogPage) -> None:
        """Take the page of a scan that went on from `next_top`, for what was `missing`."""
        self._logs += page.logs
        self._counted += sum(len(log.topics) >= self._scan.counted_topics for log in page.logs)
        self._unproven += page.unproven
        if page.covered_from is not None:
            self._covered_from = page.covered_from
        if page.stopped_because == "limit" and page.left is not None:
            self._cut_at = page.left[1]
        for part in page.parts:
            self._add_part(part)

    def _add_part(self, part: LogPart) -> None:
        last = self._parts[-1] if self._parts else None
        if last and (last.witness, last.from_cache) == (part.witness, part.from_cache):
            self._parts[-1] = replace(last, from_block=part.from_block)
        else:
            self._parts.append(part)

    def page(self, witness: Witness, error: ReadError | None = None) -> LogPage:
        """Say what was found, and exactly what that leaves out.

        `witness` is who was asked, for a page that covers nothing.
        """
        lowest = self._scan.from_block
        bottom = self.next_top if self._cut_at is None else self._cut_at
        # The block of the first log left out was read, but is not whole in this page.
        unread = bottom >= lowest
        unproven = tuple(number for number in self._unproven if number > bottom)
        if error is None and not unread and unproven:
            error = _unproven_error(unproven)
        stopped = error.code if error else "limit" if unread else None
        if self._cut_at is not None:
            stopped, error = "limit", None
        covers = bottom < self._scan.to_block
        return LogPage(
            pin=self._pin,
            logs=tuple(self._logs),
            complete=stopped is None,
            covered_from=bottom + 1 if covers else None,
            covered_to=self._scan.to_block if covers else None,
            stopped_because=stopped,
            witness=_oldest(self._parts, witness),
            error=error,
            left=(lowest, bottom) if unread else None,
            parts=tuple(self._parts),
            unproven=unproven,
        )


def _oldest(parts: Sequence[LogPart], otherwise: Witness) -> Witness:
    return min((part.witness for part in parts), key=attrgetter("read_at"), default=otherwise)


def _unproven_error(unproven: Sequence[int]) -> IncompleteRangeError:
    more = f" and {len(unproven) - 1} more" if len(unproven) > 1 else ""
    return IncompleteRangeError(
        f"The number of logs told for block {unproven[0]}{more} looks like the most that the "
        "endpoint gives, and it offers no receipts to look behind it: some may be missing.",
        remedy="Use another endpoint for logs.",
    )
