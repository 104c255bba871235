"""What one visitor's session holds: the workspace, the pin, results shown, evidence collected."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import streamlit as st

from toolkit.dashboard.inputs import is_time

if TYPE_CHECKING:
    from toolkit.workspace import Snapshot, Workspace

_KEPT_SNAPSHOTS: Final = 8
_KEPT_RESULTS: Final = 24

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shown:
    """One result that a page has shown, for the evidence page. `title` is our own words."""

    title: str
    result: Any


def workspace() -> Workspace:
    """The workspace of this process, opened once for its settings."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("TOOLKIT_")}
    return _open(tuple(sorted(settings.items())), Path.cwd())


@st.cache_resource(show_spinner=False, on_release=lambda opened: opened.close())
def _open(settings: tuple[tuple[str, str], ...], folder: Path) -> Workspace:
    from toolkit.workspace import open_workspace  # noqa: PLC0415  # after the first paint

    return open_workspace(dict(os.environ) | dict(settings), folder)


def snapshot_at(chain_id: int, block: str) -> Snapshot:
    """Pin a block by height, hash, tag or UTC time, once per session.

    Errors: ToolkitError.
    """

    def pin() -> Snapshot:
        named = block.strip()
        if is_time(named):
            named = workspace().pin_at_time(chain_id=chain_id, time=named).pin.hash
        return workspace().snapshot(chain_id=chain_id, block=named)

    return _kept("_snapshots", f"{chain_id}/{block.strip()}", pin, _KEPT_SNAPSHOTS)


def hold(snapshot: Snapshot) -> None:
    """Make a snapshot known under its own hash, which is what the link will carry."""
    key = f"{snapshot.pin.chain_id}/{snapshot.pin.hash}"
    _kept("_snapshots", key, lambda: snapshot, _KEPT_SNAPSHOTS)


def current() -> Snapshot | None:
    """The pinned snapshot that the frame resolved for this run."""
    return cast("Snapshot | None", st.session_state.get("snapshot"))


def is_demo(chain_id: int) -> bool:
    """Whether a chain is the shipped recording."""
    return any(chain.demo for chain in workspace().chains() if chain.chain_id == chain_id)


def forget_snapshots() -> None:
    """Let tags and times be resolved again, and read again what had failed."""
    for name in ("_snapshots", "_results", "_stopped"):
        st.session_state.pop(name, None)


def remembered(snapshot: Snapshot, question: object, compute: Callable[[], T]) -> T:
    """Compute a result once per pin and question, so that a click does not ask again."""
    return _kept("_results", result_key(snapshot, question), compute, _KEPT_RESULTS)


def recall(snapshot: Snapshot, question: object) -> Any | None:
    """The remembered result of a question, or None."""
    kept: dict[str, Any] = st.session_state.get("_results", {})
    return kept.get(result_key(snapshot, question))


def stop(key: str) -> None:
    """Remember the question whose reading was stopped, so that a click does not start it again."""
    st.session_state["_stopped"] = key


def is_stopped(key: str) -> bool:
    """Whether the reading for this question was stopped."""
    return bool(st.session_state.get("_stopped") == key)


def forget_stop() -> None:
    """Let a stopped reading go on."""
    st.session_state.pop("_stopped", None)


def result_key(snapshot: Snapshot, question: object) -> str:
    """A name for one question at one pin."""
    pin = snapshot.pin
    return hashlib.sha256(f"{pin.chain_id}/{pin.hash}/{question!r}".encode()).hexdigest()


def collect(title: str, snapshot: Snapshot, question: object, result: object) -> None:
    """Keep a shown result for the evidence page."""
    key = result_key(snapshot, question)
    _kept("_shown", key, lambda: Shown(title, result), _KEPT_RESULTS)


def shown() -> list[Shown]:
    """Every result this session has shown, oldest first."""
    return list(st.session_state.get("_shown", {}).values())


def _kept(shelf: str, key: str, compute: Callable[[], T], room: int) -> T:
    """Take from a shelf of the session, or compute and keep; the oldest makes room."""
    shelves: dict[str, Any] = st.session_state.setdefault(shelf, {})
    if key not in shelves:
        shelves[key] = compute()
        while len(shelves) > room:
            shelves.pop(next(iter(shelves)))
    return cast("T", shelves[key])
