"""Opens the workspace for a command, and says what its reader had to say of the store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolkit.chain.reader import Traffic
from toolkit.cli.progress import waiting_word
from toolkit.cli.session import Session
from toolkit.workspace import Workspace, open_workspace


@contextmanager
def opened(session: Session) -> Iterator[Workspace]:
    """Open the workspace that the environment and the global options describe.

    Errors: InvalidArgumentError, UnreadableFileError for broken settings.
    """
    with (
        open_workspace(
            os.environ, Path.cwd(), config_file=session.config, store=session.store
        ) as workspace,
        waiting_word(session),
    ):
        yield workspace


def say_notes(session: Session, traffic: Traffic) -> None:
    """Tell on stderr that the store was passed by, where it was; the answer is whole."""
    for note in dict.fromkeys(traffic.notes):
        session.screen.say(note)
