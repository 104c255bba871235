"""`toolkit depth`: how much moves each pool's own rate, at one block."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

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
from toolkit.cli.showing import show_reading, write_csv
from toolkit.derive import parse_move
from toolkit.errors import InvalidArgumentError
from toolkit.models import parse_raw_int
from toolkit.workspace import Workspace
from toolkit.workspace.pool_tables import depth_tables
from toolkit.workspace.readings import DepthReading

_MOVES = "0.5,1,2,5,10"


def command(
    context: typer.Context,
    *,
    chain_id: ChainIdOption,
    block: BlockOption,
    pools: Annotated[
        str,
        typer.Option(
            metavar="P,Q|@FILE",
            help="Write the 0x addresses of constant-product pairs with commas between, or @FILE.",
        ),
    ],
    moves: Annotated[
        str, typer.Option(metavar="PERCENT,...", help="Moves of the pool's own rate, in percent.")
    ] = _MOVES,
    fee_ppm: Annotated[
        int | None,
        typer.Option(help="The swap fee in parts per million, where the pool does not tell it."),
    ] = None,
    amount_in: Annotated[
        str | None,
        typer.Option(metavar="RAW", help="A trade's input in the token's smallest unit."),
    ] = None,
    token_in: Annotated[
        str | None, typer.Option(metavar="T", help="The 0x address of the token that goes in.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the evidence rows to this CSV file.")
    ] = None,
) -> int:
    """Measure how much moves each pool's own rate, in its own two tokens, at one block.

    Calculated from reserves as the contract does it, in integers. Not a quote, not in money.
    No fee is assumed. Exit 1 if any pool could not be read or cannot take the trade.
    """
    session = session_of(context)
    check_target(csv)
    with opened(session) as workspace:
        reading = read(
            session,
            workspace,
            chain_id=chain_id,
            block=block,
            pools=pools,
            moves=moves,
            fee_ppm=fee_ppm,
            amount_in=amount_in,
            token_in=token_in,
        )
    if csv is not None:
        write_csv(session, reading, csv)
    show_reading(session, reading, depth_tables(reading.result, session.language))
    failed = any(pool.data is None or pool.trade_refusal for pool in reading.result.pools)
    return ANSWER_IS_AN_ERROR if failed else DONE


def read(
    session: Session,
    workspace: Workspace,
    *,
    chain_id: str,
    block: str,
    pools: str,
    moves: str,
    fee_ppm: int | None,
    amount_in: str | None,
    token_in: str | None,
    **_: Any,
) -> DepthReading:
    """Read the depth that the options describe. Errors: all kinds."""
    trade = _trade(amount_in, token_in)
    contracts, percentages = addresses_of(pools, "pool"), _moves(moves)
    snapshot = workspace.snapshot(chain_id=chain_id_of(chain_id), block=block)
    with progress(session) as report:
        depth = snapshot.pool_depth(
            contracts, moves=percentages, fee_ppm=fee_ppm, trade=trade, progress=report
        )
    say_notes(session, snapshot.traffic)
    return DepthReading(depth)


def _moves(text: str) -> list[str]:
    """Read percentages with commas between. Errors: InvalidArgumentError."""
    moves = [move.strip() for move in text.split(",")]
    if not all(moves):
        raise InvalidArgumentError(
            f"--moves {text[:40]!r} has an empty place.",
            remedy=f"Write percentages with commas between, such as {_MOVES}.",
        )
    for move in moves:
        parse_move(move)
    return moves


def _trade(amount_in: str | None, token_in: str | None) -> tuple[int, str] | None:
    """Both halves of a trade, or none. Errors: InvalidArgumentError."""
    if amount_in is None and token_in is None:
        return None
    if amount_in is None or token_in is None:
        raise InvalidArgumentError(
            "A trade needs both --amount-in and --token-in.",
            remedy="Write the raw amount and the 0x address of the token that goes in.",
        )
    try:
        return parse_raw_int(amount_in), token_in
    except ValueError as error:
        raise InvalidArgumentError(f"--amount-in: {error}") from None
