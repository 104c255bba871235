"""`toolkit labels`: your own address book, the only source of names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from toolkit.cli.exits import DONE
from toolkit.cli.opening import opened
from toolkit.cli.options import chain_id_of, text_of_file
from toolkit.cli.session import session_of
from toolkit.store import parse_labels

command: Final = typer.Typer()


@command.command("import")
def import_labels(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE.csv", help="Name a CSV: chain_id,address,label.")
    ],
) -> int:
    """Keep the labels of a CSV file, all or none. A known address is relabelled."""
    session = session_of(context)
    labels = parse_labels(text_of_file(file), file.name)
    with opened(session) as workspace:
        kept = workspace.labels.keep(labels)
    if session.as_json:
        session.screen.document({"imported": kept})
    session.say(session.word("labels.imported", count=kept))
    return DONE


@command.command("list")
def list_labels(
    context: typer.Context,
    *,
    chain_id: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Only the labels of this chain.")
    ] = None,
) -> int:
    """List the labels."""
    session = session_of(context)
    with opened(session) as workspace:
        labels = workspace.labels.all()
    if chain_id is not None:
        wanted = chain_id_of(chain_id)
        labels = [label for label in labels if label.chain_id == wanted]
    rows = [(str(label.chain_id), label.address, label.label) for label in labels]
    if session.as_json:
        session.screen.document(
            [{"chain_id": int(c), "address": a, "label": name} for c, a, name in rows]
        )
    elif rows:
        heads = ("strip.chain", "compare.address", "compare.label")
        session.screen.table([session.word(head) for head in heads], rows)
    else:
        session.say(session.word("cli.no_label"))
    return DONE
