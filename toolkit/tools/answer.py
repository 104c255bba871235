"""What became of one tool call: data or an error, and every observation behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolkit.chain.facts import Answer, Fact
from toolkit.chain.logs import LogPage
from toolkit.chain.reader import PinnedBlock
from toolkit.errors import ToolkitError
from toolkit.models import Frozen, Provenance, ToolResult
from toolkit.models.value import value
from toolkit.tools.failure import tool_error
from toolkit.tools.tool import Tool


@value
class Observation:
    """One ask of one call, answered. `value` is what the tool was given for it."""

    field: str
    answer: Answer | LogPage
    value: Any


@dataclass(slots=True)
class ToolAnswer:
    """One call's outcome. Exactly one of `data` and `error` is set.

    Data that is known but not yet looked at may be held as the way to build it.
    `envelope()` is the public form; `observations` are what evidence rows are made of.
    """

    tool: Tool
    arguments: dict[str, Any]
    args: Frozen | None = None
    pinned: PinnedBlock | None = None
    error: ToolkitError | None = None
    observations: list[Observation] = field(default_factory=list)
    store_note: str | None = None
    _data: Frozen | None = field(default=None, init=False, compare=False)
    _build: Callable[[], Frozen] | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def data(self) -> Frozen | None:
        """What the tool found, built when it is first looked at."""
        build = self._build
        if build is not None:
            # In this order another thread finds either the data or the way to build it.
            self._data = build()
            self._build = None
        return self._data

    @data.setter
    def data(self, data: Frozen | None) -> None:
        self._data, self._build = data, None

    def build_later(self, build: Callable[[], Frozen]) -> None:
        """Take the way to build the data instead of the data."""
        self._build = build

    @property
    def ok(self) -> bool:
        """Whether there is data."""
        return self._data is not None or self._build is not None

    @property
    def facts(self) -> list[Fact]:
        """The facts behind the answer, in the order they were asked."""
        return [seen.answer for seen in self.observations if isinstance(seen.answer, Fact)]

    def envelope(self) -> ToolResult[Any]:
        """The public result: data or error, with the provenance of either."""
        return ToolResult[Any](
            data=self.data,
            provenance=self._provenance(),
            error=None if self.error is None else tool_error(self.error),
        )

    def _provenance(self) -> Provenance:
        known: dict[str, Any] = {"tool": self.tool.id, "store_note": self.store_note}
        chain_id = getattr(self.args, "chain_id", None)
        if chain_id is not None:
            known["chain_id"] = chain_id
        if self.pinned is not None:
            pin = self.pinned.pin
            known |= {
                "chain_id": pin.chain_id,
                "block_number": pin.number,
                "block_hash": pin.hash,
                "block_timestamp": pin.time,
                "finality": self.pinned.finality.status,
                "blocks_above": self.pinned.finality.depth,
                "endpoint_id": self.pinned.endpoint_id,
            }
        facts = self.facts
        pages = [seen.answer for seen in self.observations if isinstance(seen.answer, LogPage)]
        witnesses = [fact.witness for fact in facts] + [page.witness for page in pages]
        if witnesses:
            oldest = min(witnesses, key=lambda witness: witness.read_at)
            known |= {
                "source": oldest.source,
                "endpoint_id": oldest.endpoint_id,
                "transport": oldest.transport,
                "assurance": oldest.assurance,
                "read_at": oldest.read_at,
                "from_cache": all(fact.from_cache for fact in facts)
                and all(page.from_cache for page in pages),
                "read_ids": tuple(dict.fromkeys("0x" + fact.read_id.hex() for fact in facts)),
            }
        return Provenance(**known)
