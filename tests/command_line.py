"""Runs `toolkit` inside the test's process, on settings of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from toolkit.cli.run import run


@dataclass(frozen=True)
class Ran:
    """What one command line left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


class CommandLine:
    """Calls the command line as a shell would."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ran:
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        said = self._capsys.readouterr()
        return Ran(code, said.out, said.err)
