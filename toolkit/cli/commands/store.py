"""`toolkit store`: what was read and kept."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from toolkit.cli.exits import DONE
from toolkit.cli.opening import opened
from toolkit.cli.options import ChainIdOption, chain_id_of, height_of
from toolkit.cli.session import session_of
from toolkit.store import Facts

command: Final = typer.Typer()


@command.command()
def info(context: typer.Context) -> int:
    """Say where the store is and what it holds."""
    session = session_of(context)
    with opened(session) as workspace:
        counts, path = workspace.store_counts(), workspace.database.path
    if session.as_json:
        session.screen.document(
            {
                "path": str(path),
                "facts": counts.facts,
                "blocks": counts.blocks,
                "flagged": counts.flagged,
                "bytes_on_disk": counts.bytes_on_disk,
                "facts_by_chain": {str(c): n for c, n in counts.facts_by_chain.items()},
            }
        )
        return DONE
    rows = [
        (session.word("cli.file"), str(path)),
        (session.word("cli.facts"), str(counts.facts)),
        (session.word("cli.blocks"), str(counts.blocks)),
        (session.word("cli.flagged"), str(counts.flagged)),
        (session.word("cli.bytes_on_disk"), str(counts.bytes_on_disk)),
        *(
            (session.word("cli.facts_of_chain", chain_id=c), str(n))
            for c, n in counts.facts_by_chain.items()
        ),
    ]
    session.screen.table((session.word("cli.field"), session.word("compare.value")), rows)
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
