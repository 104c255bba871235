"""Measures the toolkit beside its peers on local chains, and writes bench/RESULTS.md.

`python bench/run.py` measures every section, `python bench/run.py cold warm` those alone, and
leaves the figures of the others. `--brief` shows quickly whether it runs, and keeps nothing.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench import line_up, results
from bench.effort import BRIEF, WHOLE
from tests.chain.anvil import NoAnvilError, find_anvil
from tests.chain.deployments import NoContractError

SECTIONS = ("cold", "first", "warm", "growth", "logs", "pools", "store", "app")


def main() -> int:
    """Measure the chosen sections and write them down."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    asked.add_argument("--brief", action="store_true", help="few rounds, nothing is kept")
    chosen = asked.parse_args()
    unknown = set(chosen.sections) - set(SECTIONS)
    if unknown:
        asked.error(f"there is no section {', '.join(sorted(unknown))}")
    effort = BRIEF if chosen.brief else WHOLE
    line_up.point_at_multicall3()
    try:
        for name in chosen.sections or SECTIONS:
            _measure(name, effort)
    except (NoAnvilError, NoContractError) as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


def _measure(name: str, effort) -> None:
    """Measure one section; what it found stands in the page at once."""
    module = importlib.import_module(f"bench.sections.{name}")
    with tempfile.TemporaryDirectory() as folder:
        section = module.measure(Path(folder), effort)
    section.versions |= _machine()
    for table in section.tables:
        print(table, end="\n\n")
    for one in section.owed:
        print(f"{one.met!s:5} {one.work}: {one.owed}: {one.measured}", flush=True)
    if not effort.is_brief:
        results.keep(name, section)
        results.assemble(SECTIONS)


def _machine() -> set[str]:
    """Versions of what every section runs on."""
    told = subprocess.run([find_anvil(), "--version"], capture_output=True, text=True, check=True)
    number = told.stdout.splitlines()[0].split()[-1]
    return {f"Python {platform.python_version()}", f"anvil {number}"}


if __name__ == "__main__":
    raise SystemExit(main())
