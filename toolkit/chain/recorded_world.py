"""A small chain recorded whole: every header, every log, and every read of a few addresses.

The file is JSON behind gzip, written by `data/demo/record.py`. An answer that stays the
same over consecutive blocks is stored once: a list of [height, answer from there on].
"""

from __future__ import annotations

import gzip
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    ReadError,
    StateUnavailableError,
    UnreadableFileError,
)
from toolkit.models import checksummed

FORMAT: Final = 1

Answer: TypeAlias = str | dict[str, str]
"""A JSON result, or {"revert": bytes as hex}."""

Changes: TypeAlias = Sequence[tuple[int, Answer]]
"""What was answered from which height on, in rising order."""

_NO_CODE: Final = "0x"
_ZERO_WORD: Final = "0x" + 64 * "0"
_height = itemgetter(0)


@dataclass(frozen=True, slots=True)
class RecordedWorld:
    """Blocks, logs and reads of one recorded chain.

    Shape: `names` groups labels of ours (accounts, tokens, pools, others) over addresses;
    `reads` is address -> kind -> detail -> changes, where the detail of a call is its data,
    of a storage read its slot, and of the rest "". Addresses are in lower case.
    """

    chain_id: int
    client: str
    tags: Mapping[str, int]
    names: Mapping[str, Mapping[str, str]]
    blocks: Sequence[Mapping[str, Any]]
    logs: Sequence[Mapping[str, Any]]
    reads: Mapping[str, Mapping[str, Mapping[str, Changes]]]
    heights: Mapping[str, int]

    @classmethod
    def load(cls, path: Path) -> RecordedWorld:
        """Read a recording. Errors: UnreadableFileError."""
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                return cls.of(json.load(file))
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise UnreadableFileError(
                f"{path.name} is not a recording that this version can read.",
                remedy="Install the toolkit again, or run `make demo` in a checkout.",
            ) from error

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> RecordedWorld:
        """Take a recording from its JSON document. Errors: ValueError, KeyError."""
        if document["format"] != FORMAT:
            raise ValueError(f"Format {document['format']} is not {FORMAT}.")
        blocks = document["blocks"]
        return cls(
            chain_id=document["chain_id"],
            client=document["client"],
            tags=document["tags"],
            names=document["names"],
            blocks=blocks,
            logs=document["logs"],
            reads=document["reads"],
            heights={block["hash"]: height for height, block in enumerate(blocks)},
        )

    @property
    def head(self) -> int:
        """The height of the newest block."""
        return len(self.blocks) - 1

    @property
    def holdings(self) -> str:
        """One sentence that names everything in here."""
        groups = (f"the {group} {', '.join(self.names[group])}" for group in ("accounts", "tokens"))
        return (
            f"The demo holds blocks 0 to {self.head}, {', '.join(groups)} "
            f"and the pools {', '.join(self.names['pools'])} only: "
            "run `toolkit demo` for their addresses."
        )

    @property
    def heights_held(self) -> str:
        """One sentence that names the blocks in here."""
        return f"The demo holds blocks 0 to {self.head}."

    def height_at(self, number: int) -> int:
        """Check a height. Errors: BlockAheadOfHeadError."""
        if number > self.head:
            raise BlockAheadOfHeadError(
                f"The demo has no block {number}: its newest is {self.head}.",
                remedy=self.heights_held,
            )
        return number

    def height_of_hash(self, block_hash: str) -> int:
        """Find the height of a block. Errors: BlockNotFoundError."""
        height = self.heights.get(block_hash.lower())
        if height is None:
            raise BlockNotFoundError(
                f"The demo has no block with the hash {block_hash[:66]}.",
                remedy=self.heights_held,
            )
        return height

    def answer(self, address: str, kind: str, detail: str, height: int) -> Answer:
        """Look up one read. Errors: StateUnavailableError where it was not recorded."""
        kinds = self.reads.get(address)
        if kinds is None:
            raise self.outside(f"did not record {checksummed(address)}")
        if kind in {"call", "storage"} and _at(kinds["code"][""], height) == _NO_CODE:
            return _NO_CODE if kind == "call" else _ZERO_WORD
        changes = kinds[kind].get(detail)
        if changes is None:
            asked = f"{kind} {detail[:74]}".strip()
            raise self.outside(f"did not record what {checksummed(address)} answers to {asked}")
        return _at(changes, height)

    def outside(self, what: str) -> ReadError:
        """Say that a read lies outside the recording, and what lies inside."""
        return StateUnavailableError(f"The demo {what}.", remedy=self.holdings)


def _at(changes: Changes, height: int) -> Answer:
    """The answer in force at a height; the first change is at block 0."""
    return changes[bisect_right(changes, height, key=_height) - 1][1]
