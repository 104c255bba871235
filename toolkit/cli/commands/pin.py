"""`toolkit pin`: a block's name resolved to the block itself; or an instant, on several chains."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from toolkit.analysis import pin_json
from toolkit.chain.pin_time import parse_time
from toolkit.chain.reader import PinnedBlock
from toolkit.cli.exits import ANSWER_IS_AN_ERROR, DONE
from toolkit.cli.opening import opened, say_notes
from toolkit.cli.options import chain_id_of
from toolkit.cli.run import error_json
from toolkit.cli.session import Session, session_of
from toolkit.cli.showing import show_pin
from toolkit.errors import InvalidArgumentError, ToolkitError
from toolkit.workspace import Workspace


def command(
    context: typer.Context,
    *,
    chain_id: Annotated[
        list[str],
        typer.Option(metavar="NUMBER", help="Write the chain's number; with --time, also several."),
    ],
    block: Annotated[
        str | None,
        typer.Option(
            metavar="BLOCK", help="A height in decimal, a 32-byte hash, latest, safe or finalized."
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="ISO",
            help="An instant with its zone, such as 2026-03-01T08:00:00Z: the last block at or "
            "before it, on each chain.",
        ),
    ] = None,
) -> int:
    """Resolve a block, or an instant, to one block: number, hash, time, state root, finality."""
    session = session_of(context)
    chains = [chain_id_of(text) for text in dict.fromkeys(chain_id)]
    _check(chains, block, time)
    with opened(session) as workspace:
        if len(chains) == 1:
            pinned = _pin(workspace, chains[0], block, time)
            say_notes(session, workspace.reader(chains[0]).traffic)
            _show_one(session, pinned)
            return DONE
        pins = [_attempt(workspace, chain, time) for chain in chains]
        for pinned_block in pins:
            if isinstance(pinned_block, PinnedBlock):
                say_notes(session, workspace.reader(pinned_block.pin.chain_id).traffic)
    return _show_many(session, chains, pins, time)


def _check(chains: list[int], block: str | None, time: str | None) -> None:
    """Exactly one way to name the block; a height means nothing across chains."""
    if (block is None) == (time is None):
        raise InvalidArgumentError(
            "toolkit pin needs exactly one of --block and --time; neither has a default.",
            remedy="Write --block 17000000, or --time 2026-03-01T08:00:00Z.",
        )
    if time is not None:
        parse_time(time)
    elif len(chains) > 1:
        raise InvalidArgumentError(
            "A height names another moment on each chain.", remedy="Name one chain, or use --time."
        )


def _pin(workspace: Workspace, chain: int, block: str | None, time: str | None) -> PinnedBlock:
    if time is not None:
        return workspace.pin_at_time(chain_id=chain, time=time)
    return workspace.pin(chain_id=chain, block=block or "")


def _attempt(workspace: Workspace, chain: int, time: str | None) -> PinnedBlock | ToolkitError:
    """Pin one chain of several: what fails on one is no reason to hide the others."""
    try:
        return _pin(workspace, chain, None, time)
    except ToolkitError as error:
        return error


def _show_one(session: Session, pinned: PinnedBlock) -> None:
    if session.as_json:
        session.screen.document({"pin": pin_json(pinned)})
        return
    show_pin(session, pinned)
    session.screen.line(f"{session.word('cli.state_root')} {pinned.pin.state_root}")


def _show_many(
    session: Session,
    chains: list[int],
    pins: list[PinnedBlock | ToolkitError],
    time: str | None,
) -> int:
    failed = any(isinstance(pinned, ToolkitError) for pinned in pins)
    if session.as_json:
        found = [_pin_or_error(*pair) for pair in zip(chains, pins, strict=True)]
        session.screen.document({"time": time, "pins": found})
    else:
        for chain, pinned in zip(chains, pins, strict=True):
            if isinstance(pinned, ToolkitError):
                session.screen.line(f"{session.word('strip.chain')} {chain} \u2715 {pinned}")
            else:
                show_pin(session, pinned)
    return ANSWER_IS_AN_ERROR if failed else DONE


def _pin_or_error(chain: int, pinned: PinnedBlock | ToolkitError) -> dict[str, Any]:
    if isinstance(pinned, ToolkitError):
        return {"chain_id": chain, "pin": None, "error": error_json(pinned)}
    return {"chain_id": chain, "pin": pin_json(pinned), "error": None}
