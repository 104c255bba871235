"""Conventions that a reviewer would repeat, held for good."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.tools import BUILT_IN

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = sorted((ROOT / "toolkit").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
JUNK_DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "core", "base", "manager"}


def _functions(file):
    tree = ast.parse(file.read_text("utf-8"))
    return [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_a_file_has_one_noun_and_stays_under_400_lines():
    """A file nobody can hold in mind is where the next mistake hides."""
    long = {
        str(file.relative_to(ROOT)): lines
        for file in [*PACKAGE, *TESTS]
        if (lines := len(file.read_text("utf-8").splitlines())) > 400
    }

    assert long == {}


def test_a_function_has_one_verb_and_stays_under_40_lines():
    """A function that does three things is tested for one."""
    long = {
        f"{file.relative_to(ROOT)}:{node.name}": length
        for file in PACKAGE
        for node in _functions(file)
        if (length := _code_lines(node)) > 40
    }

    assert long == {}


def _code_lines(node):
    """Lines of a function without its docstring and its signature."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (node.end_lineno - body[0].lineno + 1) if body else 0


def test_no_room_is_a_junk_drawer():
    """A room without a noun takes anything and gives nothing back."""
    parts = {part for file in PACKAGE for part in file.relative_to(ROOT).with_suffix("").parts}

    assert parts & JUNK_DRAWERS == set()


def test_every_test_says_who_is_hurt():
    """A test without a claim is kept long after anyone knows why."""
    silent = [
        f"{file.relative_to(ROOT)}:{node.name}"
        for file in TESTS
        for node in _functions(file)
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]

    assert silent == []


@pytest.mark.parametrize("tool", BUILT_IN, ids=lambda tool: tool.name)
def test_a_tool_has_one_name_everywhere_and_states_six_things(tool):
    """An unwritten line in a tool's description is filled with somebody's guess."""
    assert (ROOT / "toolkit" / "tools" / f"{tool.name}.py").is_file()
    text = tool.description
    for said in ("Arguments, all required", "Returns.", "Does not:", "Fails with:", "Costs:"):
        assert said in text
    for name in (*tool.args.model_fields, *tool.data.model_fields):
        assert f"{name}: " in text
    schema = tool.input_schema()
    assert set(schema["required"]) == set(schema["properties"])
    assert "'default':" not in str(schema)


def test_the_package_is_light_to_import():
    """A command that only prints a pin must not wait for charts and a chain library."""
    heavy = "altair|polars|streamlit|web3|pandas|pyarrow|duckdb"
    code = f"import toolkit, sys; print([m for m in sys.modules if m in '{heavy}'.split('|')])"

    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert told.stdout.strip() == "[]"


def test_ci_runs_the_readmes_test_command():
    """A README whose command nobody runs is wrong within a month."""
    readme = (ROOT / "README.md").read_text("utf-8")
    script = (ROOT / ".ci" / "run").read_text("utf-8")

    for command in ("make run", "make test"):
        assert command in readme
    assert re.search(r"^make test$", script, re.MULTILINE)


def test_no_tracked_text_names_a_registry_host():
    """The repository speaks of the project alone."""
    hosts = ("pypi" + ".org", "python" + "hosted", "registry.npm" + "js", "deb.deb" + "ian")
    told = subprocess.run(
        ["git", "grep", "-lIE", "|".join(re.escape(host) for host in hosts)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert told.stdout == ""
