"""The store itself: how a batch grows with what is kept, and two processes that both write."""

from __future__ import annotations

from pathlib import Path

from bench import report
from bench.effort import Effort
from bench.results import Section
from bench.store_scale import SIZES, measure_store
from bench.two_processes import measure_two_processes

WORK = "the store"
_BRIEF_SIZES = (10_000, 100_000)
_MOST_BYTES = 90


def measure(folder: Path, effort: Effort) -> Section:
    """Measure the store alone: no chain, no peers."""
    section = Section()
    scale = measure_store(folder, _BRIEF_SIZES if effort.is_brief else SIZES)
    section.tables.append(_table(scale))
    pairs = measure_two_processes(folder)
    section.tables.append(_table(pairs))
    _promise_scale(section, scale)
    _promise_pairs(section, pairs)
    return section


def _promise_scale(section: Section, rows: list[dict[str, str]]) -> None:
    """Note how a look-up grew; the worse of the file as filled and compacted counts."""
    for facts in dict.fromkeys(row["facts"] for row in rows[2:]):
        grown = max(float(row["x smallest"]) for row in rows if row["facts"] == facts)
        section.promise(
            f"store_batch_{facts.replace(',', '')}",
            WORK,
            f"1,000 of {facts} facts in at most 2x the time at {rows[0]['facts']}",
            f"{grown:.2f}x",
            met=grown <= 2,
        )
    most = max(int(row["bytes a fact"]) for row in rows)
    text = f"at most {_MOST_BYTES} bytes a fact"
    section.promise("store_bytes", WORK, text, f"{most}", met=most <= _MOST_BYTES)


def _promise_pairs(section: Section, rows: list[dict[str, str]]) -> None:
    """Note what two programs did to each other."""
    lost = sum(int(row["facts lost"]) for row in rows)
    work = "two processes on one store, both writing"
    section.promise("two_lost", work, "nothing lost", f"{lost} facts lost", met=lost == 0)
    late = float(rows[-1]["x alone"])
    text = "p95 at most 3x that of one alone"
    section.promise("two_p95", work, text, f"{late:.2f}x", met=late <= 3)


def _table(rows: list[dict[str, str]]) -> str:
    head = list(rows[0])
    return report.table([name.strip() for name in head], [[*row.values()] for row in rows])
