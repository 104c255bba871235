"""`toolkit call TOOL`: one question to one tool, its options made from the tool's arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from toolkit.cli.envelope import show_answer
from toolkit.cli.exits import exit_code
from toolkit.cli.opening import opened
from toolkit.cli.session import session_of
from toolkit.tools import BUILT_IN, Tool

command: Final = typer.Typer(no_args_is_help=True)
"""One command per tool."""


def _asking(tool: Tool) -> Callable[..., int]:
    """Make the command of a tool: every argument is an option, and none has a default."""

    def ask(context: typer.Context, **arguments: str) -> int:
        session = session_of(context)
        with opened(session) as workspace:
            answer = workspace.tools.call(tool.name, arguments)
        show_answer(session, answer)
        return exit_code(None if answer.error is None else answer.error.code)

    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=_option(name, about))
        for name, about in (
            (name, declared.description or "") for name, declared in tool.args.model_fields.items()
        )
    ]
    context = inspect.Parameter(
        "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    # typer reads a command's options from its signature; this one is the tool's own.
    ask.__signature__ = inspect.Signature([context, *options])  # type: ignore[attr-defined]
    ask.__annotations__ = {"context": typer.Context} | {o.name: o.annotation for o in options}
    return ask


def _option(name: str, about: str) -> Any:
    return Annotated[str, typer.Option(f"--{name.replace('_', '-')}", metavar="TEXT", help=about)]


def _help(tool: Tool) -> str:
    """The six statements, a paragraph each."""
    return tool.description.replace("\n", "\n\n")


for _tool in BUILT_IN:
    command.command(_tool.name, help=_help(_tool), short_help=_tool.reads)(_asking(_tool))
