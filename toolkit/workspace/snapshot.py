"""One pinned block, and every question that is asked of it together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from toolkit.analysis.addresses import Comparison, comparison_calls
from toolkit.analysis.pools import PoolDepth, depth_calls
from toolkit.analysis.transfers import TransferList
from toolkit.chain.logs import LogSlice, Watch
from toolkit.chain.reader import PinnedBlock, Reader, Traffic
from toolkit.errors import InvalidArgumentError, ReorgedError
from toolkit.models import Pin, parse_address
from toolkit.tools import CallsTools, Pins, ToolAnswer, ToolCall
from toolkit.tools.list_recent_transfers import scan_of

Progress: TypeAlias = Callable[[int, int], None]
"""Called with calls done and calls in all; what it raises ends the job between two slices."""

ScanProgress: TypeAlias = Callable[[int, int, int], None]
"""Called with blocks done, blocks in all and logs found; what it raises ends the job, and what
was read until then stays in the store."""

_SLICE = 4_000
_DEFAULT_MOVES = ("0.5", "1", "2", "5", "10")


class Snapshot:
    """Questions to one block. Every answer of a snapshot carries the same pin.

    Errors: each method raises ToolkitError only for what the caller wrote and for a block that
    was reorged away; what single reads did is in the answers.
    """

    def __init__(
        self, tools: CallsTools, reader: Reader, pinned: PinnedBlock, chain_name: str
    ) -> None:
        self._tools = tools
        self._reader = reader
        self.pinned = pinned
        self.chain_name = chain_name
        self._pins = Pins()
        self._pins.hold(pinned)

    @property
    def pin(self) -> Pin:
        """The block that everything here is read at."""
        return self.pinned.pin

    @property
    def traffic(self) -> Traffic:
        """What the chain's reader has asked so far."""
        return self._reader.traffic

    def ask(
        self,
        calls: Sequence[ToolCall],
        progress: Progress | None = None,
        watch: Watch | None = None,
    ) -> list[ToolAnswer]:
        """Answer tool calls at this block, merged, in slices between which a job can be ended.

        Errors: ReorgedError where the block was replaced meanwhile.
        """
        answers: list[ToolAnswer] = []
        for start in range(0, len(calls), _SLICE):
            answers += self._tools.batch(calls[start : start + _SLICE], self._pins, watch)
            if progress is not None:
                progress(len(answers), len(calls))
        for answer in answers:
            if isinstance(answer.error, ReorgedError):
                raise answer.error
        return answers

    def compare(
        self,
        addresses: Sequence[str],
        tokens: Sequence[str],
        *,
        native: bool,
        progress: Progress | None = None,
    ) -> Comparison:
        """Compare what addresses hold of some tokens, and of the coin where `native` is set.

        Errors: InvalidArgumentError for a wrong address or an empty selection.
        """
        holders = _addresses(addresses, "address")
        contracts = _addresses(tokens, "token")
        if not holders or not (contracts or native):
            raise InvalidArgumentError(
                "There is nothing to compare.",
                remedy="Name at least one address, and a token or the native coin.",
            )
        block = self.pin.hash
        calls = comparison_calls(self.pin.chain_id, block, holders, contracts, native=native)
        answers = self.ask(calls, progress)
        return Comparison.of(answers, holders, contracts, native=native)

    def pool_depth(
        self,
        pools: Sequence[str],
        *,
        moves: Sequence[str] = _DEFAULT_MOVES,
        fee_ppm: int | None = None,
        trade: tuple[int, str] | None = None,
        progress: Progress | None = None,
    ) -> PoolDepth:
        """Measure how much each pool takes for a move of its own rate.

        `fee_ppm` is the swap fee where the caller knows it; none is assumed. `trade` is a raw
        amount and the token that goes in. Errors: InvalidArgumentError.
        """
        contracts = _addresses(pools, "pool")
        if not contracts:
            raise InvalidArgumentError("There is no pool to measure.", remedy="Name one or more.")
        answers = self.ask(depth_calls(self.pin.chain_id, self.pin.hash, contracts), progress)
        return PoolDepth.of(answers, contracts, moves=moves, fee_ppm=fee_ppm, trade=trade)

    def transfers(
        self,
        address: str,
        *,
        from_block: int,
        limit: int,
        progress: ScanProgress | None = None,
    ) -> TransferList:
        """List token transfers of an address from a height up to this block, newest first."""
        arguments = {
            "chain_id": self.pin.chain_id,
            "address": address,
            "from_block": from_block,
            "to_block": self.pin.hash,
            "limit": limit,
        }
        watch = None if progress is None else _watched(self.pin.number, from_block, progress)
        answers = self.ask([("list_recent_transfers", arguments)], watch=watch)
        return TransferList.of(answers[0])

    def cross_check(
        self, transfers: TransferList, progress: Progress | None = None
    ) -> TransferList:
        """Compare a list with the blooms and receipts of its newest blocks, and say how it holds.

        Errors: ReadError where no endpoint answers; what differs is in the list's `check`.
        """
        page = transfers.page
        if page is None:
            return transfers
        scan = scan_of(transfers.address, self.pin.number, len(page.logs))
        return replace(transfers, check=self._reader.check_logs(scan, page, progress))


def _watched(top: int, foot: int, progress: ScanProgress) -> Watch:
    """Tell of slices, which come from the top down, in blocks done and logs found."""
    found = 0

    def watch(told: LogSlice) -> None:
        nonlocal found
        found += len(told.logs)
        progress(top - told.from_block + 1, top - foot + 1, found)

    return watch


def _addresses(texts: Sequence[str], what: str) -> list[str]:
    """Check each address, keep the order, drop repetitions.

    Errors: InvalidArgumentError naming each wrong one and its place, the first five of them.
    """
    good: dict[str, None] = {}
    faults: list[str] = []
    for place, text in enumerate(texts, start=1):
        try:
            good[parse_address(text, what)] = None
        except ValueError as error:
            faults.append(f"{what} {place}: {error}")
    if faults:
        more = f" And {len(faults) - 5} more." if len(faults) > 5 else ""
        raise InvalidArgumentError(" ".join(faults[:5]) + more)
    return list(good)
