"""Joins settings, endpoints, store and tools: the one place that knows them all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from toolkit.chain.chains import Chain, Chains, load_chains
from toolkit.chain.health import EndpointHealth
from toolkit.chain.member import Way
from toolkit.chain.pin_time import parse_time
from toolkit.chain.pool import Pool
from toolkit.chain.quorum import Quorum
from toolkit.chain.reader import PinnedBlock, Reader
from toolkit.chain.transport import Transport
from toolkit.config import DEMO_CHAIN_ID, Settings, add_endpoint, data_folder, load_settings
from toolkit.errors import InvalidArgumentError
from toolkit.models import BlockHeight, Unknown, iso_time, parse_block
from toolkit.store import Blocks, CachedReader, Database, Facts, Labels, StoreCounts, count
from toolkit.tools import Coin, Toolset
from toolkit.workspace.demo import Demo, demo_transport, load_demo
from toolkit.workspace.doctor import Doctor, EndpointReport
from toolkit.workspace.endpoints import Endpoints, quorum_of

if TYPE_CHECKING:
    from toolkit.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class ChainChoice:
    """A chain that can be asked here. `endpoints` counts the ways to it."""

    chain_id: int
    name: str
    coin_symbol: str | None
    endpoints: int
    demo: bool


class Workspace:
    """Everything a page, a command or a notebook needs, opened late and shared by threads.

    Nothing is read on a chain that no question names.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        data: Path,
        reload: Callable[[], Settings],
        clock: Callable[[], float] = time.time,
        transports: Mapping[int, Transport] | None = None,
    ) -> None:
        self.settings = settings
        self._reload = reload
        self._data = data
        self._clock = clock
        self.chain_registry: Chains = load_chains(data / "chains.toml")
        self.demo: Demo = load_demo(data)
        self.database = Database(settings.store_folder)
        self.labels = Labels(self.database)
        self._given = dict(transports or {})
        self._endpoints = Endpoints(self.database, clock=clock)
        self._readers: dict[int, Reader] = {}
        self._pools: dict[int, Pool | Quorum] = {}
        self._lock = threading.Lock()
        self.tools = Toolset(self.reader, self._coin)

    def close(self) -> None:
        """Close connections and the store."""
        self._endpoints.close()
        self.database.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def chains(self) -> list[ChainChoice]:
        """The chains that can be asked: those with an endpoint, and the demo."""
        configured = set(self.settings.chain_ids()) | set(self._given)
        return [
            ChainChoice(
                chain_id=chain_id,
                name=self.chain_name(chain_id),
                coin_symbol=self.chain(chain_id).coin_symbol,
                endpoints=sum(e.chain_id == chain_id for e in self.settings.endpoints)
                or int(chain_id in self._given or chain_id == DEMO_CHAIN_ID),
                demo=chain_id == DEMO_CHAIN_ID,
            )
            for chain_id in [*sorted(configured - {DEMO_CHAIN_ID}), DEMO_CHAIN_ID]
        ]

    def chain(self, chain_id: int) -> Chain:
        """What the registry knows of a chain; an unlisted one has a number for a name."""
        return self.chain_registry.of(chain_id)

    def chain_name(self, chain_id: int) -> str:
        """The chain's name, as the registry has it."""
        return self.chain(chain_id).name

    def reader(self, chain_id: int) -> Reader:
        """The reader of a chain: the store first, then the chain's endpoints in their order.

        Nothing is asked of an endpoint before a question needs it. Errors: UnknownChainError
        where no endpoint is configured, InvalidArgumentError for a quorum of one.
        """
        with self._lock:
            if chain_id not in self._readers:
                self._readers[chain_id] = self._open_reader(chain_id)
            return self._readers[chain_id]

    def snapshot(self, *, chain_id: int, block: str | int) -> Snapshot:
        """Pin a block and ask everything of it.

        Errors: InvalidArgumentError, UnknownChainError, and what pinning can end in.
        """
        return self.snapshot_of(self.pin(chain_id=chain_id, block=block))

    def snapshot_of(self, pinned: PinnedBlock) -> Snapshot:
        """Ask questions of a block that is pinned already."""
        # Frames come with polars, which takes longer to load than a single call takes to answer.
        from toolkit.workspace.snapshot import Snapshot  # noqa: PLC0415

        chain_id = pinned.pin.chain_id
        return Snapshot(self.tools, self.reader(chain_id), pinned, self.chain_name(chain_id))

    def pin(self, *, chain_id: int, block: str | int) -> PinnedBlock:
        """Resolve a height, a hash or a tag to one block.

        Errors: InvalidArgumentError, UnknownChainError, and what pinning can end in.
        """
        try:
            named = parse_block(block)
        except ValueError as error:
            raise InvalidArgumentError(f"block: {error}") from None
        return self.reader(chain_id).pin(named)

    def pin_at_time(self, *, chain_id: int, time: str) -> PinnedBlock:
        """Pin the last block at or before an instant, given as ISO 8601 with its zone.

        Errors: InvalidArgumentError, BlockNotFoundError, BlockAheadOfHeadError.
        """
        timestamp = parse_time(time)
        reader = self.reader(chain_id)
        return reader.pin(BlockHeight(number=reader.height_at(timestamp)))

    def add_endpoint(self, *, endpoint_id: str, chain_id: int, url: str) -> Path:
        """Write an endpoint into the user's own settings, and use it from now on.

        Errors: InvalidArgumentError. Not: a check that the endpoint answers; see `doctor`.
        """
        file = add_endpoint(
            self.settings.settings_folder,
            endpoint_id=endpoint_id,
            chain_id=chain_id,
            url=SecretStr(url),
        )
        self.settings = self._reload()
        with self._lock:
            self._readers.pop(chain_id, None)
            self._pools.pop(chain_id, None)
        return file

    def doctor(self, chain_id: int | None = None) -> list[EndpointReport]:
        """Probe every configured endpoint, or those of one chain. Never raises for one."""
        configured = [one for one in self.settings.endpoints if chain_id in (None, one.chain_id)]
        agreeing = [one for one in configured if one.quorum]
        return Doctor(self._endpoints, quorum=agreeing).examine(configured)

    def health(self) -> list[EndpointHealth]:
        """How the endpoints stand that this process has asked. Nothing is asked for it."""
        return [
            one
            for chain_id, pool in list(self._pools.items())
            if chain_id != DEMO_CHAIN_ID
            for one in pool.members.health(all_at_once=isinstance(pool, Quorum))
        ]

    def store_counts(self) -> StoreCounts:
        """What the store holds. Errors: StoreBusyError, StoreUnusableError."""
        return count(self.database)

    def _open_reader(self, chain_id: int) -> Reader:
        agreeing = () if chain_id in self._given else quorum_of(self.settings, chain_id)
        kind = Quorum if agreeing else Pool
        ways = [self._endpoints.way(one) for one in agreeing] if agreeing else self._ways(chain_id)
        reader = kind(
            ways,
            chain_id=chain_id,
            development=self.chain(chain_id).development,
            now=self._now,
            wall_clock=self._clock,
        )
        self._pools[chain_id] = reader
        return CachedReader(reader, Facts(self.database, chain_id), Blocks(self.database, chain_id))

    def _ways(self, chain_id: int) -> list[Way]:
        """The ways to a chain. Errors: UnknownChainError."""
        if chain_id in self._given:
            return [self._given_way(self._given[chain_id], chain_id)]
        if chain_id == DEMO_CHAIN_ID:
            return [self._given_way(demo_transport(self._data), chain_id)]
        return [self._endpoints.way(one) for one in self.settings.endpoints_of(chain_id)]

    def _given_way(self, transport: Transport, chain_id: int) -> Way:
        """A transport that no settings describe; a recording needs no probe."""
        if transport.source != "rpc":
            return Way(transport, lambda: None)
        return Way(transport, lambda: self._endpoints.limits_of_given(transport, chain_id))

    def _coin(self, chain_id: int) -> Coin:
        chain = self.chain(chain_id)
        symbol: Any = chain.coin_symbol or Unknown(
            code="metadata_unknown", message="The registry does not know this chain's coin."
        )
        return Coin(symbol=symbol, decimals=chain.coin_decimals)

    def _now(self) -> str:
        return iso_time(self._clock())


def open_workspace(
    environ: Mapping[str, str],
    working_folder: Path,
    *,
    config_file: Path | None = None,
    store: Path | None = None,
    transports: Mapping[int, Transport] | None = None,
) -> Workspace:
    """Open the workspace that an environment and a folder describe.

    `transports` puts a transport of the caller's own in the place of a chain's endpoints.
    Errors: InvalidArgumentError, UnreadableFileError for broken settings.
    """

    def load() -> Settings:
        settings = load_settings(environ, working_folder, config_file)
        return settings if store is None else replace(settings, store_folder=store)

    return Workspace(load(), data=data_folder(), reload=load, transports=transports)
