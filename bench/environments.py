"""Environments for peers whose dependencies exclude ours; made on the first run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_FOLDER = Path(__file__).parent / ".envs"


class NoEnvironmentError(Exception):
    """A peer's packages could not be installed."""


def python_with(name: str, *requirements: str) -> Path:
    """Make an environment where there is none of these packages, and return its interpreter.

    Errors: NoEnvironmentError, where the package index cannot be reached among others.
    """
    folder = _FOLDER / name
    binary = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    installed = folder / "installed"
    wanted = " ".join(requirements)
    if not installed.exists() or installed.read_text("utf-8") != wanted:
        make = [sys.executable, "-m", "venv", "--clear", folder]
        fill = [binary, "-m", "pip", "install", "--quiet", *requirements]
        for command in (make, fill):
            if subprocess.run(command, capture_output=True, check=False).returncode:
                raise NoEnvironmentError(f"{wanted} could not be installed")
        installed.write_text(wanted, "utf-8")
    return binary


def packages_of(python: Path) -> Path:
    """The folder of an environment's packages."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())
