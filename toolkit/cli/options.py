"""Options that several commands share, and the reading of what was written in them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer
from pydantic import TypeAdapter, ValidationError

from toolkit.errors import InvalidArgumentError, StoreUnusableError, UnreadableFileError
from toolkit.models import ChainId

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
_COMMENT: Final = re.compile(r"#[^\n]*")


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


def words_of(text: str | None) -> list[str]:
    """Read a list: words set apart by commas or spaces, or those in the file after an @.

    A file may hold comments from # on, and the heading of a one-column CSV.
    Errors: UnreadableFileError.
    """
    if text is None:
        return []
    if text.startswith("@"):
        text = _COMMENT.sub("", text_of_file(Path(text[1:])))
    words = [word for word in _BETWEEN.split(text) if word]
    return words[1:] if words and words[0].lower() in {"address", "token", "pool"} else words


def text_of_file(path: Path) -> str:
    """Read a text file. Errors: UnreadableFileError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        why = "is not UTF-8 text"
    except (OSError, ValueError):
        why = "cannot be opened"
    raise UnreadableFileError(f"The file {path} {why}.", remedy="Name a text file that exists.")


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
