"""What must not be loaded to say hello or to read one number."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("altair", "polars", "streamlit", "web3")


def loaded_by(statement: str, folder) -> set[str]:
    """Run a statement in a fresh Python and tell which heavy libraries it loaded."""
    code = f"import sys\n{statement}\nprint('LOADED', *sorted(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path), "TOOLKIT_STORE": str(folder), "HOME": str(folder)},
    )
    return set(ran.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["call", "--help"],
        [
            *("call", "get_native_balance", "--chain-id", "31337000", "--block", "100"),
            *("--address", "0xfe4A0684cB1B66eb0bEc10bb089EacfCD216c802"),
        ],
    ],
    ids=["help", "call help", "call"],
)
def test_help_and_a_call_load_no_heavy_library(arguments, tmp_path):
    """A script that calls a hundred times must not pay for charts a hundred times."""
    loaded = loaded_by(f"from toolkit.cli.run import run; run({arguments!r})", tmp_path)

    assert loaded.isdisjoint(HEAVY)


def test_importing_the_package_loads_next_to_nothing(tmp_path):
    """A notebook's first line must be felt as instant."""
    bare, ours = loaded_by("pass", tmp_path), loaded_by("import toolkit", tmp_path)

    assert ours.isdisjoint((*HEAVY, "pydantic", "duckdb", "pyarrow"))
    assert {name for name in ours - bare if name.startswith("toolkit")} == {"toolkit"}


def test_python_m_toolkit_leaves_with_the_exit_code():
    """A shell reads nothing but the exit code."""
    ran = subprocess.run(
        [sys.executable, "-m", "toolkit", "pin", "--block", "1"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 2
    assert "--chain-id" in ran.stderr
    assert ran.stdout == ""
