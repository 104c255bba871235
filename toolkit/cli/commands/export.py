"""`toolkit export`: the evidence of another command, as a file that leaves the house."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias

import typer

from toolkit.cli.commands import compare, depth, transfers
from toolkit.cli.exits import DONE
from toolkit.cli.opening import opened
from toolkit.cli.options import check_target
from toolkit.cli.session import session_of
from toolkit.errors import InvalidArgumentError

_Source: TypeAlias = Any
_SOURCES: Final[Mapping[str, _Source]] = MappingProxyType(
    {"compare": compare, "depth": depth, "transfers": transfers}
)

CONTEXT_SETTINGS: Final = {"allow_extra_args": True, "ignore_unknown_options": True}
"""What follows --from and --out belongs to the other command."""


def command(
    context: typer.Context,
    *,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="COMMAND",
            help="Write compare, depth or transfers, and then that command's own options.",
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE.csv", help="Write the name of the CSV file to make.")
    ],
) -> int:
    """Write the evidence rows of compare, depth or transfers to a CSV file, whole or not at all."""
    session = session_of(context)
    if source not in _SOURCES:
        raise InvalidArgumentError(
            f"--from {source[:40]!r} gives no evidence.",
            remedy=f"Write one of {', '.join(_SOURCES)}.",
        )
    _check_kind(out)
    check_target(out)
    chosen = _SOURCES[source]
    with opened(session) as workspace:
        reading = chosen.read(session, workspace, **_options_of(context, source, chosen))
    rows = reading.to_csv(out)
    if session.as_json:
        session.screen.document({"file": str(out), "rows": rows})
    session.say(session.word("cli.rows_written", count=rows, file=out))
    return DONE


def _check_kind(out: Path) -> None:
    """Only CSV for now. Errors: InvalidArgumentError."""
    if out.suffix.lower() == ".zip":
        raise InvalidArgumentError(
            "A bundle (.zip) comes with a later version.", remedy="Name a file that ends in .csv."
        )
    if out.suffix.lower() != ".csv":
        raise InvalidArgumentError(
            f"--out {out.name[:60]!r} is no CSV file.", remedy="Name a file that ends in .csv."
        )


def _options_of(context: typer.Context, source: str, chosen: _Source) -> dict[str, Any]:
    """Read the rest of the line as the other command would."""
    single = typer.Typer(add_completion=False)
    single.command(source)(chosen.command)
    parsed = typer.main.get_command(single).make_context(
        f"--from {source}", list(context.args), parent=context
    )
    return dict(parsed.params)
