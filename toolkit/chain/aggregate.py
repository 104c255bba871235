"""Many reads in one eth_call: what each form of it must offer, and what one brings back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from toolkit.chain.reads import BalanceRead, CallRead
from toolkit.chain.transport import RpcCall
from toolkit.models import Pin, Transport

Mergeable: TypeAlias = CallRead | BalanceRead
"""The reads that the EVM itself can answer inside a call."""


@dataclass(slots=True)
class Brought:
    """What an aggregate brought. Unit: seconds since 1970; gas at its start, where it tells.

    `failed` reads are to be asked alone; `unasked` ones were not reached, or may have been
    starved by a neighbour, and are to be asked again.
    """

    timestamp: int
    number: int | None = None
    parent_hash: bytes = b""
    gas: int | None = None
    values: list[tuple[Mergeable, bytes]] = field(default_factory=list)
    failed: list[Mergeable] = field(default_factory=list)
    unasked: list[Mergeable] = field(default_factory=list)

    def is_of(self, pin: Pin, *, parent_hash: bool) -> bool:
        """Whether it ran at the pinned block, by all that it tells of its block.

        `parent_hash` says that this endpoint was seen to tell its parent's: some rollups do not,
        and others tell another chain's number.
        """
        if self.timestamp != pin.timestamp:
            return False
        comparable = parent_hash and self.number == pin.number and any(self.parent_hash)
        return not comparable or "0x" + self.parent_hash.hex() == pin.parent_hash


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Reads that travel inside one eth_call. Unit: `size` in bytes of its calldata.

    `segments` is how the form lays its reads out; they stand in `reads` in the same order.
    """

    form: Form
    reads: tuple[Mergeable, ...]
    size: int
    segments: tuple[tuple[bytes, Sequence[Mergeable]], ...] = ()


class Form(Protocol):
    """A way to put many reads into one eth_call."""

    @property
    def name(self) -> Transport:
        """How a fact says that it travelled so."""

    def takes(self, read: Mergeable) -> bool:
        """Whether a read means the same inside as alone."""

    def aggregates(self, reads: Iterable[Mergeable], *, room: int, gas: int) -> list[Aggregate]:
        """Put reads into as few calls as fit. Unit: bytes of one call's data, gas of one call."""

    def call(self, aggregate: Aggregate, block: Any, *, gas: int) -> RpcCall:
        """Write the eth_call."""

    def understand(self, data: bytes, aggregate: Aggregate) -> Brought:
        """Read what came back. Errors: EndpointMisbehavedError where it does not fit."""
