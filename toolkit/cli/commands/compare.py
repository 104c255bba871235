"""`toolkit compare`: what addresses hold of some assets, at one block or at two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from toolkit.analysis import check_order
from toolkit.cli.exits import ANSWER_IS_AN_ERROR, DONE
from toolkit.cli.opening import opened, say_notes
from toolkit.cli.options import (
    BlockOption,
    ChainIdOption,
    addresses_of,
    chain_id_of,
    check_target,
)
from toolkit.cli.progress import progress
from toolkit.cli.session import Session, session_of
from toolkit.cli.showing import labels_of, show_reading, write_csv
from toolkit.evidence import write_table
from toolkit.workspace import Workspace
from toolkit.workspace.readings import ChangeReading, ComparisonReading, change
from toolkit.workspace.tables import change_tables, comparison_tables


def command(
    context: typer.Context,
    *,
    chain_id: ChainIdOption,
    block: BlockOption,
    addresses: Annotated[
        str,
        typer.Option(
            metavar="A,B|@FILE",
            help="Write 0x addresses with commas between, or @FILE with one a line.",
        ),
    ],
    tokens: Annotated[
        str | None,
        typer.Option(
            metavar="T,U|@FILE", help="Token contracts' 0x addresses, or @FILE. Never tickers."
        ),
    ] = None,
    native: Annotated[bool, typer.Option("--native", help="Compare the chain's coin too.")] = False,
    to_block: Annotated[
        str | None,
        typer.Option(metavar="BLOCK", help="A later block: show the exact change up to it."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the evidence rows to this CSV file.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--table", help="Write the cells, with row ids, to this CSV.")
    ] = None,
) -> int:
    """Compare what addresses hold of some assets at one block; with --to-block, what changed.

    Amounts are exact. A read that failed shows its reason and never a zero. Exit 1 if any did.
    """
    session = session_of(context)
    check_target(csv)
    check_target(table)
    with opened(session) as workspace:
        reading = read(
            session,
            workspace,
            chain_id=chain_id,
            block=block,
            addresses=addresses,
            tokens=tokens,
            native=native,
            to_block=to_block,
        )
        labels = labels_of(workspace, chain_id_of(chain_id))
    if csv is not None:
        write_csv(session, reading, csv)
    if table is not None:
        cells = _write_cells(table, reading)
        session.say(session.word("cli.cells_written", count=cells, file=table))
    return _show(session, reading, labels)


def read(
    session: Session,
    workspace: Workspace,
    *,
    chain_id: str,
    block: str,
    addresses: str,
    tokens: str | None,
    native: bool,
    to_block: str | None,
    **_: Any,
) -> ComparisonReading | ChangeReading:
    """Read the comparison that the options describe, or a change. Errors: all kinds."""
    on_chain = chain_id_of(chain_id)
    holders, contracts = addresses_of(addresses, "address"), addresses_of(tokens, "token")
    named = [block] if to_block is None else [block, to_block]
    snapshots = [workspace.snapshot(chain_id=on_chain, block=each) for each in named]
    if len(snapshots) > 1:
        check_order(snapshots[0].pin, snapshots[1].pin)
    comparisons = []
    for snapshot in snapshots:
        with progress(session) as report:
            compared = snapshot.compare(holders, contracts, native=native, progress=report)
        comparisons.append(ComparisonReading(compared))
    say_notes(session, snapshots[0].traffic)
    if to_block is None:
        return comparisons[0]
    return change(before=comparisons[0], after=comparisons[1])


def _write_cells(path: Path, reading: ComparisonReading | ChangeReading) -> int:
    """Write the matrix, a cell a line, and return how many there were."""
    frame = reading.frame
    return write_table(path, frame.columns, frame.iter_rows())


def _show(
    session: Session, reading: ComparisonReading | ChangeReading, labels: dict[str, str]
) -> int:
    """Write the reading, and say by the exit code whether a cell failed."""
    if isinstance(reading, ChangeReading):
        show_reading(session, reading, change_tables(reading.result, session.language, labels))
        cells = [*reading.result.before.cells, *reading.result.after.cells]
    else:
        show_reading(session, reading, comparison_tables(reading.result, session.language, labels))
        cells = list(reading.result.cells)
    return ANSWER_IS_AN_ERROR if any(cell.failed for cell in cells) else DONE
