"""The registry of well-known chains, and what holds for one that is not in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import ValidationError, model_validator

from toolkit.config import read_toml
from toolkit.errors import UnreadableFileError
from toolkit.models import Address, ChainId, Decimals, Frozen

_WEI_DECIMALS: Final = 18


class Chain(Frozen):
    """What is known of a chain without asking it.

    `coin_symbol` is None where nobody told us. `development` marks ids that many local nodes
    share. `source` says where each entry comes from. Not: an endpoint of the chain.
    """

    chain_id: ChainId
    name: str
    coin_symbol: str | None = None
    coin_decimals: Decimals
    multicall_address: Address | None = None
    multicall_first_block: int | None = None
    development: bool = False
    source: str

    @model_validator(mode="after")
    def _both_or_neither(self) -> Chain:
        if (self.multicall_address is None) != (self.multicall_first_block is None):
            raise ValueError("Multicall3 needs its address and its first block.")
        return self


class Chains:
    """The registry: any chain id has an entry, known or not."""

    def __init__(self, chains: tuple[Chain, ...]) -> None:
        self._by_id = {chain.chain_id: chain for chain in chains}

    def __iter__(self) -> Iterator[Chain]:
        return iter(self._by_id.values())

    def __contains__(self, chain_id: object) -> bool:
        return chain_id in self._by_id

    def of(self, chain_id: int) -> Chain:
        """The chain with this id; one that is not listed has a number for a name."""
        return self._by_id.get(chain_id) or Chain(
            chain_id=chain_id,
            name=f"chain {chain_id}",
            coin_decimals=_WEI_DECIMALS,
            source="not in the registry; 18 decimals is the EVM's own unit of wei",
        )


def load_chains(file: Path) -> Chains:
    """Read the registry, usually `data_folder() / "chains.toml"`.

    Errors: UnreadableFileError naming the file and the entry.
    """
    chains: list[Chain] = []
    for number, table in enumerate(read_toml(file).get("chain", []), start=1):
        try:
            chains.append(Chain.model_validate(table))
        except ValidationError as error:
            raise UnreadableFileError(
                f"The file {file} is wrong at chain {number}: {error.errors()[0]['msg']}.",
                remedy="Mend the entry.",
            ) from None
    if len({chain.chain_id for chain in chains}) != len(chains):
        raise UnreadableFileError(
            f"The file {file} names a chain id twice.", remedy="Keep one entry of it."
        )
    return Chains(tuple(chains))
