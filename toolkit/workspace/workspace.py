"""Joins settings, endpoints, store and tools: the one place that knows them all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from toolkit.chain.chains import Chain, Chains, load_chains
from toolkit.chain.limits import Limits
from toolkit.chain.pin_time import parse_time
from toolkit.chain.reader import PinnedBlock, Reader
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import Transport
from toolkit.config import DEMO_CHAIN_ID, Settings, add_endpoint, data_folder, load_settings
from toolkit.errors import InvalidArgumentError
from toolkit.models import BlockHeight, Unknown, iso_time, parse_block
from toolkit.store import Blocks, CachedReader, Database, Facts, Labels, StoreCounts, count
from toolkit.tools import Coin, Toolset
from toolkit.workspace.demo import Demo, demo_transport, load_demo
from toolkit.workspace.endpoints import EndpointReport, Endpoints

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
        """The reader of a chain: the store first, then the chain's first endpoint.

        Errors: UnknownChainError where no endpoint is configured, and what a probe can end in.
        """
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
        self._readers.pop(chain_id, None)
        return file

    def doctor(self, chain_id: int | None = None) -> list[EndpointReport]:
        """Probe every configured endpoint, or those of one chain. Never raises for one."""
        return [
            self._endpoints.report(endpoint)
            for endpoint in self.settings.endpoints
            if chain_id in (None, endpoint.chain_id)
        ]

    def store_counts(self) -> StoreCounts:
        """What the store holds. Errors: StoreBusyError, StoreUnusableError."""
        return count(self.database)

    def _open_reader(self, chain_id: int) -> Reader:
        chain = self.chain(chain_id)
        transport: Transport
        limits: Limits | None
        if chain_id in self._given:
            transport = self._given[chain_id]
            limits = (
                self._endpoints.limits_of_given(transport, chain_id)
                if transport.source == "rpc"
                else None
            )
        elif chain_id == DEMO_CHAIN_ID:
            transport, limits = demo_transport(self._data), None
        else:
            settings = self.settings.endpoint(chain_id)
            transport, limits = self._endpoints.open(settings)
        reader = RpcReader(
            transport,
            chain_id=chain_id,
            development=chain.development,
            now=self._now,
            limits=limits,
        )
        return CachedReader(reader, Facts(self.database, chain_id), Blocks(self.database, chain_id))

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
