"""Transfer events taken apart by shape: an event's name alone promises nothing.

Source: EIP-20, EIP-721 and EIP-1155. ERC-20 and ERC-721 share one event and differ in topics.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, TypeAlias

from toolkit.chain.logs import Log, Topics
from toolkit.models import checksummed, keccak
from toolkit.models.value import value
from toolkit.tools.abi import TRANSFER_TOPIC, address_word

TRANSFER: Final = "Transfer(address,address,uint256)"
TRANSFER_SINGLE: Final = "TransferSingle(address,address,address,uint256,uint256)"
TRANSFER_BATCH: Final = "TransferBatch(address,address,address,uint256[],uint256[])"
SINGLE_TOPIC: Final = keccak(TRANSFER_SINGLE.encode("ascii"))
BATCH_TOPIC: Final = keccak(TRANSFER_BATCH.encode("ascii"))

LEAST_TOPICS: Final = 3
"""A log with fewer topics is no transfer of any standard that can be found by its parties."""

MOST_IN_A_BATCH: Final = 1_000
"""A batch of more ids is named and not listed: one hostile log would fill the whole list."""

Standard: TypeAlias = Literal["erc20", "erc721", "erc1155", "unknown"]
Reason: TypeAlias = Literal["malformed", "long_batch"]

_EVENTS: Final = {
    TRANSFER_TOPIC: TRANSFER,
    SINGLE_TOPIC: TRANSFER_SINGLE,
    BATCH_TOPIC: TRANSFER_BATCH,
}
_MULTI_TOKEN: Final = frozenset({SINGLE_TOPIC, BATCH_TOPIC})
_WORD: Final = 32


@value
class Moved:
    """What one event moved. `raw_amount` is ERC-20's alone; an id with units is ERC-1155's.

    `reason` says why an event of a known standard could not be taken apart.
    """

    standard: Standard
    raw_amount: int | None = None
    token_id: int | None = None
    raw_units: int | None = None
    reason: Reason | None = None


def filters_of(address: str) -> tuple[Topics, ...]:
    """Look for every transfer from or to an address whose parties are indexed.

    ERC-1155 names its operator first, so that its parties stand one place further on.
    Not: events whose parties are in the data, which no filter of an address can find.
    """
    party = address_word(address)
    return (
        (TRANSFER_TOPIC, party),
        ((TRANSFER_TOPIC, SINGLE_TOPIC, BATCH_TOPIC), None, party),
        ((SINGLE_TOPIC, BATCH_TOPIC), None, None, party),
    )


def event_of(log: Log) -> str:
    """The signature of a log's event; what is none of the three is called Transfer."""
    return _EVENTS.get(log.topics[0], TRANSFER) if log.topics else TRANSFER


def is_multi_token(log: Log) -> bool:
    """Whether a log is one of ERC-1155's events."""
    return bool(log.topics) and log.topics[0] in _MULTI_TOKEN


def is_transfer(log: Log) -> bool:
    """Whether a log has as many topics as its standard wants."""
    count = len(log.topics)
    return count == 4 or (count == 3 and log.topics[0] not in _MULTI_TOKEN)


def parties_of(log: Log) -> tuple[str, str]:
    """Sender and receiver of a transfer."""
    first = 2 if log.topics[0] in _MULTI_TOKEN else 1
    return _party(log.topics[first]), _party(log.topics[first + 1])


def moves_of(log: Log) -> tuple[Moved, ...]:
    """Take a transfer apart: one move, or one for each id of a batch. Never empty."""
    topics = log.topics
    if topics[0] in _MULTI_TOKEN:
        return _multi_moves(log)
    if len(topics) == 3 and len(log.data) == _WORD:
        return (Moved("erc20", int.from_bytes(log.data, "big")),)
    if len(topics) == 4 and not log.data:
        return (Moved("erc721", token_id=_number(topics[3])),)
    return (Moved("unknown"),)


def _multi_moves(log: Log) -> tuple[Moved, ...]:
    if log.topics[0] == SINGLE_TOPIC:
        if len(log.data) != 2 * _WORD:
            return (Moved("erc1155", reason="malformed"),)
        token_id, units = _number(log.data[:_WORD]), _number(log.data[_WORD:])
        return (Moved("erc1155", token_id=token_id, raw_units=units),)
    ids, units_of = _array(log.data, 0), _array(log.data, 1)
    if ids is None or units_of is None or len(ids) != len(units_of) or not ids:
        return (Moved("erc1155", reason="malformed"),)
    if len(ids) > MOST_IN_A_BATCH:
        return (Moved("erc1155", reason="long_batch"),)
    return tuple(
        Moved("erc1155", token_id=token_id, raw_units=units)
        for token_id, units in zip(ids, units_of, strict=True)
    )


def _array(data: bytes, place: int) -> list[int] | None:
    """Read the array whose offset stands at a place; None where it does not lie in the data."""
    offset = _word_at(data, place * _WORD)
    length = None if offset is None else _word_at(data, offset)
    if offset is None or length is None or length > (len(data) - offset) // _WORD - 1:
        return None
    start = offset + _WORD
    return [_number(data[at : at + _WORD]) for at in range(start, start + length * _WORD, _WORD)]


def _word_at(data: bytes, at: int) -> int | None:
    word = data[at : at + _WORD]
    return _number(word) if len(word) == _WORD else None


def _number(word: bytes) -> int:
    return int.from_bytes(word, "big")


@lru_cache(maxsize=65_536)
def _party(topic: bytes) -> str:
    return checksummed("0x" + topic[12:].hex())
