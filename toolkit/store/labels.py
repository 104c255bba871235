"""The analyst's own address book: the only source of names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from toolkit.errors import UnreadableFileError
from toolkit.models import ChainId, parse_address
from toolkit.store.columns import integer_column, table, text_column
from toolkit.store.database import Database

_HEADER: Final = ["chain_id", "address", "label"]
_LONGEST_LABEL: Final = 80
_CHAIN_ID: Final[TypeAdapter[int]] = TypeAdapter(ChainId)


@dataclass(frozen=True, slots=True)
class Label:
    """What the analyst calls an address on one chain. `address` is checksummed."""

    chain_id: int
    address: str
    label: str


def parse_labels(text: str, name: str = "the file") -> list[Label]:
    """Read CSV text with the columns chain_id, address, label.

    Errors: UnreadableFileError that names the line; one bad line refuses the whole file.
    """
    first_line: dict[tuple[int, str], tuple[int, str]] = {}
    labels: list[Label] = []
    for line, row in _rows(text, name):
        label = _parse_row(row, f"Line {line} of {name}")
        place = (label.chain_id, label.address)
        earlier, said = first_line.setdefault(place, (line, label.label))
        if said != label.label:
            raise UnreadableFileError(
                f"Lines {earlier} and {line} of {name} give {label.address} on chain "
                f"{label.chain_id} two labels.",
                remedy="Keep one of them; nothing was imported.",
            )
        if earlier == line:
            labels.append(label)
    return labels


class Labels:
    """The address book in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, labels: Iterable[Label]) -> int:
        """Keep all the labels or none, and return their number. A known address is relabelled.

        Errors: StoreBusyError, StoreUnusableError.
        """
        rows = list(labels)
        incoming = table(
            {
                "chain_id": integer_column(row.chain_id for row in rows),
                "address": text_column(row.address for row in rows),
                "label": text_column(row.label for row in rows),
            }
        )
        with self._database.transaction() as cursor:
            cursor.register("incoming", incoming)
            cursor.execute(
                "DELETE FROM labels USING incoming i "
                "WHERE labels.chain_id = i.chain_id AND labels.address = i.address"
            )
            cursor.execute("INSERT INTO labels SELECT chain_id, address, label FROM incoming")
        return len(rows)

    def all(self) -> list[Label]:
        """List every label, by chain and address. Errors: StoreBusyError, StoreUnusableError."""
        with self._database.lease() as cursor:
            rows = cursor.execute(
                "SELECT chain_id, address, label FROM labels ORDER BY chain_id, address"
            ).fetchall()
        return [Label(*row) for row in rows]

    def of_chain(self, chain_id: int) -> dict[str, str]:
        """Map the checksummed addresses of one chain to their labels.

        Errors: StoreBusyError, StoreUnusableError.
        """
        with self._database.lease() as cursor:
            rows = cursor.execute(
                "SELECT address, label FROM labels WHERE chain_id = ? ORDER BY address", [chain_id]
            ).fetchall()
        return dict(rows)


def _rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Split the text into rows with their line numbers; empty lines are skipped."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        if header != _HEADER:
            raise UnreadableFileError(
                f"Line 1 of {name} must be the header {','.join(_HEADER)}.",
                remedy="Add it, and separate the columns with commas.",
            )
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise UnreadableFileError(
            f"Line {reader.line_num} of {name} is not valid CSV: {error}.",
            remedy="Close every quotation mark; nothing was imported.",
        ) from error


def _parse_row(row: list[str], where: str) -> Label:
    """Read one row, or say what is wrong with it and where."""
    if len(row) != len(_HEADER):
        raise UnreadableFileError(
            f"{where} has {len(row)} columns, not {len(_HEADER)}.",
            remedy="Put a label that holds a comma into quotation marks; nothing was imported.",
        )
    chain_text, address_text, label = (cell.strip() for cell in row)
    try:
        chain_id = _CHAIN_ID.validate_python(chain_text)
        address = parse_address(address_text)
    except ValidationError:
        raise UnreadableFileError(
            f"{where}: {chain_text[:40]!r} is not a chain id.",
            remedy="Write its decimal number, such as 1; nothing was imported.",
        ) from None
    except ValueError as error:
        raise UnreadableFileError(f"{where}: {error}", remedy="Nothing was imported.") from error
    if not label or len(label) > _LONGEST_LABEL or not label.isprintable():
        raise UnreadableFileError(
            f"{where}: a label is 1 to {_LONGEST_LABEL} printable characters on one line.",
            remedy="Shorten or fill it; nothing was imported.",
        )
    return Label(chain_id, address, label)
