"""What is said of endpoints: by the doctor and by `endpoint test`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolkit.cli.session import Session
from toolkit.workspace import EndpointReport
from toolkit.workspace.health_words import health_words


def endpoint_json(report: EndpointReport) -> dict[str, Any]:
    """One endpoint's report. It names the endpoint and holds no URL."""
    return report.model_dump(mode="json")


def show_endpoints(session: Session, reports: Sequence[EndpointReport]) -> None:
    """Write each endpoint's report: what it can do, or the sentence that says why not."""
    for report in reports:
        mark = "ok" if report.ok else "\u2715"
        session.screen.line(
            f"{mark} {session.word('cli.chain')} {report.chain_id} {report.endpoint_id}",
            strong=True,
        )
        if report.error is not None:
            session.screen.line(f"  {report.error}")
        for heading, said in health_words(report.health, session.language):
            session.screen.line(f"  {heading}: {said}")
        found = report.capabilities
        if found is None:
            continue
        session.screen.line(f"  {session.word('cli.client')} {found.client}")
        named = ("hash_pins", "history", "overrides", "batch")
        for name in named:
            ability = getattr(found, name)
            verdict = {True: "cli.yes", False: "cli.no", None: "cli.not_known"}[ability.supported]
            what, said = session.word(f"cli.can_{name}"), session.word(verdict)
            session.screen.line(f"  {what}: {said} ({ability.reason})")
        session.screen.line(f"  {session.word('cli.batch_limit', count=found.batch_limit)}")
