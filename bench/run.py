"""Measures the toolkit beside its peers on one local chain, and writes bench/RESULTS.md.

Three passes: requests are counted through a proxy, times are taken without it, and once more
with a proxy that holds each request for 50 ms. Ratios count; absolute times are this machine's.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench import sections  # noqa: E402
from bench.environments import NoEnvironmentError, packages_of, python_with  # noqa: E402
from bench.measure import Peer  # noqa: E402
from bench.world import running_world  # noqa: E402
from tests.chain.anvil import NoAnvilError, find_anvil  # noqa: E402
from tests.chain.deployments import NoContractError  # noqa: E402

ABOUT = """# Measured

Written by `make bench`: one run, one local anvil, every value compared with the token's closed
form, fresh holders in every cold round. Each peer has an interpreter of its own, warmed up by
ten balances. The toolkit's times hold all it owes beside the value: validated arguments, the
pin, the look-up in the store, the header check and provenance. Every value is decoded within
them; the data model and the envelope around it are built when they are looked at. Facts are
written to DuckDB after the answer, or sooner where somebody asks for the file; rows that say so
wait for that too. The peers give values only. multicall.py brings web3 7 with it, the others
run on web3 8. Ratios are of minima, and the machine is shared: read ratios, not milliseconds.
"""


def main() -> int:
    """Measure everything and write it down."""
    versions: set[str] = set()
    multicall_py = _multicall_py()
    try:
        with tempfile.TemporaryDirectory() as folder, running_world(Path(folder)) as world:
            tables = []
            for table in sections.measure(world, multicall_py, versions):
                print(table, end="\n\n", flush=True)
                tables.append(table)
    except (NoAnvilError, NoContractError) as missing:
        print(missing, file=sys.stderr)
        return 1
    page = "\n\n".join([ABOUT.rstrip(), *tables, f"Versions: {_versions(versions)}."])
    (HERE / "RESULTS.md").write_text(page + "\n", "utf-8")
    print(page.splitlines()[-1])
    return 0


def _multicall_py() -> Peer | str:
    """The peer that is not among our packages, or why it is missing.

    Its package holds Multicall3's code too, which the local chain needs.
    """
    try:
        python = python_with("multicall", "multicall==0.15.2")
    except NoEnvironmentError as problem:
        return str(problem)
    os.environ.setdefault("TOOLKIT_MULTICALL", str(packages_of(python)))
    return Peer(sections.MULTICALL_PY, "multicall_py.py", python=python)


def _versions(found: set[str]) -> str:
    """Names and versions of everything that took part."""
    told = subprocess.run([find_anvil(), "--version"], capture_output=True, text=True, check=True)
    number = told.stdout.splitlines()[0].split()[-1]
    everything = {f"Python {platform.python_version()}", f"anvil {number}"} | found
    return ", ".join(sorted(everything, key=str.lower))


if __name__ == "__main__":
    raise SystemExit(main())
