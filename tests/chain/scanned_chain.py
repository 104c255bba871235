"""A chain of any length for scans through a whole reader: pins, reorgs, finality and logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.chain.scanned_node import FILTERS, NOW, fits, header_of, log_at
from toolkit.chain.logs import LogPage, LogScan, Watch
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.rpc_reader import RpcReader
from toolkit.errors import MethodUnsupportedError
from toolkit.models import BlockHash, BlockHeight
from toolkit.store import Blocks, CachedReader, Database, Facts


@dataclass
class ScannedChain:
    """A transport over a chain. `logs_in` gives how many logs a height has.

    A reorg gives every block from `forked_at` on the hash of another branch.
    """

    head: int = 1_000
    final: int = 1_000
    logs_in: Callable[[int], int] = lambda number: int(number % 100 == 0)
    forked_at: int | None = None
    branch: int = 0
    takes_batches: bool = True
    endpoint_id: str = "endpoint"
    source: str = "rpc"
    requests: int = 0
    slices: list[tuple[int, int]] = field(default_factory=list)
    sent: list[tuple[str, ...]] = field(default_factory=list)
    changed: dict[str, Any] = field(default_factory=dict)

    def send(self, calls):
        self.requests += 1
        self.sent.append(tuple(call.method for call in calls))
        return [getattr(self, call.method)(*call.params) for call in calls]

    def reorg(self, height: int) -> None:
        """Replace all blocks from a height on."""
        self.forked_at = height
        self.branch += 1

    def hash_of(self, number: int) -> str:
        forked = self.forked_at is not None and number >= self.forked_at
        return f"0x{self.branch if forked else 0:032x}{number:032x}"

    def eth_chainId(self):  # noqa: N802
        return "0x1"

    def eth_getBlockByNumber(self, name, _whole):  # noqa: N802
        tags = {"latest": self.head, "safe": self.final, "finalized": self.final}
        number = tags[name] if name in tags else int(name, 16)
        if number > self.head:
            return None
        parent = self.hash_of(max(number - 1, 0))
        return header_of(number) | {"hash": self.hash_of(number), "parentHash": parent}

    def eth_getBlockByHash(self, name, _whole):  # noqa: N802
        number = int(name[34:], 16)
        return (
            self.eth_getBlockByNumber(hex(number), False) if self.hash_of(number) == name else None
        )

    def eth_getLogs(self, wanted):  # noqa: N802
        foot, top = int(wanted["fromBlock"], 16), int(wanted["toBlock"], 16)
        self.slices.append((foot, top))
        return [log for log in self._logs(foot, top) if fits(wanted["topics"], log["topics"])]

    def eth_getBlockReceipts(self, _name):  # noqa: N802
        return MethodUnsupportedError("No such method.")

    def _logs(self, foot: int, top: int) -> Iterator[dict[str, Any]]:
        for number in range(foot, min(top, self.head) + 1):
            for index in range(self.logs_in(number)):
                yield log_at(number, index, blockHash=self.hash_of(number), **self.changed)

    @property
    def asked(self) -> list[tuple[int, int]]:
        """The ranges that logs were asked of, each once; forgets them."""
        ranges = list(dict.fromkeys(self.slices))
        self.slices.clear()
        return ranges


class Asker:
    """Asks for logs as a job does: pin, scan, confirm; through a store or without one."""

    def __init__(self, chain: ScannedChain, store: Database | None = None) -> None:
        rpc = RpcReader(chain, chain_id=1, development=False, now=lambda: NOW)
        self.rpc = rpc
        self.reader = rpc if store is None else CachedReader(rpc, Facts(store, 1), Blocks(store, 1))

    def pin(self, block: int | str) -> PinnedBlock:
        named = BlockHeight(number=block) if isinstance(block, int) else BlockHash(hash=block)
        return self.reader.pin(named)

    def ask(
        self,
        block: int | str,
        first: int = 1,
        *,
        limit: int = 10**6,
        watch: Watch | None = None,
    ) -> LogPage:
        """Read logs up to a block as one job."""
        pinned = self.pin(block)
        scan = LogScan(FILTERS, first, pinned.pin.number, limit)
        page = self.reader.scan(pinned.pin, scan, watch)
        if pinned.needs_confirmation:
            self.reader.confirm(pinned)
        return page
