"""`toolkit endpoint`: the ways to the chains, by name. A URL is a secret and is never shown."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

import typer

from toolkit.cli.exits import DONE, UNAVAILABLE
from toolkit.cli.opening import opened
from toolkit.cli.options import ChainIdOption, chain_id_of
from toolkit.cli.reports import endpoint_json, show_endpoints
from toolkit.cli.session import session_of
from toolkit.errors import InvalidArgumentError

command: Final = typer.Typer()


@command.command()
def add(
    context: typer.Context,
    *,
    chain_id: ChainIdOption,
    endpoint_id: Annotated[
        str, typer.Option("--id", metavar="NAME", help="Write a name such as primary.")
    ],
    url_env: Annotated[
        str | None,
        typer.Option(metavar="VARIABLE", help="Take the URL from this environment variable."),
    ] = None,
) -> int:
    """Keep an endpoint in your own settings file, which only you can read.

    The URL is asked for without being shown, or read from standard input or from --url-env.
    It is no argument on purpose: every program on this machine can read a command line.
    """
    session = session_of(context)
    on_chain = chain_id_of(chain_id)
    url = _url(url_env)
    with opened(session) as workspace:
        file = workspace.add_endpoint(endpoint_id=endpoint_id, chain_id=on_chain, url=url)
    if session.as_json:
        session.screen.document({"id": endpoint_id, "chain_id": on_chain, "file": str(file)})
    named = {"endpoint_id": endpoint_id, "chain_id": on_chain, "file": file}
    session.say(session.word("cli.endpoint_added", **named))
    session.say(session.word("cli.endpoint_check", chain_id=on_chain))
    return DONE


def _url(variable: str | None) -> str:
    """The URL, from wherever no other program can read it. Errors: InvalidArgumentError."""
    if variable is not None:
        url = os.environ.get(variable, "").strip()
        if not url:
            raise InvalidArgumentError(
                f"The variable {variable[:60]} is not set.", remedy="Set it to the endpoint's URL."
            )
        return url
    if sys.stdin.isatty():
        return str(typer.prompt("URL (not shown)", hide_input=True, err=True)).strip()
    url = sys.stdin.readline().strip()
    if not url:
        raise InvalidArgumentError(
            "No URL was given.", remedy="Give it on standard input, or name --url-env."
        )
    return url


@command.command("list")
def list_endpoints(context: typer.Context) -> int:
    """List the endpoints by chain and name. URLs are never shown."""
    session = session_of(context)
    with opened(session) as workspace:
        endpoints = workspace.settings.endpoints
        rows = [
            (str(one.chain_id), workspace.chain_name(one.chain_id), one.id) for one in endpoints
        ]
    if session.as_json:
        session.screen.document([{"chain_id": int(c), "chain": n, "id": i} for c, n, i in rows])
    elif rows:
        heads = ("cli.chain_id", "cli.chain", "cli.name")
        session.screen.table([session.word(head) for head in heads], rows)
    else:
        session.say(session.word("cli.no_endpoint"))
    return DONE


@command.command("test")
def check(
    context: typer.Context,
    *,
    chain_id: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Only the endpoints of this chain.")
    ] = None,
) -> int:
    """Ask each endpoint for its chain, its history and its limits. Exit 3 if any cannot be used."""
    session = session_of(context)
    with opened(session) as workspace:
        wanted = None if chain_id is None else chain_id_of(chain_id)
        reports = workspace.doctor(wanted)
    if not reports:
        raise InvalidArgumentError(
            "There is no such endpoint to test.", remedy="Run `toolkit endpoint add` first."
        )
    if session.as_json:
        session.screen.document([endpoint_json(report) for report in reports])
    else:
        show_endpoints(session, reports)
    return DONE if all(report.ok for report in reports) else UNAVAILABLE
