"""What the very first batch on a new machine costs: an empty store, an unknown endpoint."""

from __future__ import annotations

from pathlib import Path

from bench import report
from bench.balances import Balances
from bench.effort import Effort
from bench.line_up import toolkit
from bench.measure import count_peer
from bench.results import Section
from bench.world import running_world

COUNT = 1_000
_MOST_PROBING = 6


def measure(folder: Path, effort: Effort) -> Section:  # noqa: ARG001  # the sections' face
    """Count the first batch, and take off it what a later one costs."""
    section = Section()
    rows = []
    with running_world(folder) as world:
        for says, refused in (("overrides honoured", False), ("overrides refused", True)):
            peer = toolkit(says, refused=refused, other=True)
            job = Balances(world, "new", COUNT, 1, first=COUNT)
            costs = count_peer(peer, world.port, job)
            if not costs:
                continue  # It failed, and the cold section says why.
            first, later = costs["first"], costs["cold"]
            probing = first.requests - later.requests
            rows.append([says, str(first.requests), str(first.calls), str(probing)])
            section.promise(
                f"probe_{'refused' if refused else 'honoured'}",
                f"first batch ever, {says}",
                f"the probe of capabilities takes at most {_MOST_PROBING} requests",
                f"{probing}",
                met=probing <= _MOST_PROBING,
            )
    head = ["first batch ever, 1,000 balances", "requests", "calls", "requests of the probe"]
    section.tables.append(report.table(head, rows))
    return section
