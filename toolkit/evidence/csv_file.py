"""evidence.csv: RFC 4180, CRLF, pure ASCII, written whole or not at all."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from toolkit.errors import StoreUnusableError, UnreadableFileError
from toolkit.evidence.row import COLUMNS, EvidenceRow, foreign_column

_LONGEST_CELL: Final = 131_072
"""What Python's csv reads by default; no cell that we write is longer."""


def csv_lines(rows: Iterable[EvidenceRow]) -> Iterator[str]:
    """Write the header and each row as one CRLF-ended line of ASCII."""
    return _lines(COLUMNS, (row.cells() for row in rows))


def _lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        yield _taken(buffer)
        writer.writerow(row)
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def evidence_bytes(rows: Iterable[EvidenceRow]) -> bytes:
    """Write the whole file into memory, for a page's download."""
    return "".join(csv_lines(rows)).encode("ascii")


def write_evidence(path: Path | str, rows: Iterable[EvidenceRow]) -> int:
    """Write rows to a file, whole or not at all, and return how many there were.

    Errors: StoreUnusableError where the folder is missing, read-only or full.
    """
    return _write_lines(Path(path), csv_lines(rows))


def write_table(path: Path | str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write a table of our own words and exact text as CSV; return how many rows there were.

    Not: untrusted text, which has no place in a table. Errors: as `write_evidence`.
    """
    return _write_lines(Path(path), _lines(header, rows))


def _write_lines(target: Path, lines: Iterable[str]) -> int:
    """Let a temporary file in the same folder take the lines, and replace `target` at the end.

    A full disk or a stopped process leaves what stood there before.
    """
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    written = -1
    try:
        with partial.open("w", encoding="ascii", newline="", errors="backslashreplace") as file:
            for line in lines:
                file.write(line)
                written += 1
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as error:
        raise StoreUnusableError(
            f"{target.name} could not be written: {_reason(error)}.",
            remedy="Nothing was changed. Choose a folder that exists, is writable and has room.",
        ) from None
    finally:
        _remove(partial)
    return written


def _remove(partial: Path) -> None:
    """Leave nothing half-written behind; where even that fails, the first error tells more."""
    try:
        partial.unlink(missing_ok=True)
    except OSError:
        return


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def read_evidence(path: Path | str) -> Iterator[EvidenceRow]:
    """Read an evidence file back, row by row, and check the digest and alphabets of each.

    Errors: UnreadableFileError for another header, a foreign alphabet or a changed row.
    """
    source = Path(path)
    try:
        with source.open(encoding="ascii", newline="") as file:
            reader = csv.reader(file, strict=True)
            if tuple(next(reader, ())) != COLUMNS:
                raise UnreadableFileError(
                    f"{source.name} has not the columns of an evidence file.",
                    remedy="Name a file that `compare --csv` or the Evidence page wrote.",
                )
            for cells in reader:
                yield _row_from(source.name, reader.line_num, cells)
    except (OSError, UnicodeDecodeError, csv.Error):
        raise UnreadableFileError(
            f"{source.name} cannot be read as an evidence file.",
            remedy="Name a file that `compare --csv` or the Evidence page wrote.",
        ) from None


def _row_from(name: str, line: int, cells: list[str]) -> EvidenceRow:
    """Rebuild a row; a right digest is no licence for a cell that the toolkit never writes."""
    if len(cells) == len(COLUMNS):
        named = dict(zip(COLUMNS, cells, strict=True))
        digest = named.pop("row_digest")
        row = EvidenceRow(**named)
        if max(map(len, cells)) <= _LONGEST_CELL and row.digest == digest:
            column = foreign_column(cells)
            if column is None:
                return row
            raise UnreadableFileError(
                f"Line {line} of {name} holds what cannot stand in the column {column}.",
                remedy="This toolkit did not write it: do not open the file in a spreadsheet.",
            )
    raise UnreadableFileError(
        f"Line {line} of {name} was changed after it was written.",
        remedy="A spreadsheet rewrites numbers when it saves: use the file as it was exported.",
    )
