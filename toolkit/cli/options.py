"""Options that several commands share, and the reading of what was written in them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import IO, Annotated, Final, TypeAlias

import typer
from pydantic import TypeAdapter, ValidationError

from toolkit.errors import InvalidArgumentError, StoreUnusableError, UnreadableFileError
from toolkit.models import ChainId, parse_address

ChainIdOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--chain-id",
        metavar="NUMBER",
        help="Write the chain's number: 1 is Ethereum, 31337000 the shipped demo.",
    ),
]
BlockOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--block",
        metavar="BLOCK",
        help="Write a height in decimal, a 32-byte hash, or latest, safe or finalized.",
    ),
]

_CHAIN_ID: Final[TypeAdapter[int]] = TypeAdapter(ChainId)
_BETWEEN: Final = re.compile(r"[\s,;]+")
_HEADINGS: Final = frozenset({"address", "token", "pool"})
_LONGEST_FILE: Final = 32 * 1024 * 1024


def chain_id_of(text: str) -> int:
    """Read a chain id. Errors: InvalidArgumentError."""
    try:
        return _CHAIN_ID.validate_python(text)
    except ValidationError as error:
        said = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise InvalidArgumentError(f"chain_id: {said}") from None


def height_of(option: str, text: str) -> int:
    """Read a height in decimal. Errors: InvalidArgumentError."""
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise InvalidArgumentError(f"{option}: {text[:40]!r} is not a height. Write it in decimal.")
    return int(text)


def addresses_of(text: str | None, noun: str) -> list[str]:
    """Read addresses set apart by commas or spaces, or those in the file after an @.

    A file may hold comments from # on, and the heading of a one-column CSV.
    Errors: UnreadableFileError; InvalidArgumentError naming each wrong one and where it stands,
    the first five of them.
    """
    good: list[str] = []
    faults: list[str] = []
    for place, word in _placed_words(text, noun):
        try:
            good.append(parse_address(word, noun))
        except ValueError as error:
            faults.append(f"{place}: {error}")
    if faults:
        more = f" And {len(faults) - 5} more." if len(faults) > 5 else ""
        raise InvalidArgumentError(" ".join(faults[:5]) + more)
    return good


def _placed_words(text: str | None, noun: str) -> list[tuple[str, str]]:
    """Split a list into its words, each with its number, or with its file and line."""
    if text is None or not text.startswith("@"):
        words = [word for word in _BETWEEN.split(text or "") if word]
        return [(f"{noun} {number}", word) for number, word in enumerate(words, start=1)]
    file = Path(text[1:])
    placed = [
        (f"{file.name} line {number}", word)
        for number, line in enumerate(text_of_file(file).splitlines(), start=1)
        for word in _BETWEEN.split(line.partition("#")[0])
        if word
    ]
    return placed[1:] if placed and placed[0][1].lower() in _HEADINGS else placed


def text_of_file(path: Path) -> str:
    """Read a text file of at most 32 MB. Errors: UnreadableFileError."""
    try:
        # A device or a pipe can go on for ever, or wait for ever.
        if path.exists() and not path.is_file():
            raise UnreadableFileError(f"{path} is not a regular file.", remedy="Name a text file.")
        with path.open("rb") as file:
            return text_of(file, f"The file {path}")
    except (OSError, ValueError):
        raise UnreadableFileError(
            f"The file {path} cannot be opened.", remedy="Name a text file that exists."
        ) from None


def text_of(stream: IO[bytes], name: str) -> str:
    """Read a stream of UTF-8 to its end. Errors: UnreadableFileError; past 32 MB it is refused."""
    content = stream.read(_LONGEST_FILE + 1)
    if len(content) > _LONGEST_FILE:
        raise UnreadableFileError(f"{name} is larger than 32 MB.", remedy="Split it.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFileError(
            f"{name} is not UTF-8 text.", remedy="Save it as UTF-8."
        ) from None


def check_target(path: Path | None) -> None:
    """Refuse a file that cannot be written before anything is read for it.

    Errors: StoreUnusableError.
    """
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise StoreUnusableError(
            f"{path} cannot be written: its folder is missing or read-only, or it is a folder.",
            remedy="Nothing was read. Name a file in a folder that exists and is writable.",
        )
