"""`toolkit tools`: what there is to ask, and what each tool states of itself."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from toolkit.cli.exits import DONE
from toolkit.cli.session import session_of
from toolkit.errors import InvalidArgumentError
from toolkit.tools import BUILT_IN, Tool

command: Final = typer.Typer()

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Write a name of tools list.")]


@command.command("list")
def list_tools(context: typer.Context) -> int:
    """List the tools with what each reads."""
    session = session_of(context)
    if session.as_json:
        session.screen.document(
            [{"name": t.name, "version": t.version, "reads": t.reads} for t in BUILT_IN]
        )
        return DONE
    for tool in BUILT_IN:
        session.screen.line(tool.id, strong=True)
        session.screen.line(f"  {tool.reads}")
    return DONE


@command.command()
def show(context: typer.Context, name: NameArgument) -> int:
    """Show the six statements of one tool."""
    session, tool = session_of(context), _tool(name)
    if session.as_json:
        session.screen.document(_statements(tool))
        return DONE
    session.screen.line(tool.id, strong=True)
    for statement in tool.description.splitlines():
        session.screen.line()
        session.screen.line(statement)
    return DONE


@command.command()
def schema(context: typer.Context, name: NameArgument) -> int:
    """Write the JSON Schemas of one tool's arguments and data."""
    session, tool = session_of(context), _tool(name)
    session.screen.document({"input": tool.input_schema(), "output": tool.output_schema()})
    return DONE


def _tool(name: str) -> Tool:
    """Find a tool. Errors: InvalidArgumentError that names them all."""
    found = {tool.name: tool for tool in BUILT_IN}
    if name not in found:
        raise InvalidArgumentError(
            f"There is no tool {name[:60]!r}.", remedy=f"Tools: {', '.join(found)}."
        )
    return found[name]


def _statements(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "version": tool.version,
        "reads": tool.reads,
        "arguments": {name: about.description for name, about in tool.args.model_fields.items()},
        "returns": {name: about.description for name, about in tool.data.model_fields.items()},
        "excludes": list(tool.excludes),
        "errors": list(tool.errors),
        "cost": tool.cost,
    }
