"""What became of a read: a fact with its witness, or a failure. Never a guess in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolkit.chain.reads import Read
from toolkit.errors import ReadError
from toolkit.models import Assurance, Transport
from toolkit.models.value import value


@value
class Value:
    """The answer's bytes. A balance or nonce is 32 bytes big-endian; proven empty is b""."""

    data: bytes


@value
class Reverted:
    """The contract reverted, deterministically, with these bytes."""

    data: bytes


@value
class NoCode:
    """A call went to an address that provably has no code at this block."""


Outcome: TypeAlias = Value | Reverted | NoCode
"""What may be kept for ever: everything else (timeouts, nulls, pruned state) is a failure."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Who said so, when, and how it travelled. Unit: `read_at` ISO 8601 UTC with Z."""

    endpoint_id: str
    read_at: str
    transport: Transport
    assurance: Assurance = "single"
    source: Literal["rpc", "recording"] = "rpc"


@value
class Fact:
    """One outcome of one read at one pin.

    `read` is the read that proves the outcome: where a contract refuses the reader's caller
    it is the same call from NO_CALLER, so it may differ from the read that was asked.
    """

    read: Read
    read_id: bytes
    outcome: Outcome
    witness: Witness
    from_cache: bool = False


@value
class Failure:
    """A read that gave no outcome, and why. Never stored."""

    read: Read
    error: ReadError


Answer: TypeAlias = Fact | Failure
