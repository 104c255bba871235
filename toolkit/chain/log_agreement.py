"""Whether several endpoints tell the same logs of one range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolkit.chain.agreement import Told, apart_at, disagree, shown
from toolkit.chain.facts import Witness
from toolkit.chain.failover import all_refused
from toolkit.chain.log_joining import nothing_of
from toolkit.chain.logs import Log, LogPage, LogScan, LogSlice
from toolkit.errors import EndpointsDisagreeError

_NO_LOG: Final = "that there is no such log"


def agreed_page(scan: LogScan, told: Told[LogPage], least: int) -> LogPage:
    """The page that enough endpoints tell alike, on the heights that they all cover.

    Where they differ in any log the page covers nothing and its error says who says what;
    where too few of them cover anything, its error is their own.
    """
    pages = sorted(told, key=lambda pair: _foot(scan, pair[1]))
    reference = pages[0][1]
    foot = _foot(scan, pages[least - 1][1])
    for name, page in pages[1:]:
        overlap = max(foot, _foot(scan, page))
        if found := _difference(pages[0], (name, page), overlap):
            return nothing_of(reference.pin, scan, found, reference.witness)
    if foot > scan.to_block and not all(_alike(reference, page) for _, page in pages[:least]):
        refused = [(name, page.error) for name, page in told if page.error is not None]
        if refused:
            return nothing_of(reference.pin, scan, all_refused(refused), reference.witness)
    if foot == _foot(scan, reference):
        return _vouched(reference)
    return _vouched(_cut(reference, foot, pages[least - 1][1]))


def agreed_slices(slices: Sequence[LogSlice], page: LogPage) -> list[LogSlice]:
    """The slices of one endpoint that lie whole in what was agreed upon."""
    if page.covered_from is None:
        return []
    return [
        replace(one, witness=vouched(one.witness))
        for one in slices
        if one.from_block >= page.covered_from
    ]


def vouched(witness: Witness) -> Witness:
    """The witness, in the name of a quorum."""
    return replace(witness, assurance="quorum")


def _foot(scan: LogScan, page: LogPage) -> int:
    """The lowest height that a page covers; above the range where it covers none."""
    return scan.to_block + 1 if page.covered_from is None else page.covered_from


def _alike(one: LogPage, other: LogPage) -> bool:
    return one.error is None and other.error is None and set(one.logs) == set(other.logs)


def _difference(
    one: tuple[str, LogPage], other: tuple[str, LogPage], foot: int
) -> EndpointsDisagreeError | None:
    """The topmost log on which two pages differ at or above a height."""
    ours, theirs = (_by_place(page, foot) for _, page in (one, other))
    if ours == theirs:
        return None
    places = {place for place in {*ours, *theirs} if ours.get(place) != theirs.get(place)}
    place = max(places, key=lambda at: (_height(ours, theirs, at), at))
    told = [(one[0], ours.get(place)), (other[0], theirs.get(place))]
    apart = apart_at([_said(log) for _, log in told if log is not None])
    sayings = [(name, _NO_LOG if log is None else shown(_said(log), apart)) for name, log in told]
    return disagree(f"log {place[1]} of block {place[0]}", sayings)


def _by_place(page: LogPage, foot: int) -> dict[tuple[str, int], Log]:
    return {(log.block_hash, log.log_index): log for log in page.logs if log.block_number >= foot}


def _height(
    ours: dict[tuple[str, int], Log], theirs: dict[tuple[str, int], Log], place: tuple[str, int]
) -> int:
    return (ours.get(place) or theirs[place]).block_number


def _said(log: Log) -> bytes:
    """Who emitted a log in which transaction, its topics and its data."""
    place = bytes.fromhex(log.transaction_hash[2:] + log.address[2:])
    return b"".join(log.topics) + log.data + place


def _cut(page: LogPage, foot: int, shorter: LogPage) -> LogPage:
    """What two pages of different reach have in common."""
    return replace(
        page,
        logs=tuple(log for log in page.logs if log.block_number >= foot),
        complete=False,
        covered_from=foot if foot <= (page.covered_to or -1) else None,
        covered_to=page.covered_to if foot <= (page.covered_to or -1) else None,
        stopped_because=shorter.stopped_because,
        error=shorter.error,
        left=shorter.left,
        parts=tuple(
            replace(part, from_block=max(part.from_block, foot))
            for part in page.parts
            if part.to_block >= foot
        ),
        unproven=tuple(number for number in page.unproven if number >= foot),
    )


def _vouched(page: LogPage) -> LogPage:
    """The page in the name of a quorum."""
    parts = tuple(replace(part, witness=vouched(part.witness)) for part in page.parts)
    return replace(page, witness=vouched(page.witness), parts=parts)
