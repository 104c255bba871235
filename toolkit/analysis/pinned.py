"""One pin for everything on a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolkit.chain.reader import PinnedBlock
from toolkit.errors import MixedPinsError
from toolkit.models import parse_address
from toolkit.tools import ToolAnswer


def one_pin(answers: Iterable[ToolAnswer]) -> PinnedBlock | None:
    """Find the block that all answers with data were read at; None where nothing was pinned.

    Errors: MixedPinsError where two answers with data stand at different blocks.
    """
    data_pin: PinnedBlock | None = None
    any_pin: PinnedBlock | None = None
    for answer in answers:
        any_pin = any_pin or answer.pinned
        if not answer.ok or answer.pinned is None or answer.pinned is data_pin:
            continue
        if data_pin is not None and data_pin.pin != answer.pinned.pin:
            raise MixedPinsError(_two_blocks(data_pin, answer.pinned), remedy=_REMEDY)
        data_pin = answer.pinned
    return data_pin or any_pin


_REMEDY = "Read everything at one block, or ask for the change between the two."


def _two_blocks(first: PinnedBlock, second: PinnedBlock) -> str:
    one, other = first.pin, second.pin
    return (
        f"These values were read at different blocks: chain {one.chain_id} block {one.number} "
        f"({one.hash[:10]}) and chain {other.chain_id} block {other.number} ({other.hash[:10]})."
    )


def pin_json(pinned: PinnedBlock | None) -> dict[str, Any] | None:
    """A pinned block in the words of the JSON outputs."""
    if pinned is None:
        return None
    pin = pinned.pin
    return {
        "chain_id": pin.chain_id,
        "block_number": pin.number,
        "block_hash": pin.hash,
        "block_timestamp": pin.time,
        "parent_hash": pin.parent_hash,
        "state_root": pin.state_root,
        "finality": pinned.finality.status,
        "blocks_above": pinned.finality.depth,
        "finality_observed_at": pinned.finality.observed_at,
        "endpoint_id": pinned.endpoint_id,
    }


def each_once(addresses: Iterable[str]) -> tuple[str, ...]:
    """Checksum what is an address, keep what is none as it was written, and drop repeats."""
    return tuple(dict.fromkeys(_written(address) for address in addresses))


def _written(address: str) -> str:
    try:
        return parse_address(address)
    except ValueError:
        return address


def read_ids(answer: ToolAnswer) -> list[str]:
    """The ids of the reads behind an answer, each once, in the order they were asked."""
    return list(dict.fromkeys("0x" + fact.read_id.hex() for fact in answer.facts))
