"""The catalogues: what one language says, the other says too, and nothing is left over."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import toolkit.i18n
from toolkit.analysis import SENTENCES

ROOT = Path(toolkit.i18n.__file__).parents[1]
FILE_NAMES = re.compile(r"[a-z_]+\.(csv|py|css|toml|json|duckdb)")


def catalogue(language: str) -> dict[str, str]:
    """One catalogue as it is shipped."""
    file = ROOT / "i18n" / f"{language}.json"
    entries: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return entries


def key_patterns() -> Iterator[str]:
    """Every key that a page or command looks up, as a pattern; a computed part matches anything."""
    for file in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        composed = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            for part in node.values
        }
        for node in ast.walk(tree):
            if id(node) not in composed:
                yield from _patterns_in(node)


def _patterns_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        shaped = re.fullmatch(r"[a-z_]+\.[a-z_0-9]+", node.value)
        if shaped and not FILE_NAMES.fullmatch(node.value):
            yield re.escape(node.value)
    elif isinstance(node, ast.JoinedStr):
        pattern = "".join(
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"[a-z_0-9]+"
            for part in node.values
        )
        if re.fullmatch(r"[a-z_]+\\\.[a-z_]*\[a-z_0-9\]\+", pattern):
            yield pattern


def placeholders(text: str) -> list[str]:
    """The placeholders of one entry."""
    return sorted(set(re.findall(r"\{([a-z_]+)\}", text)))


def test_both_languages_hold_the_same_keys() -> None:
    """A reader of either language would meet a page that fails to draw."""
    assert sorted(catalogue("en")) == sorted(catalogue("ja"))


def test_both_languages_fill_the_same_placeholders() -> None:
    """A reader of one language would miss a number that the other is told."""
    english, japanese = catalogue("en"), catalogue("ja")

    differing = [k for k in english if placeholders(english[k]) != placeholders(japanese[k])]

    assert differing == []


def test_every_key_that_a_page_looks_up_is_there() -> None:
    """An analyst would see a page stop in the middle."""
    keys = set(catalogue("en"))
    rooms = {key.partition(".")[0] for key in keys}
    wanted = [p for p in key_patterns() if p.partition("\\.")[0] in rooms]

    missing = [p for p in wanted if not any(re.fullmatch(p, key) for key in keys)]

    assert wanted
    assert missing == []


def test_no_entry_is_left_that_no_page_looks_up() -> None:
    """A translator would work on words that nobody reads."""
    patterns = set(key_patterns())

    unused = [k for k in catalogue("en") if not any(re.fullmatch(p, k) for p in patterns)]

    assert unused == []


def test_every_caveat_of_the_analysis_is_said_in_both_languages() -> None:
    """A Japanese reader would not be warned of what an English reader is."""
    for language in toolkit.i18n.LANGUAGES:
        missing = [code for code in SENTENCES if f"caveat.{code}" not in catalogue(language)]

        assert missing == []


def test_the_english_caveats_are_the_words_of_the_analysis() -> None:
    """A page and a command would warn of one thing in two ways."""
    english = catalogue("en")

    assert {code: english[f"caveat.{code}"] for code in SENTENCES} == dict(SENTENCES)
