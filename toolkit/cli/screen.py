"""The terminal: answers on stdout, words on stderr, and nothing that a chain wrote in command.

Text is written as it is: rich's markup, emoji and highlighting are off, and a character that
moves the cursor, hides or reorders text is shown as its code point. Nothing is ever cut: what
does not fit into the width is written as one line per value, or wrapped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, Final, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_PIPED_WIDTH: Final = 100_000
_BETWEEN: Final = 3


def visible(text: str) -> str:
    """Show each character that cannot be printed as its code point, line ends excepted.

    The second fence: untrusted text comes through `for_page` already.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c == "\n" else f"\u27e8U+{ord(c):04X}\u27e9" for c in text
    )


class Screen:
    """Writes to the two streams of this process, or to others where they are given."""

    def __init__(
        self, out: TextIO | None = None, words: TextIO | None = None, width: int | None = None
    ) -> None:
        self._out = _console(out or sys.stdout, width)
        self._words = _console(words or sys.stderr, width)

    def say(self, sentence: str) -> None:
        """Write a sentence to stderr."""
        self._words.print(Text(visible(sentence)), soft_wrap=True)

    def line(self, text: str = "", *, strong: bool = False) -> None:
        """Write a line of the answer; a long one is left to the terminal to wrap."""
        self._out.print(Text(visible(text), style="bold" if strong else ""), soft_wrap=True)

    def document(self, value: Any) -> None:
        """Write one JSON document in ASCII. Its integers are as exact as Python's."""
        self._raw(json.dumps(value, ensure_ascii=True, indent=2))

    def json_line(self, value: Any) -> None:
        """Write one JSON document on one line."""
        self._raw(json.dumps(value, ensure_ascii=True, separators=(",", ":")))

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table, or its rows one value a line where the width is too small for it."""
        if not headers:
            return
        shown = [[visible(cell) for cell in row] for row in rows]
        longest = [max(map(cell_len, column)) for column in zip(headers, *shown, strict=True)]
        if sum(longest) + _BETWEEN * len(longest) <= self._out.width:
            self._out.print(_table(headers, shown))
        else:
            self._records(headers, shown)

    def _records(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write each row as lines of heading and value, with an empty line between rows."""
        widest = max(map(cell_len, headers))
        for row in rows:
            for header, cell in zip(headers, row, strict=True):
                if cell:
                    self.line(f"  {header}{' ' * (widest - cell_len(header))}  {cell}")
            self.line()

    def _raw(self, text: str) -> None:
        self._out.file.write(text + "\n")
        self._out.file.flush()


def _console(stream: TextIO, width: int | None) -> Console:
    """A console whose width is the terminal's; a pipe has no width."""
    if width is None and not stream.isatty():
        width = _PIPED_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for header in headers:
        table.add_column(Text(header), overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
