"""A set of tools and the way to call them: one, or many merged into as few reads as possible."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from toolkit.chain.logs import Watch
from toolkit.chain.reader import PinnedBlock, Reader
from toolkit.errors import InvalidArgumentError, ReorgedError, ToolkitError
from toolkit.models import BlockHash, BlockHeight, BlockTag
from toolkit.tools import (
    get_erc20_balance,
    get_native_balance,
    get_pool_reserves,
    get_token_metadata,
    list_recent_transfers,
)
from toolkit.tools.answer import ToolAnswer
from toolkit.tools.runner import CoinBook, Runner
from toolkit.tools.tool import Tool

BUILT_IN: tuple[Tool, ...] = (
    get_native_balance.TOOL,
    get_erc20_balance.TOOL,
    get_token_metadata.TOOL,
    get_pool_reserves.TOOL,
    list_recent_transfers.TOOL,
)

Block: TypeAlias = BlockHeight | BlockHash | BlockTag
ToolCall: TypeAlias = tuple[str, Mapping[str, Any]]


@dataclass(slots=True)
class Pins:
    """The blocks a job has resolved, so that each reference is resolved once in it."""

    resolved: dict[tuple[int, Block], PinnedBlock] = field(default_factory=dict)
    refused: dict[tuple[int, Block], ToolkitError] = field(default_factory=dict)

    def hold(self, pinned: PinnedBlock) -> None:
        """Make a pinned block known under its own hash."""
        self.resolved[pinned.pin.chain_id, BlockHash(hash=pinned.pin.hash)] = pinned

    def resolve(self, reader: Reader, block: Block) -> PinnedBlock:
        """Resolve a reference, asking the reader only the first time, whatever it answers.

        One block under two names, and seen alike, is one object.
        """
        key = (reader.chain_id, block)
        if key in self.refused:
            raise self.refused[key]
        if key not in self.resolved:
            try:
                pinned = reader.pin(block)
            except ToolkitError as error:
                self.refused[key] = error
                raise
            same = (known for known in self.resolved.values() if known == pinned)
            self.resolved[key] = next(same, pinned)
        return self.resolved[key]


class CallsTools(Protocol):
    """The face of a toolset; a policy gate wears the same one."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name."""

    def batch(
        self,
        calls: Sequence[ToolCall],
        pins: Pins | None = None,
        watch: Watch | None = None,
    ) -> list[ToolAnswer]:
        """Answer many calls, in order, with their reads merged; `watch` sees scans go on."""


class Toolset:
    """The tools, bound to readers.

    `readers` gives the reader of a chain; `coins` the chain's coin. Nothing is read on a chain
    that no call names.
    """

    def __init__(
        self,
        readers: Callable[[int], Reader],
        coins: CoinBook,
        tools: Iterable[Tool] = BUILT_IN,
    ) -> None:
        self._readers = readers
        self._coins = coins
        self._tools = {tool.name: tool for tool in tools}

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name."""
        return self._tools

    def tool(self, name: str) -> Tool:
        """Find a tool by its exact name.

        Errors: InvalidArgumentError, naming the tools there are.
        """
        if name not in self._tools:
            raise InvalidArgumentError(
                f"There is no tool {name[:60]!r}.", remedy=f"Tools: {', '.join(self._tools)}."
            )
        return self._tools[name]

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Answer one call.

        Errors: InvalidArgumentError for a tool that does not exist; all else is in the answer.
        """
        self.tool(name)
        return self.batch([(name, arguments)])[0]

    def batch(
        self,
        calls: Sequence[ToolCall],
        pins: Pins | None = None,
        watch: Watch | None = None,
    ) -> list[ToolAnswer]:
        """Answer many calls in order, with their reads merged, each block resolved once.

        `watch` gets each slice of a scan of logs as it comes; what it raises ends the job.
        A job whose pin is reorged away while it runs is run once more, then fails as `reorged`.
        Errors: InvalidArgumentError for a tool that does not exist; all else is in the answers.
        """
        with _collector_paused():
            answers: list[ToolAnswer] = []
            by_chain: defaultdict[int, list[ToolAnswer]] = defaultdict(list)
            for name, given in calls:
                answer = ToolAnswer(self.tool(name), dict(given))
                answers.append(answer)
                try:
                    answer.args = args = answer.tool.parse(answer.arguments)
                except InvalidArgumentError as error:
                    answer.error = error
                    continue
                by_chain[getattr(args, "chain_id")].append(answer)  # noqa: B009
            for chain_id, group in by_chain.items():
                self._run_chain(chain_id, group, pins, watch)
        return answers

    def _run_chain(
        self,
        chain_id: int,
        answers: list[ToolAnswer],
        pins: Pins | None,
        watch: Watch | None,
    ) -> None:
        """Run one chain's calls as one job, once more if a reorg took its block away."""
        try:
            reader = self._readers(chain_id)
            for attempt in (1, 2):
                try:
                    self._run_job(reader, answers, Pins() if pins is None else pins, watch)
                    break
                except ReorgedError:
                    if attempt == 2 or pins is not None:
                        raise
        except ToolkitError as error:
            for answer in answers:
                if answer.pinned is not None or answer.error is None:
                    answer.data, answer.error = None, error
                    answer.observations.clear()
            return
        self._note_store(reader, answers)

    def _run_job(
        self, reader: Reader, answers: list[ToolAnswer], pins: Pins, watch: Watch | None
    ) -> None:
        """Pin, run, confirm: nothing of a job counts until its block is confirmed."""
        ready: list[ToolAnswer] = []
        by_block: dict[Block, PinnedBlock] = {}
        for answer in answers:
            answer.data = answer.error = answer.pinned = None
            answer.observations.clear()
            try:
                block = answer.tool.block_of(answer.args)  # type: ignore[arg-type]
                pinned = by_block.get(block)
                if pinned is None:
                    pinned = by_block[block] = pins.resolve(reader, block)
                answer.pinned = pinned
                ready.append(answer)
            except ReorgedError:
                raise
            except ToolkitError as error:
                answer.error = error
        Runner(reader, self._coins, watch).run(ready)
        for pinned in {id(pinned): pinned for pinned in by_block.values()}.values():
            if pinned.needs_confirmation:
                reader.confirm(pinned)

    @staticmethod
    def _note_store(reader: Reader, answers: list[ToolAnswer]) -> None:
        """Say in the provenance that the store could not be used, where that was so."""
        for note in reader.traffic.notes[:1]:
            for answer in answers:
                answer.store_note = note


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A batch makes many small objects and no cycles: the collector would only walk them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
