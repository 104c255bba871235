"""Reads that may take long: done in a thread, with progress and a way to stop them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Any, Final, TypeVar

import streamlit as st

from toolkit.dashboard import session
from toolkit.dashboard.components.foreign_words import refuse_all
from toolkit.dashboard.words import say
from toolkit.errors import ToolkitError

if TYPE_CHECKING:
    from toolkit.workspace import Snapshot

SMALL: Final = 400
"""Up to this many cells a page simply waits; above, it shows progress and a Stop button."""

Report = Callable[[int, int], None]
T = TypeVar("T")


class _StoppedError(Exception):
    """The reader of the page pressed Stop."""


@dataclass(slots=True)
class Job:
    """One computation under way. Worker threads touch this object and nothing of Streamlit."""

    key: str
    done: int = 0
    total: int = 0
    stop: Event = field(default_factory=Event)
    future: Future[Any] | None = None

    def report(self, done: int, total: int) -> None:
        """Take the progress of the work, and end it here where it was stopped."""
        self.done, self.total = done, total
        if self.stop.is_set():
            raise _StoppedError


@st.cache_resource(show_spinner=False, on_release=lambda pool: pool.shutdown(wait=False))
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="reads")


def answered(
    snapshot: Snapshot, question: object, size: int, compute: Callable[[Report | None], T]
) -> T | None:
    """Give the answer to a question at a pin, once it is there; meanwhile show the progress.

    Errors: ToolkitError, from the computation.
    """
    known: T | None = session.recall(snapshot, question)
    if known is not None:
        return known
    if size <= SMALL:
        with st.spinner(say("job.reading")):
            return session.remembered(snapshot, question, lambda: compute(None))
    key = session.result_key(snapshot, question)
    if session.is_stopped(key):
        _offer_to_go_on()
        return None
    job = _job(key, compute)
    if job.future is None or not job.future.done():
        _watch(job)
        return None
    st.session_state.pop("_job", None)
    try:
        result: T = job.future.result()
    except _StoppedError:
        session.stop(key)
        _offer_to_go_on()
        return None
    return session.remembered(snapshot, question, lambda: result)


def _offer_to_go_on() -> None:
    """Say that the reading was stopped; it goes on only when somebody asks for it."""
    st.info(say("job.stopped"))
    st.button(say("job.go_on"), key="go_on", on_click=session.forget_stop)


def _job(key: str, compute: Callable[[Report | None], Any]) -> Job:
    """Find the job of this question, or start it and stop the one before."""
    before: Job | None = st.session_state.get("_job")
    if before is not None and before.key == key:
        return before
    if before is not None:
        before.stop.set()
    job = Job(key)
    job.future = _workers().submit(compute, job.report)
    st.session_state["_job"] = job
    return job


def _watch(job: Job) -> None:
    """Show a job's progress twice a second until it ends."""

    @st.fragment(run_every=0.5)
    def watch() -> None:
        if job.future is None or job.future.done():
            st.rerun()
        share = job.done / job.total if job.total else 0.0
        bar, button = st.columns([6, 1], vertical_alignment="center")
        with bar:
            st.progress(share, text=say("job.progress", done=job.done, total=job.total or "?"))
        with button:
            if st.button(say("job.stop"), key="stop_job", width="stretch"):
                job.stop.set()

    watch()


def attempt(work: Callable[[], T], *consequence: str) -> T | None:
    """Do what may fail as expected; where it does, show its sentence, then what follows from it."""
    try:
        return work()
    except ToolkitError as error:
        refuse_all([str(error), *consequence])
        return None
