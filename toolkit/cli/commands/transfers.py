"""`toolkit transfers`: the token transfers of one address, and how complete the list is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from toolkit.chain.log_check import MOST_BLOCKS
from toolkit.cli.exits import DONE, INTERRUPTED, exit_code
from toolkit.cli.opening import opened, say_notes
from toolkit.cli.options import ChainIdOption, chain_id_of, check_target, height_of
from toolkit.cli.progress import ScanSeen, progress, scan_progress
from toolkit.cli.session import Session, session_of
from toolkit.cli.showing import show_reading, write_csv
from toolkit.errors import InputError, InvalidArgumentError
from toolkit.workspace import Workspace
from toolkit.workspace.readings import TransfersReading
from toolkit.workspace.tables import check_line, completeness, transfer_tables


def command(
    context: typer.Context,
    *,
    chain_id: ChainIdOption,
    address: Annotated[
        str, typer.Option(metavar="A", help="Write the 0x address of the sender or receiver.")
    ],
    from_block: Annotated[
        str, typer.Option(metavar="N", help="Write the lowest height to look at, in decimal.")
    ],
    to_block: Annotated[
        str,
        typer.Option(
            metavar="BLOCK",
            help="Write the highest block to look at, which is the pin: height, hash or tag.",
        ),
    ],
    limit: Annotated[
        int, typer.Option(metavar="L", help="Write after how many transfers to stop, 1 to 10000.")
    ],
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the evidence rows to this CSV file.")
    ] = None,
    cross_check: Annotated[
        bool,
        typer.Option(
            "--cross-check",
            help=f"Compare with the bloom and receipts of the newest {MOST_BLOCKS} blocks read.",
        ),
    ] = False,
) -> int:
    """List token transfers from or to one address, newest first. Completeness is said first.

    A list that stopped at the limit is an answer (exit 0); one that an error cut short, or that
    a cross-check contradicts, is not. Ctrl-C ends it; the same command then goes on from there.
    """
    session = session_of(context)
    check_target(csv)
    with opened(session) as workspace:
        reading = read(
            session,
            workspace,
            chain_id=chain_id,
            address=address,
            from_block=from_block,
            to_block=to_block,
            limit=limit,
            cross_check=cross_check,
        )
    if csv is not None:
        write_csv(session, reading, csv)
    show_reading(
        session,
        reading,
        transfer_tables(reading.result, session.language),
        remarks=_remarks(session, reading),
    )
    error = reading.result.error
    if error is not None:
        session.screen.say(f"{error.message} {error.remedy}".strip())
    elif reading.result.check is not None and reading.result.check.error is not None:
        session.screen.say(str(reading.result.check.error))
    stopped = reading.result.stopped_because
    return DONE if stopped == "limit" else exit_code(stopped)


def _remarks(session: Session, reading: TransfersReading) -> tuple[str, ...]:
    """How much of the question the list answers, and how it holds where that was checked."""
    told = (completeness(reading.result, session.language),)
    check = reading.result.check
    return told if check is None else (*told, check_line(check, session.language))


def read(
    session: Session,
    workspace: Workspace,
    *,
    chain_id: str,
    address: str,
    from_block: str,
    to_block: str,
    limit: int,
    cross_check: bool = False,
    **_: Any,
) -> TransfersReading:
    """Read the list that the options describe. Errors: all kinds."""
    lowest = height_of("--from-block", from_block)
    snapshot = workspace.snapshot(chain_id=chain_id_of(chain_id), block=to_block)
    if lowest > snapshot.pin.number:
        raise InvalidArgumentError(
            f"--from-block {lowest} lies above block {snapshot.pin.number}, "
            f"which is what --to-block {to_block[:70]} names.",
            remedy=f"Choose --from-block at or below {snapshot.pin.number}.",
        )
    seen = ScanSeen()
    try:
        with scan_progress(session, seen) as report:
            transfers = snapshot.transfers(address, from_block=lowest, limit=limit, progress=report)
    except KeyboardInterrupt:
        session.screen.say(session.word("cli.stopped", done=seen.done, total=seen.total))
        raise typer.Exit(INTERRUPTED) from None
    if isinstance(transfers.answer.error, InputError):
        raise transfers.answer.error
    if cross_check:
        with progress(session) as report_check:
            transfers = snapshot.cross_check(transfers, report_check)
    say_notes(session, snapshot.traffic)
    return TransfersReading(transfers)
