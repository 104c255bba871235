"""The table of reports: each has one line, and each line a test that exists, or a reason."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
TABLE = TESTS / "chain" / "CASES.md"
NUMBERS = [
    *(str(number) for number in range(1, 61)),
    *(f"3.4.{number}" for number in range(1, 10)),
    *(f"L2.{number}" for number in range(1, 15)),
    *(f"L6.{number}" for number in range(1, 12)),
]
_NAMED = re.compile(r"`([a-z0-9_/]+\.py)::(test_[a-z0-9_]+)`")


def _lines() -> list[list[str]]:
    """The table's lines, as their cells."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in TABLE.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    return [row for row in rows if row[0] != "number" and set(row[0]) != {"-"}]


@cache
def _tests_in(file: Path) -> frozenset[str]:
    """The names of a file's test functions."""
    tree = ast.parse(file.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_report_has_exactly_one_line():
    """A report without a line is one that nobody has looked at."""
    assert [row[0] for row in _lines()] == NUMBERS


def test_every_test_that_is_named_exists():
    """A line that points nowhere promises what nothing holds."""
    missing = [
        f"{row[0]}: {file}::{name}"
        for row in _lines()
        for file, name in _NAMED.findall(row[3])
        if not (TESTS / file).is_file() or name not in _tests_in(TESTS / file)
    ]

    assert missing == []


def test_a_line_has_tests_or_a_reason_and_nothing_else():
    """A name with a slip of the pen in it would be read as prose, and never be looked for."""
    loose = []
    for number, report, behaviour, last in _lines():
        only_tests = _NAMED.search(last) and not _NAMED.sub("", last).strip(" ,")
        reason = last.startswith("Cannot arise: ") and len(last) > 40
        if not report or not behaviour or not (only_tests or reason):
            loose.append(number)

    assert loose == []
