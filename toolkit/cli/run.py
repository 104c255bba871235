"""Runs one command line: whatever happens becomes a sentence on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, Final

import typer

from toolkit.cli.exits import ANSWER_IS_AN_ERROR, DONE, INTERRUPTED, USAGE, exit_code_of
from toolkit.cli.screen import Screen
from toolkit.cli.tree import command_tree
from toolkit.errors import InvalidArgumentError, ToolkitError

_FLAGS: Final = frozenset({"--json", "--quiet"})
_OPTIONS: Final = frozenset({"--store", "--config", "--lang"})


def run(arguments: Sequence[str]) -> int:
    """Run `toolkit` with these arguments and return the exit code. Raises nothing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that is not UTF-8 gets escapes instead of an exception.
            stream.reconfigure(errors="backslashreplace")
    global_options, rest = hoisted(arguments)
    try:
        return _run(global_options, rest)
    except ToolkitError as error:
        return _fail(error, as_json="--json" in global_options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the answer has gone: say nothing more, at exit neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ANSWER_IS_AN_ERROR
    except Exception as error:
        if os.environ.get("TOOLKIT_DEBUG") == "1":
            raise
        Screen().say(
            f"Something that was not foreseen went wrong: {type(error).__name__}. "
            "Set TOOLKIT_DEBUG=1 to see where, and report it."
        )
        return ANSWER_IS_AN_ERROR


def hoisted(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the global options, which may stand anywhere, from the command and its own."""
    front: list[str] = []
    rest: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            rest += [argument, *waiting]
        elif argument in _FLAGS or argument.partition("=")[0] in _OPTIONS - {argument}:
            front.append(argument)
        elif argument in _OPTIONS:
            front += [argument, *([value] if (value := next(waiting, None)) is not None else [])]
        else:
            rest.append(argument)
    return front, rest


def _run(global_options: list[str], rest: list[str]) -> int:
    """Run the tree; what typer refuses is said as an error of ours."""
    tree = typer.main.get_command(command_tree(rest[0] if rest else None))
    refused: InvalidArgumentError | None = None
    try:
        code = tree.main(args=[*global_options, *rest], prog_name="toolkit", standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        sentence = usage_sentence(error)
        if not sentence:  # The help was shown in its place.
            return USAGE
        refused = InvalidArgumentError(sentence)
    raise refused


def usage_sentence(error: typer.TyperException) -> str:
    """Say what is wrong with the command line, and how to mend it."""
    said: str = error.format_message()
    if not said:
        return ""
    context: Any = getattr(error, "ctx", None)
    parameter: Any = getattr(error, "param", None)
    where = context.command_path if context else "toolkit"
    if type(error).__name__ == "MissingParameter" and parameter is not None:
        name = max(parameter.opts, key=len)
        shown = name if name.startswith("-") else name.upper()
        return f"{where} needs {shown}, which has no default. {parameter.help or ''}".strip()
    commands = getattr(context.command, "commands", None) if context else None
    if commands and said.startswith("No such command"):
        return f"{said} `{where}` has: {', '.join(commands)}."
    return f"{said.rstrip('.')}. See `{where} --help`."


def _fail(error: ToolkitError, *, as_json: bool) -> int:
    """Say an error, to a machine too where it listens."""
    screen = Screen()
    if as_json:
        screen.document({"error": error_json(error)})
    screen.say(str(error))
    return exit_code_of(error)


def error_json(error: ToolkitError) -> dict[str, Any]:
    """An error in the words of the envelope's `error`."""
    return {
        "code": error.code,
        "message": error.message,
        "retryable": error.retryable,
        "attempts": error.attempts,
        "remedy": error.remedy,
    }
