"""What people paste, type and upload, read into addresses and blocks, with a sentence per fault."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from toolkit.models import TAGS, parse_address, parse_block

MAX_ADDRESSES: Final = 20_000
MAX_FAULTS_SHOWN: Final = 8
_BETWEEN: Final = re.compile(r"[\s,;]+")
_TIME: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses in the order they were given, each once, and a sentence for each that is none."""

    found: tuple[str, ...]
    faults: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.found)


def read_addresses(text: str, noun: str) -> Addresses:
    """Read addresses set apart by commas, semicolons, spaces or line ends.

    `noun` says whose they are: holder, token, pool.
    """
    return _parsed((word for word in _BETWEEN.split(text) if word), noun)


def read_address_file(content: bytes) -> Addresses:
    """Read the address column of a CSV, or every cell of a file without one.

    Errors: a file that is not UTF-8 text becomes one fault.
    """
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error):
        return Addresses((), ("The file is not a CSV in UTF-8. Save it as CSV (UTF-8).",))
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    if "address" in head:
        column = head.index("address")
        cells = [row[column] for row in rows[1:] if len(row) > column]
    else:
        cells = [cell for row in rows for cell in row]
    return _parsed((cell for cell in cells if cell.strip()), "holder")


def merged(*parts: Addresses) -> Addresses:
    """Put several lists together, each address once, in order."""
    found = dict.fromkeys(address for part in parts for address in part.found)
    return Addresses(tuple(found), tuple(fault for part in parts for fault in part.faults))


def block_fault(text: str) -> str | None:
    """Say why a text names no block, or None where it does."""
    return _fault(parse_block, text)


def is_time(text: str) -> bool:
    """Whether a block was named by its UTC time rather than by height, hash or tag."""
    return bool(_TIME.fullmatch(text.strip()))


def is_moving(text: str) -> bool:
    """Whether the name can mean another block tomorrow: a tag, or a time beyond the head."""
    return text.strip() in TAGS or is_time(text)


def _parsed(words: Iterable[str], noun: str) -> Addresses:
    found: dict[str, None] = {}
    faults: dict[str, None] = {}
    for word in words:
        if len(found) >= MAX_ADDRESSES:
            faults[f"More than {MAX_ADDRESSES} addresses were given; the rest was left out."] = None
            break
        try:
            found[parse_address(word, noun)] = None
        except ValueError as error:
            faults[str(error)] = None
    return Addresses(tuple(found), tuple(faults))


def _fault(parse: Callable[[str], object], text: str) -> str | None:
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return None
