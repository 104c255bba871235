"""Shows a reading: one JSON document, or pin, tables and caveats for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from toolkit.analysis.caveats import Caveat
from toolkit.chain.reader import PinnedBlock
from toolkit.cli.session import Session
from toolkit.errors import StoreError
from toolkit.workspace import Workspace
from toolkit.workspace.readings import Reading
from toolkit.workspace.tables import TextTable, caveat_lines, hash_line, pin_line


def show_pin(session: Session, pinned: PinnedBlock) -> None:
    """Write the block that everything below was read at."""
    session.screen.line(pin_line(pinned, session.language), strong=True)
    session.screen.line(hash_line(pinned.pin, session.language))


def show_reading(
    session: Session,
    reading: Reading[Any],
    tables: Iterable[TextTable],
    *,
    remarks: Sequence[str] = (),
) -> None:
    """Write a reading whole."""
    if session.as_json:
        session.screen.document(reading.as_json())
        return
    for pinned in reading.pins:
        show_pin(session, pinned)
    for remark in remarks:
        session.screen.line(remark, strong=True)
    show_tables(session, tables)
    show_caveats(session, reading.result.caveats)


def show_tables(session: Session, tables: Iterable[TextTable]) -> None:
    """Write tables with their headings."""
    for table in tables:
        session.screen.line()
        session.screen.line(table.title, strong=True)
        session.screen.table(table.headers, table.rows)
        for remark in table.remarks:
            session.screen.line(remark)


def show_caveats(session: Session, caveats: Sequence[Caveat]) -> None:
    """Write what a reader must know."""
    session.screen.line()
    session.screen.line(session.word("caveats.title"), strong=True)
    for line in caveat_lines(caveats, session.language):
        session.screen.line(f"- {line}")


def write_csv(session: Session, reading: Reading[Any], path: Path) -> None:
    """Write a reading's evidence and say how many rows it has. Errors: StoreUnusableError."""
    session.say(session.word("cli.rows_written", count=reading.to_csv(path), file=path))


def labels_of(workspace: Workspace, chain_id: int) -> dict[str, str]:
    """The analyst's own names on a chain; none where the store cannot be used."""
    try:
        return workspace.labels.of_chain(chain_id)
    except StoreError:
        return {}
