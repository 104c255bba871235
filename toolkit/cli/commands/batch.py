"""`toolkit batch`: many tool calls as JSON lines, answered in order with their reads merged."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic_core import from_json

from toolkit.cli.envelope import envelope_json
from toolkit.cli.exits import ANSWER_IS_AN_ERROR, DONE
from toolkit.cli.opening import opened
from toolkit.cli.options import text_of, text_of_file
from toolkit.cli.progress import progress
from toolkit.cli.session import Session, session_of
from toolkit.errors import InvalidArgumentError
from toolkit.models import Provenance, ToolResult
from toolkit.tools import Pins, ToolCall
from toolkit.tools.failure import tool_error
from toolkit.workspace import Workspace

_SLICE: Final = 4_000


def command(
    context: typer.Context,
    *,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE.jsonl|-",
            help="Name a file of lines like {'tool': ..., 'args': {...}} in JSON, or - for stdin.",
        ),
    ],
) -> int:
    """Answer many tool calls: one JSON line in, one envelope out, in the same order.

    Reads of one chain and block are merged, and a tag is resolved once for all lines. Exit 1 if
    any line is an error.
    """
    session = session_of(context)
    # Only line ends part lines: JSON text may hold U+2028 and its like as they are.
    lines = [line for line in _text(file).split("\n") if line.strip()]
    with opened(session) as workspace, progress(session) as report:
        failed, pins = False, Pins() if len(lines) > _SLICE else None
        for start in range(0, len(lines), _SLICE):
            part = lines[start : start + _SLICE]
            failed |= _answer(session, workspace, part, pins)
            if report is not None:
                report(start + len(part), len(lines))
    return ANSWER_IS_AN_ERROR if failed else DONE


def _text(file: str) -> str:
    """The whole input. Errors: UnreadableFileError."""
    if file != "-":
        return text_of_file(Path(file))
    return text_of(sys.stdin.buffer, "Standard input")


def _answer(
    session: Session, workspace: Workspace, lines: Sequence[str], pins: Pins | None
) -> bool:
    """Answer some lines, and say whether any of them is an error."""
    parsed = [_call_of(line, workspace) for line in lines]
    calls = [each for each in parsed if not isinstance(each, InvalidArgumentError)]
    answers = iter(workspace.tools.batch(calls, pins))
    envelopes = [
        _refusal(each) if isinstance(each, InvalidArgumentError) else envelope_json(next(answers))
        for each in parsed
    ]
    for envelope in envelopes:
        session.screen.json_line(envelope)
    notes = {envelope["provenance"]["store_note"] for envelope in envelopes} - {None}
    for note in sorted(notes):
        session.screen.say(note)
    return any(envelope["error"] is not None for envelope in envelopes)


def _call_of(line: str, workspace: Workspace) -> ToolCall | InvalidArgumentError:
    """Read a line, or say why it is no call: the lines around it are answered all the same."""
    try:
        from_json(line)  # It bounds the depth, which `json` leaves to the interpreter's stack.
        asked = json.loads(line, object_pairs_hook=_each_name_once)
    except InvalidArgumentError as error:
        return error
    except ValueError:
        asked = None
    if not isinstance(asked, dict) or set(asked) != {"tool", "args"}:
        return InvalidArgumentError(
            "The line is not a JSON object with exactly tool and args.",
            remedy='Write {"tool": "get_native_balance", "args": {"chain_id": 1, ...}}.',
        )
    tool, arguments = asked["tool"], asked["args"]
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        return InvalidArgumentError("tool is text and args is an object.")
    try:
        workspace.tools.tool(tool)
    except InvalidArgumentError as error:
        return error
    return tool, arguments


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says one thing twice. Errors: InvalidArgumentError."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgumentError(
            f"The line names {twice[:40]!r} twice.", remedy="Name every key of an object once."
        )
    return found


def _refusal(error: InvalidArgumentError) -> dict[str, Any]:
    """The envelope of a line that no tool was asked for."""
    refused = ToolResult[Any](data=None, provenance=Provenance(), error=tool_error(error))
    return refused.model_dump(mode="json")
