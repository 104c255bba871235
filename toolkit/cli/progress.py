"""Words on stderr for work that takes a while: a bar where a person looks, else one sentence."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(slots=True)
class ScanSeen:
    """How far a scan has come. Unit: blocks, and logs found."""

    done: int = 0
    total: int = 0
    found: int = 0


@contextmanager
def scan_progress(session: Session, seen: ScanSeen) -> Iterator[Callable[[int, int, int], None]]:
    """Give a function that takes blocks done, blocks in all and logs found, and notes them."""

    def note(done: int, total: int, found: int) -> None:
        seen.done, seen.total, seen.found = done, total, found

    if session.quiet or not sys.stderr.isatty():
        yield note
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(session.word("cli.blocks_done", found=0), total=None)

        def show(done: int, total: int, found: int) -> None:
            note(done, total, found)
            words = session.word("cli.blocks_done", found=found)
            bar.update(task, completed=done, total=total, description=words)

        yield show


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
