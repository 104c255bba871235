"""A command line with a store, a working folder and settings that belong to one test."""

from __future__ import annotations

import os

import pytest

from tests.command_line import CommandLine
from toolkit.config import data_folder
from toolkit.workspace.demo import Demo, load_demo


@pytest.fixture
def command_line(capsys, monkeypatch, tmp_path) -> CommandLine:
    """`toolkit` on an empty store, in an empty folder, in English."""
    for name in list(os.environ):
        if name.startswith(("TOOLKIT_", "LC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    return CommandLine(capsys)


@pytest.fixture(scope="session")
def demo() -> Demo:
    """What the shipped demo holds."""
    return load_demo(data_folder())
