"""Ways to name a block: by height, by hash, or by tag. Never two at once, never by silence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, cast

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from toolkit.models.primitives import parse_hash

Tag = Literal["latest", "safe", "finalized"]
TAGS: Final = ("latest", "safe", "finalized")

_MAX_HEIGHT: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class BlockHeight:
    """A block by its number on the canonical chain."""

    number: int

    def __str__(self) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True)
class BlockHash:
    """A block by its hash: the only name that a reorg cannot give to another block."""

    hash: str

    def __str__(self) -> str:
        return self.hash


@dataclass(frozen=True, slots=True)
class BlockTag:
    """A moving name that is resolved once per job; the answer carries number and hash."""

    tag: Tag

    def __str__(self) -> str:
        return self.tag


def parse_block(value: Any) -> BlockHeight | BlockHash | BlockTag:
    """Read a block reference from an int, decimal text, a 32-byte hash or a tag.

    Errors: ValueError with the way out. Not: `pending`, `earliest`, hex heights, negative numbers.
    """
    if isinstance(value, str):
        return _parse_text(value.strip())
    if isinstance(value, BlockHeight | BlockHash | BlockTag):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return BlockHeight(number=_checked_height(value))
    raise ValueError(f"A block is a height, a 32-byte hash or one of {', '.join(TAGS)}.")


@lru_cache(maxsize=4_096)
def _parse_text(text: str) -> BlockHeight | BlockHash | BlockTag:
    """Read a block reference from text. A job names one block thousands of times."""
    if re.fullmatch(r"-?[0-9]{1,30}", text):
        return BlockHeight(number=_checked_height(int(text)))
    if text in TAGS:
        return BlockTag(tag=cast("Tag", text))
    if re.fullmatch(r"0[xX][0-9a-fA-F]{64}", text):
        return BlockHash(hash=parse_hash(text))
    raise ValueError(_block_remedy(text))


def _checked_height(number: int) -> int:
    """Refuse what no chain can have."""
    if number < 0:
        raise ValueError(
            f"Block {number} is negative. Write a height from 0 on, or a 32-byte hash."
        )
    if number > _MAX_HEIGHT:
        raise ValueError(f"Block {number} is larger than any height. Write the block's height.")
    return number


def _block_remedy(text: str) -> str:
    """Say why this names no block, and what to write."""
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", text):
        return f"{text} is a height in hex. Write it in decimal: {int(text, 16)}."
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
        return f"{text[:80]!r} is no block hash: that has 64 hex digits, this has {len(text) - 2}."
    if text.lower() in {"pending", "earliest"}:
        return f"{text!r} is not read here. Write a height, a 32-byte hash, or {', '.join(TAGS)}."
    return f"{text[:60]!r} names no block. Write a height, a 32-byte hash, or {', '.join(TAGS)}."


def parse_height(value: Any) -> BlockHeight:
    """Read a height from an int or decimal text; a hash or a tag is refused."""
    block = parse_block(value)
    if not isinstance(block, BlockHeight):
        raise ValueError(f"{value} is no height. Write one in decimal, such as 17000000.")
    return block


Height = Annotated[
    BlockHeight,
    PlainValidator(parse_height),
    PlainSerializer(str, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]+$"}),
]
"""A block by its height only."""

BlockRef = Annotated[
    BlockHeight | BlockHash | BlockTag,
    PlainValidator(parse_block),
    PlainSerializer(str, return_type=str, when_used="json"),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": "^([0-9]+|0x[0-9a-fA-F]{64}|latest|safe|finalized)$",
        }
    ),
]
"""A height, a hash or a tag. There is no default block."""
