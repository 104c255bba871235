"""What the global options say, for whichever command runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import typer

from toolkit.cli.screen import Screen
from toolkit.i18n import text


@dataclass(frozen=True)
class Session:
    """One command line's global options. `store` and `config` are None where not named."""

    as_json: bool
    quiet: bool
    language: str
    store: Path | None
    config: Path | None

    @cached_property
    def screen(self) -> Screen:
        """Where answers and words are written."""
        return Screen()

    def word(self, key: str, **params: object) -> str:
        """Look a text up in the language that was chosen."""
        return text(self.language, key, **params)

    def say(self, sentence: str) -> None:
        """Tell the person at the terminal something that is no part of the answer."""
        if not self.quiet:
            self.screen.say(sentence)


def session_of(context: typer.Context) -> Session:
    """The session that the global options opened."""
    session = context.find_object(Session)
    if session is None:
        raise TypeError("A command runs only below `toolkit` itself.")
    return session
