"""A reading written out: for a terminal as text, for a notebook as escaped HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from toolkit.analysis.caveats import Caveat
from toolkit.chain.reader import PinnedBlock
from toolkit.workspace.tables import TextTable, caveat_lines, hash_line, pin_line

_PADDING = "text-align:left;padding:0.15em 1.5em 0.15em 0"
_CELL = f"font-family:monospace;white-space:pre;user-select:text;{_PADDING}"


def as_text(
    pins: Sequence[PinnedBlock],
    remarks: Sequence[str],
    tables: Iterable[TextTable],
    caveats: Sequence[Caveat],
    language: str,
) -> str:
    """Write pins, remarks, tables and caveats as aligned plain text."""
    lines = [*_head(pins, language), *remarks]
    for table in tables:
        lines += ["", table.title, *_aligned(table), *table.remarks]
    return "\n".join((*lines, "", *(f"- {said}" for said in caveat_lines(caveats, language))))


def as_html(
    pins: Sequence[PinnedBlock],
    remarks: Sequence[str],
    tables: Iterable[TextTable],
    caveats: Sequence[Caveat],
    language: str,
) -> str:
    """Write pins, remarks, tables and caveats as HTML that holds no markup but its own."""
    parts = [f"<div><code>{escape(line)}</code></div>" for line in _head(pins, language)]
    parts += [f"<p>{escape(remark)}</p>" for remark in remarks]
    for table in tables:
        parts += [f"<p><strong>{escape(table.title)}</strong></p>", _html_table(table)]
        parts += [f"<p>{escape(remark)}</p>" for remark in table.remarks]
    said = "".join(f"<li>{escape(line)}</li>" for line in caveat_lines(caveats, language))
    return "".join((*parts, f"<ul>{said}</ul>"))


def _head(pins: Sequence[PinnedBlock], language: str) -> list[str]:
    """Two lines per pin."""
    return [
        line
        for pinned in pins
        for line in (pin_line(pinned, language), hash_line(pinned.pin, language))
    ]


def _aligned(table: TextTable) -> list[str]:
    if not table.headers:
        return []
    rows = (table.headers, *table.rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _html_table(table: TextTable) -> str:
    if not table.headers:
        return ""
    heads = "".join(f'<th style="{_PADDING}">{escape(head)}</th>' for head in table.headers)
    rows = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row) + "</tr>"
        for row in table.rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
