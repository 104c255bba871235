"""`toolkit store`: what was read and kept."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from toolkit.cli.exits import DONE
from toolkit.cli.opening import opened
from toolkit.cli.options import ChainIdOption, chain_id_of, height_of
from toolkit.cli.session import Session, session_of
from toolkit.errors import InvalidArgumentError
from toolkit.store import Facts, StoreCounts, StoredBlock, blocks_at, compact
from toolkit.workspace.finality import finality_words

command: Final = typer.Typer()


@command.command()
def info(
    context: typer.Context,
    *,
    chain_id: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Show one height of this chain.")
    ] = None,
    block: Annotated[
        str | None, typer.Option(metavar="HEIGHT", help="The height, in decimal.")
    ] = None,
) -> int:
    """Say where the store is and what it holds, over all or at one height of one chain."""
    session = session_of(context)
    if (chain_id is None) != (block is None):
        raise InvalidArgumentError(
            "toolkit store info needs both of --chain-id and --block, or neither.",
            remedy="Write --chain-id 1 --block 17000000, or nothing for the whole store.",
        )
    if chain_id is not None and block is not None:
        return _info_at(session, chain_id_of(chain_id), height_of("--block", block))
    with opened(session) as workspace:
        counts, path = workspace.store_counts(), str(workspace.database.path)
    if session.as_json:
        session.screen.document({"path": path} | _counts_json(counts))
        return DONE
    rows = [
        (session.word("cli.file"), path),
        (session.word("cli.facts"), str(counts.facts)),
        (session.word("cli.blocks"), str(counts.blocks)),
        (session.word("cli.flagged"), str(counts.flagged)),
        (session.word("cli.logs"), str(counts.logs)),
        (session.word("cli.bytes_on_disk"), str(counts.bytes_on_disk)),
        *(
            (session.word("cli.facts_of_chain", chain_id=c), str(n))
            for c, n in counts.facts_by_chain.items()
        ),
    ]
    session.screen.table((session.word("cli.field"), session.word("compare.value")), rows)
    return DONE


@command.command("compact")
def compact_command(context: typer.Context) -> int:
    """Write the store anew: smaller, and sorted so that one block is found at once.

    It needs the room of the file once more. Other programs wait, or go on without the store;
    a crash leaves the old file or the new one, each whole.
    """
    session = session_of(context)
    with opened(session) as workspace:
        done = compact(workspace.database)
    if session.as_json:
        session.screen.document(
            {"bytes_before": done.bytes_before, "bytes_after": done.bytes_after}
        )
    session.say(session.word("cli.compacted", before=done.bytes_before, after=done.bytes_after))
    return DONE


@command.command()
def invalidate(
    context: typer.Context,
    *,
    chain_id: ChainIdOption,
    block: Annotated[str, typer.Option(metavar="HEIGHT", help="Write the height in decimal.")],
) -> int:
    """Drop all that is known at one height of one chain, so that it is read anew."""
    session = session_of(context)
    on_chain, height = chain_id_of(chain_id), height_of("--block", block)
    with opened(session) as workspace:
        dropped = Facts(workspace.database, on_chain).invalidate(height)
    if session.as_json:
        session.screen.document({"chain_id": on_chain, "block_number": height, "dropped": dropped})
    counted = {"count": dropped, "chain_id": on_chain, "block": height}
    session.say(session.word("cli.dropped", **counted))
    return DONE


def _info_at(session: Session, chain_id: int, height: int) -> int:
    """Show each block that was seen at a height, and what is kept of it."""
    with opened(session) as workspace:
        blocks = blocks_at(workspace.database, chain_id, height)
    if session.as_json:
        stored = [_block_json(one) for one in blocks]
        session.screen.document({"chain_id": chain_id, "block_number": height, "blocks": stored})
        return DONE
    if not blocks:
        session.say(session.word("cli.nothing_at_block", chain_id=chain_id, block=height))
        return DONE
    names = ("strip.hash", "strip.finality", "cli.observed_at", "cli.facts", "cli.flagged")
    headers = [session.word(name) for name in (*names, "cli.logs")]
    session.screen.table(headers, [_block_row(session, one) for one in blocks])
    return DONE


def _block_row(session: Session, one: StoredBlock) -> list[str]:
    """A block in words. One whose header was never kept says so, and is no finalized one."""
    seen = one.finality
    words = session.word("words.none") if seen is None else finality_words(seen, session.language)
    at = session.word("words.none") if seen is None else seen.observed_at
    return [one.hash, words, at, str(one.facts), str(one.flagged), str(one.logs)]


def _block_json(one: StoredBlock) -> dict[str, Any]:
    return {
        "block_hash": one.hash,
        "finality": one.finality.status if one.finality else None,
        "finality_observed_at": one.finality.observed_at if one.finality else None,
        "facts": one.facts,
        "flagged": one.flagged,
        "logs": one.logs,
    }


def _counts_json(counts: StoreCounts) -> dict[str, Any]:
    return {
        "facts": counts.facts,
        "blocks": counts.blocks,
        "flagged": counts.flagged,
        "logs": counts.logs,
        "bytes_on_disk": counts.bytes_on_disk,
        "facts_by_chain": {str(c): n for c, n in counts.facts_by_chain.items()},
    }
