"""`toolkit doctor`: endpoints, store and sandbox, each with what to do."""

from __future__ import annotations

from typing import Any

import typer

from toolkit.cli.exits import DONE, UNAVAILABLE
from toolkit.cli.opening import opened
from toolkit.cli.reports import endpoint_json, show_endpoints
from toolkit.cli.session import session_of
from toolkit.errors import StoreError
from toolkit.workspace import Workspace

_SANDBOX = {
    "level": "none",
    "why": "Made tools, and the sandbox for them, come with a later version.",
}


def command(context: typer.Context) -> int:
    """Check every endpoint and the store, and say what to do. Exit 3 if anything cannot be used.

    This asks each configured endpoint a few questions, on every chain that has one.
    """
    session = session_of(context)
    with opened(session) as workspace:
        reports = workspace.doctor()
        store = _store(workspace)
    is_well = bool(store["ok"]) and all(report.ok for report in reports)
    if session.as_json:
        session.screen.document(
            {
                "endpoints": [endpoint_json(report) for report in reports],
                "store": store,
                "sandbox": _SANDBOX,
                "ok": is_well,
            }
        )
        return DONE if is_well else UNAVAILABLE
    show_endpoints(session, reports)
    if not reports:
        session.screen.line(session.word("cli.no_endpoint"))
    session.screen.line(
        f"{'ok' if store['ok'] else chr(0x2715)} {session.word('cli.store')} {store['path']}",
        strong=True,
    )
    held = f"{session.word('cli.facts')}: {store['facts']}"
    session.screen.line(f"  {store['error'] or held}")
    session.screen.line(session.word("cli.sandbox_none"))
    return DONE if is_well else UNAVAILABLE


def _store(workspace: Workspace) -> dict[str, Any]:
    """Whether the store can be used, and what it holds."""
    path = str(workspace.database.path)
    try:
        counts = workspace.store_counts()
    except StoreError as error:
        return {"path": path, "ok": False, "facts": None, "error": str(error)}
    return {"path": path, "ok": True, "facts": counts.facts, "error": None}
