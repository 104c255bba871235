"""Untrusted text leaves only through a view, and each place of the package has its own view."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolkit
from toolkit.untrusted import UntrustedText

PACKAGE = Path(toolkit.__file__).parent

VIEWS = {
    # A page's plain elements; titles of charts where the text is plain; text tables of terminal
    # and notebook, whose writers escape and mark again; a giant name's place in a CSV file.
    "for_page": {
        "dashboard/components/foreign_words.py",
        "charts/addresses.py",
        "workspace/tables.py",
        "evidence/rows.py",
    },
    "for_csv": {"evidence/rows.py"},
    "for_log": {"tools/failure.py"},
    # No room builds a prompt yet.
    "for_model": set(),
}
"""Each view and the only files that may take it. A new place is a decision: read it first."""

OUTSIDE = "untrusted/"

DECODES = {
    # Digits that were made here.
    "models/primitives.py",
    "dashboard/headers.py",
    # Files that the analyst names or uploads.
    "cli/options.py",
    "dashboard/components/label_book.py",
    "dashboard/inputs.py",
    # Each field's own decoder, which makes UntrustedText of text.
    "tools/asks.py",
    "tools/runner.py",
}
"""Files that turn bytes into text. Bytes of a contract become text in UntrustedText alone."""

RAW_BYTES = {
    # The bytes of a field, for its hex form.
    "evidence/layout.py",
}

WRITERS = {"debug", "info", "warning", "error", "exception", "critical", "log", "print", "warn"}
"""What writes to a log, a terminal or a page's coloured box."""


def nodes() -> Iterator[tuple[str, ast.AST]]:
    """Every node of the package outside the views' own room, with its file."""
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        if not place.startswith(OUTSIDE):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                yield place, node


def attributes(name: str) -> set[str]:
    """The files that use an attribute of this name."""
    return {
        place for place, node in nodes() if isinstance(node, ast.Attribute) and node.attr == name
    }


@pytest.mark.parametrize("view", sorted(VIEWS))
def test_a_view_is_taken_where_it_is_meant_for(view: str) -> None:
    """A page's view in a prompt has no fence, and a file's view in a log has no bound."""
    assert attributes(view) == VIEWS[view]


def test_every_view_has_its_places() -> None:
    """A view that nobody lists is a door that nobody watches."""
    views = {name for name in dir(UntrustedText) if name.startswith("for_")}

    assert views == set(VIEWS)


def test_bytes_of_a_contract_become_text_in_one_room() -> None:
    """A name decoded elsewhere is an ordinary string, which any label would show."""
    decodes = attributes("decode") | {
        place
        for place, node in nodes()
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "str"
        and (len(node.args) > 1 or any(word.arg == "encoding" for word in node.keywords))
    }

    assert decodes == DECODES


def test_nobody_reaches_for_the_bytes_or_the_hidden_text() -> None:
    """Content taken past the views is content without a mark, a bound or a fence."""
    raw = {
        place
        for place, node in nodes()
        if isinstance(node, ast.Attribute)
        and node.attr == "raw"
        and not (isinstance(node.value, ast.Name) and node.value.id == "state")
    }
    hidden = {
        place
        for place, node in nodes()
        if isinstance(node, ast.Attribute) and node.attr in {"_text", "_as_json"}
    }
    inner = {
        place
        for place, node in nodes()
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolkit.untrusted.")
    }

    assert (raw, hidden, inner) == (RAW_BYTES, set(), set())


def test_no_view_is_written_to_a_log_but_the_logs_own() -> None:
    """A terminal escape in a log runs on the machine of whoever reads it next."""
    wrong = [
        f"{place}:{node.lineno}"
        for place, node in nodes()
        if isinstance(node, ast.Call) and _name(node.func) in WRITERS
        for inside in ast.walk(node)
        if isinstance(inside, ast.Attribute) and inside.attr in set(VIEWS) - {"for_log"}
    ]

    assert wrong == []


def test_no_error_is_raised_with_a_view_of_a_page() -> None:
    """An error's sentence goes everywhere: to logs, pages, exports and agents."""
    wrong = [
        f"{place}:{node.lineno}"
        for place, node in nodes()
        if isinstance(node, ast.Raise)
        for inside in ast.walk(node)
        if isinstance(inside, ast.Attribute) and inside.attr in set(VIEWS) - {"for_log"}
    ]

    assert wrong == []


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return getattr(function, "id", "")
