"""The commands, by name. Only the one that is run is loaded: help never waits for a library."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

import typer

from toolkit.cli.session import Session
from toolkit.errors import InvalidArgumentError
from toolkit.i18n import LANGUAGES, choose_language

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "call": "Ask one tool one question and get its envelope.",
        "batch": "Answer many tool calls from JSON lines, their reads merged.",
        "pin": "Resolve a block, or an instant, to one block's hash.",
        "compare": "Compare what addresses hold of some assets at one block.",
        "depth": "Measure how much moves each pool's own rate at one block.",
        "transfers": "List the token transfers of one address, newest first.",
        "export": "Write the evidence of compare, depth or transfers to a CSV file.",
        "tools": "List the tools and show what each states of itself.",
        "endpoint": "Add, list and test endpoints.",
        "labels": "Import and list your own address book.",
        "store": "Say what the store holds, compact it, or drop a block from it.",
        "doctor": "Check endpoints and store, and say what to do.",
        "demo": "Say what the shipped demo holds and what to try.",
        "app": "Open the dashboard.",
    }
)

_EPILOG: Final = (
    "Global options work before and after a command. Nothing has a default chain or block. "
    "Exit: 0 done; 1 the answer is an error; 2 usage; 3 unavailable; 4 unreadable file."
)


def command_tree(wanted: str | None) -> typer.Typer:
    """Build `toolkit` with the wanted command in it and all others as names only."""
    tree = typer.Typer(
        name="toolkit",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None if os.environ.get("TERM") == "dumb" else "rich",
        epilog=_EPILOG,
    )
    tree.callback()(_open_session)
    for name, purpose in COMMANDS.items():
        if name != wanted:
            tree.command(name, help=purpose)(_not_loaded)
            continue
        module = import_module(f"toolkit.cli.commands.{name}")
        command, settings = module.command, getattr(module, "CONTEXT_SETTINGS", None)
        if isinstance(command, typer.Typer):
            tree.add_typer(command, name=name, help=purpose, no_args_is_help=True)
        else:
            tree.command(name, epilog=_EPILOG, context_settings=settings)(command)
    return tree


def _open_session(
    context: typer.Context,
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Machine output: one JSON document on stdout.")
    ] = False,
    store: Annotated[
        Path | None, typer.Option(help="The folder of the DuckDB store. Or TOOLKIT_STORE.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The settings file, toolkit.toml. Or TOOLKIT_CONFIG.")
    ] = None,
    lang: Annotated[str | None, typer.Option(help="The language of the words: en or ja.")] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No progress and no words beside the answer.")
    ] = False,
) -> None:
    """Read EVM chains at one pinned block, exactly, with evidence. Read-only, price-free."""
    if lang is not None and lang not in LANGUAGES:
        raise InvalidArgumentError(f"--lang {lang[:20]!r} is not spoken.", remedy="Write en or ja.")
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    context.obj = Session(as_json, quiet, choose_language(lang, locale), store, config)


def _not_loaded() -> None:
    """Stand in the list for a command that is not the one to run."""
