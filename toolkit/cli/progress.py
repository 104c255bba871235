"""A bar on stderr for work that takes a while, where a person looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

from toolkit.cli.session import Session


@contextmanager
def progress(session: Session) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that takes calls done and calls in all; None where nobody looks."""
    if session.quiet or not sys.stderr.isatty():
        yield None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(session.word("cli.calls_done"), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
