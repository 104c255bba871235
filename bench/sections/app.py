"""The dashboard beside a bare Streamlit app, and what `import toolkit` costs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

from bench import report
from bench.effort import Effort
from bench.results import Section
from bench.visits import ROOT, NoBrowserError, Site, Visits, chromium, imported_by, visit

WORK = "the dashboard"
BARE = Site(
    "bare Streamlit", "bench/bare_app/app.py", ("Front", "Front page"), ("Other", "Other page")
)
_CODES = {"bare Python": "pass", "import toolkit": "import toolkit"}
_KINDS = {
    "up": "start until the server answers",
    "first": "first visit of a fresh server",
    "later": "later visit, fresh browser",
    "change": "page change",
}
_MOST_IMPORT_SECONDS = 0.1


def measure(folder: Path, effort: Effort) -> Section:
    """Measure visits and page changes in a real browser, and imports in fresh interpreters."""
    section = Section()
    try:
        _visits(section, folder, effort)
    except NoBrowserError as missing:
        section.tables.append(f"The dashboard is missing from this run: {missing}.")
    _imports(section, effort)
    return section


def _dashboard() -> Site:
    words = json.loads((ROOT / "toolkit/i18n/en.json").read_text("utf-8"))
    start, depth = (
        (words[f"nav.{page}"], words[f"{text}.title"])
        for page, text in (("start", "start"), ("pool_depth", "depth"))
    )
    return Site("the dashboard", "app.py", start, depth)


def _visits(section: Section, folder: Path, effort: Effort) -> None:
    mine = _dashboard()
    found = {site: Visits() for site in (mine, BARE)}
    with chromium() as browser:
        for number in range(effort.passes):  # In turns, so that a noisy minute hits both.
            for site, visits in found.items():
                visit(browser, site, folder / f"{site.name}-{number}", visits, effort.rounds)
        modules = imported_by(browser, mine, folder / "imports")
    rows = []
    for kind, says in _KINDS.items():
        taken = {site: getattr(visits, kind) for site, visits in found.items()}
        cells = [cell for seconds in taken.values() for cell in _pair(seconds)]
        rows.append([says, *cells, report.ratio(min(taken[mine]), min(taken[BARE]))])
    head = [WORK, "min ms", "median ms", "bare min ms", "bare median ms", "x bare"]
    section.tables.append(report.table(head, rows))
    section.versions.add(f"streamlit {version('streamlit')}")
    _promise(section, found[mine], found[BARE], modules)


def _promise(section: Section, mine: Visits, bare: Visits, modules: set[str]) -> None:
    pair = (min(mine.first), min(bare.first))
    section.at_most("app_first", WORK, "first page within 1.3x of bare Streamlit", pair, 1.3)
    pair = (min(mine.change), min(bare.change))
    section.at_most("app_change", WORK, "page change within 1.5x of bare Streamlit", pair, 1.5)
    heavy = sorted(name for name in modules if name.partition(".")[0] == "web3")
    section.promise(
        "app_web3",
        WORK,
        "import graph without web3",
        f"{len(heavy)} of {len(modules):,} modules",
        met=not heavy and len(modules) > 0,
    )


def _imports(section: Section, effort: Effort) -> None:
    taken: dict[str, list[float]] = {says: [] for says in _CODES}
    for _ in range(3 if effort.is_brief else 20):
        for says, code in _CODES.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
            taken[says].append(time.perf_counter() - began)
    rows = [[says, *_pair(seconds)] for says, seconds in taken.items()]
    section.tables.append(report.table(["a fresh interpreter", "min ms", "median ms"], rows))
    more = min(taken["import toolkit"]) - min(taken["bare Python"])
    section.promise(
        "app_import",
        "import toolkit",
        "within 100 ms of bare Python",
        f"{report.milliseconds(more)} ms more",
        met=more <= _MOST_IMPORT_SECONDS,
    )


def _pair(seconds: list[float]) -> list[str]:
    return [report.milliseconds(min(seconds)), report.milliseconds(median(seconds))]
