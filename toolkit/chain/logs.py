"""A scan of event logs below a pin: what is asked, what came back, and how complete it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from toolkit.chain.facts import Witness
from toolkit.errors import ReadError
from toolkit.models import Pin

Topics: TypeAlias = tuple[bytes | None, ...]
"""One filter: a value per position, None where any value will do."""


@dataclass(frozen=True, slots=True)
class LogScan:
    """Logs that match any of `filters`, in a range of heights that ends at the pin or below.

    The scan runs from the top down and stops once `limit` logs are found.
    Source: eth_getLogs. Not: pending logs, ranges past the pin.
    """

    filters: tuple[Topics, ...]
    from_block: int
    to_block: int
    limit: int
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """One event log, identified by its block's hash and its index in that block.

    Shape: none to four topics of 32 bytes each, at least those that the filter names. What an
    event's name promises beyond that is a contract's word: check before taking it apart.
    """

    block_number: int
    block_hash: str
    log_index: int
    transaction_hash: str
    address: str
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class LogPage:
    """Logs newest first, the heights really covered, and why the scan stopped.

    `complete` is true only when every height asked for was read and nothing was cut.
    `stopped_because` is None, "limit", or the code of `error`.
    """

    pin: Pin
    logs: tuple[Log, ...]
    complete: bool
    covered_from: int | None
    covered_to: int | None
    stopped_because: str | None
    witness: Witness
    error: ReadError | None = None
