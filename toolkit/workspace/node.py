"""The notebook's front door: a chain, a block of it, and the questions asked of that block."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from toolkit.chain.web3_provider import Web3Transport
from toolkit.config import DEMO_CHAIN_ID
from toolkit.errors import InvalidArgumentError
from toolkit.models import ChainId, Pin, ToolResult
from toolkit.workspace.demo import Demo
from toolkit.workspace.readings import (
    BalanceReading,
    ComparisonReading,
    DepthReading,
    TransfersReading,
)
from toolkit.workspace.snapshot import ScanProgress, Snapshot
from toolkit.workspace.tables import hash_line, pin_line
from toolkit.workspace.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from web3 import Web3

_LANGUAGE = "en"
_CHAIN_ID: Final[TypeAdapter[int]] = TypeAdapter(ChainId)

R = TypeVar("R")


class PinnedNode:
    """One block of one chain. Everything that is asked of it carries the same pin."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @property
    def pin(self) -> Pin:
        """The block: number, hash, time and state root."""
        return self._snapshot.pin

    def erc20_balances(self, *, token: str, holders: Sequence[str]) -> BalanceReading:
        """Read what holders have of one token. Errors: InvalidArgumentError, ReorgedError."""
        return BalanceReading(self._snapshot.compare(_listed(holders), [token], native=False))

    def native_balances(self, addresses: Sequence[str]) -> BalanceReading:
        """Read what addresses have of the chain's coin. Errors: as `erc20_balances`."""
        return BalanceReading(self._snapshot.compare(_listed(addresses), [], native=True))

    def compare(
        self, *, addresses: Sequence[str], tokens: Sequence[str], native: bool
    ) -> ComparisonReading:
        """Compare what addresses hold of tokens, and of the coin where `native` is set."""
        compared = self._snapshot.compare(_listed(addresses), _listed(tokens), native=native)
        return ComparisonReading(compared)

    def pool_depth(
        self,
        pools: Sequence[str],
        *,
        moves: Sequence[str],
        fee_ppm: int | None = None,
        trade: tuple[int, str] | None = None,
    ) -> DepthReading:
        """Measure what moves each pool's own rate by these percentages.

        `fee_ppm` is the swap fee where you know it; none is assumed. `trade` is a raw amount
        and the token that goes in. Errors: InvalidArgumentError, ReorgedError.
        """
        depth = self._snapshot.pool_depth(
            _listed(pools), moves=_listed(moves), fee_ppm=fee_ppm, trade=trade
        )
        return DepthReading(depth)

    def transfers(
        self,
        address: str,
        *,
        from_block: int,
        limit: int,
        progress: ScanProgress | None = None,
    ) -> TransfersReading:
        """List token transfers of an address from a height up to this block, newest first.

        `progress` is called with blocks done, blocks in all and logs found.
        """
        transfers = self._snapshot.transfers(
            address, from_block=from_block, limit=limit, progress=progress
        )
        return TransfersReading(transfers)

    def _lines(self) -> tuple[str, ...]:
        traffic = self._snapshot.traffic
        pinned = self._snapshot.pinned
        return (
            self._snapshot.chain_name,
            pin_line(pinned, _LANGUAGE),
            hash_line(pinned.pin, _LANGUAGE),
            f"{traffic.requests} requests, {traffic.facts_cached} facts from the store",
            *traffic.notes[:1],
        )

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return "".join(f"<div><code>{escape(line)}</code></div>" for line in self._lines())


class Node:
    """A way to one chain. Nothing is read before a block is named."""

    def __init__(self, workspace: Workspace, chain_id: int) -> None:
        self._workspace = workspace
        self.chain_id = chain_id

    @property
    def holds(self) -> Demo:
        """What the demo holds: names of accounts, tokens and pools.

        Errors: InvalidArgumentError on any other chain, which nobody can list.
        """
        if self.chain_id != DEMO_CHAIN_ID:
            raise InvalidArgumentError(f"Only the demo can be listed; this is {self.chain_id}.")
        return self._workspace.demo

    def at(self, *, block: str | int | None = None, time: str | None = None) -> PinnedNode:
        """Pin a block by height, hash or tag, or the last one at or before a time with its zone.

        Errors: InvalidArgumentError unless exactly one is given, and what pinning can end in.
        """
        if (block is None) == (time is None):
            raise InvalidArgumentError(
                "Name the block, by exactly one of block and time.",
                remedy="There is no default block: write block=... or time='2026-03-01T08:00:00Z'.",
            )
        if time is not None:
            pinned = self._workspace.pin_at_time(chain_id=self.chain_id, time=time)
            return PinnedNode(self._workspace.snapshot_of(pinned))
        named = "" if block is None else block
        return PinnedNode(self._workspace.snapshot(chain_id=self.chain_id, block=named))

    def close(self) -> None:
        """Close connections and the store."""
        self._workspace.close()

    def __repr__(self) -> str:
        return f"<chain {self.chain_id}, {self._workspace.chain_name(self.chain_id)}; price-free>"


def connect(*, chain_id: int, endpoint: str | None = None, web3: Web3 | None = None) -> Node:
    """Open the way to a chain: by its configured endpoints, or through a Web3 object's provider.

    `endpoint` is a name from the settings and makes it the only one that is asked.
    Errors: InvalidArgumentError, UnknownChainError, UnreadableFileError for broken settings.
    """
    if web3 is not None and endpoint is not None:
        raise InvalidArgumentError("Give an endpoint's name or a Web3 object, not both.")
    chain_id = _checked_chain_id(chain_id)
    if web3 is not None and not hasattr(getattr(web3, "provider", None), "make_request"):
        raise InvalidArgumentError(
            f"web3 is a {type(web3).__name__}, not a Web3 object with a provider.",
            remedy="Give web3=Web3(Web3.HTTPProvider(...)), or leave it out.",
        )
    transports = {} if web3 is None else {chain_id: Web3Transport(web3)}
    workspace = open_workspace(os.environ, Path.cwd(), transports=transports)
    if web3 is None and chain_id != DEMO_CHAIN_ID:
        workspace.settings.endpoints_of(chain_id)
        if endpoint is not None:
            # Pin and reads must come from the endpoint that was named: no other, and no quorum.
            chosen = workspace.settings.endpoint(chain_id, endpoint)
            alone = chosen.model_copy(update={"quorum": False})
            workspace.settings = replace(workspace.settings, endpoints=(alone,))
    return Node(workspace, chain_id)


def demo() -> Node:
    """Open the shipped demo chain. It needs no network, and nothing on it is real."""
    return connect(chain_id=DEMO_CHAIN_ID)


def call(tool: str, **arguments: Any) -> ToolResult[Any]:
    """Ask one tool one question and get its envelope: data or error, and the provenance.

    Errors: InvalidArgumentError for a tool that does not exist; all else is in the envelope.
    """
    with open_workspace(os.environ, Path.cwd()) as workspace:
        return workspace.tools.call(tool, arguments).envelope()


def _checked_chain_id(chain_id: int) -> int:
    """Refuse what is no chain id before anything is set up for it."""
    try:
        return _CHAIN_ID.validate_python(chain_id)
    except ValidationError:
        raise InvalidArgumentError(
            f"{str(chain_id)[:40]!r} is not a chain id.",
            remedy="Write its number: chain_id=1 is Ethereum.",
        ) from None


def _listed(texts: Sequence[str]) -> Sequence[str]:
    """Refuse a text where a list of texts belongs: Python would read it letter by letter."""
    if isinstance(texts, str):
        raise InvalidArgumentError(
            f"{texts[:60]!r} stands alone where a list belongs.",
            remedy="Put it in brackets: [...].",
        )
    return texts
