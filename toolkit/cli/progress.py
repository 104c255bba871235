"""Words on stderr for work that takes a while: a bar where a person looks, else one sentence."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress

from toolkit.cli.session import Session

_PATIENCE_SECONDS: Final = 3.0


@contextmanager
def progress(session: Session) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that takes calls done and calls in all; None where nobody looks."""
    if session.quiet or not sys.stderr.isatty():
        yield None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(session.word("cli.calls_done"), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def waiting_word(
    session: Session, timer: Callable[[float, Callable[[], None]], Any] = threading.Timer
) -> Iterator[None]:
    """Say once that the endpoint is being waited for, where the work within takes some seconds."""
    watch = timer(_PATIENCE_SECONDS, lambda: session.say(session.word("cli.waiting")))
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
