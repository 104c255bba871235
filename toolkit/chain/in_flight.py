"""One request for two threads that ask the same at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property

from toolkit.chain.facts import Answer
from toolkit.chain.reads import Read
from toolkit.models import Pin


class InFlight:
    """The batches of reads that are on their way. Nothing is remembered once they arrived.

    A batch that ended without answers, cancelled or broken, is asked again by whoever waited.
    """

    def __init__(self) -> None:
        self._flying: dict[Pin, list[_Batch]] = {}
        self._lock = threading.Lock()

    def share(
        self,
        pin: Pin,
        reads: Sequence[Read],
        ask: Callable[[Sequence[Read]], list[Answer]],
    ) -> list[Answer]:
        """Answer each read, in order: what another thread is asking by waiting for it."""
        with self._lock:
            others = tuple(self._flying.get(pin, ()))
            if others:
                flying = {read: batch for batch in others for read in batch.reads_once}
                own = _Batch([read for read in dict.fromkeys(reads) if read not in flying])
            else:
                flying, own = {}, _Batch(reads)
            self._flying.setdefault(pin, []).append(own)
        self._fly(pin, own, ask)
        if not flying:
            return list(own.answers or ())
        answers = dict(zip(own.reads, own.answers or (), strict=True))
        waited = {read: flying[read] for read in reads if read in flying}
        for read, batch in waited.items():
            if (answer := batch.answer_to(read)) is not None:
                answers[read] = answer
        lost = [read for read in waited if read not in answers]
        if lost:
            answers |= zip(lost, self.share(pin, lost, ask), strict=True)
        return [answers[read] for read in reads]

    def _fly(self, pin: Pin, own: _Batch, ask: Callable[[Sequence[Read]], list[Answer]]) -> None:
        """Ask this thread's own reads. Whatever becomes of it, nobody waits for ever."""
        try:
            own.answers = ask(own.reads) if own.reads else []
        finally:
            with self._lock:
                batches = self._flying[pin]
                batches.remove(own)
                if not batches:
                    del self._flying[pin]
            own.arrived.set()


class _Batch:
    """Reads on their way together; `answers` stays None where none came."""

    def __init__(self, reads: Sequence[Read]) -> None:
        self.reads = reads
        self.answers: list[Answer] | None = None
        self.arrived = threading.Event()

    @cached_property
    def reads_once(self) -> dict[Read, int]:
        """The place of each read; only built where a second thread looks."""
        return {read: place for place, read in enumerate(self.reads)}

    def answer_to(self, read: Read) -> Answer | None:
        """Wait for the batch, and take one answer from it."""
        self.arrived.wait()
        return None if self.answers is None else self.answers[self.reads_once[read]]
