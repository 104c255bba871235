"""Turns at one folder, taken by several processes one after another."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from toolkit.store.faults import busy

_POLL_SECONDS: Final = 0.005


class Turn:
    """This process's turn at a folder.

    Whoever wants it first queues on a second lock. So the holder can see that somebody
    waits, and whoever has just had the turn cannot overtake the one who waits.
    """

    def __init__(self, folder: Path, name: str) -> None:
        # A timer thread gives the turn back, so the locks must not belong to a thread.
        self._held = FileLock(folder / f"{name}.lock", thread_local=False)
        self._queue = FileLock(folder / f"{name}.queue", thread_local=False)
        self._holder = folder / f"{name}.holder"

    def take(self, wait_seconds: float) -> None:
        """Wait for the turn. Errors: StoreBusyError, which names the holder; OSError."""
        deadline = time.monotonic() + wait_seconds
        try:
            with self._queue.acquire(timeout=wait_seconds, poll_interval=_POLL_SECONDS):
                remaining = max(0.0, deadline - time.monotonic())
                self._held.acquire(timeout=remaining, poll_interval=_POLL_SECONDS)
        except Timeout as timeout:
            raise busy(self._holder_pid()) from timeout
        try:
            self._holder.write_text(str(os.getpid()), encoding="ascii")
        except OSError:
            self._held.release()
            raise

    def others_wait(self) -> bool:
        """Say whether another process waits for the turn."""
        try:
            self._queue.acquire(blocking=False)
        except Timeout:
            return True
        except OSError:  # The folder went away or may no longer be written: nobody can queue.
            return False
        self._queue.release()
        return False

    def give_back(self) -> None:
        """Let the next process in."""
        self._held.release()

    def _holder_pid(self) -> int | None:
        """Read who wrote itself down as the holder."""
        with suppress(OSError, ValueError):
            return int(self._holder.read_text(encoding="ascii"))
        return None
