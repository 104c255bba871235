"""Words of strangers reach a page through plain elements only, and through one module only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import toolkit.dashboard

DASHBOARD = Path(toolkit.dashboard.__file__).parent
ONLY_PLACE = "components/foreign_words.py"

UNTRUSTED_VIEWS = {
    "for_page",
    "for_csv",
    "for_log",
    "for_model",
    "from_string",
    "from_bytes32",
}
MARKED_UP = {
    "badge",
    "button",
    "caption",
    "checkbox",
    "download_button",
    "error",
    "exception",
    "expander",
    "file_uploader",
    "form_submit_button",
    "header",
    "info",
    "link_button",
    "markdown",
    "metric",
    "multiselect",
    "popover",
    "progress",
    "selectbox",
    "segmented_control",
    "spinner",
    "status",
    "subheader",
    "success",
    "tabs",
    "text_area",
    "text_input",
    "title",
    "toast",
    "toggle",
    "warning",
    "write",
    "write_stream",
}
"""Elements whose text Streamlit reads as markdown."""

FORBIDDEN = {"table", "json", "write", "write_stream", "exception", "latex", "iframe", "image"}
"""Elements that no page needs and that a token name could misuse."""

MARKED_UP_WORDS = {"label", "body", "help", "text"}
HTML_IN = {"components/pin_strip.py", "components/frame.py"}


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Every method call in the dashboard: file, call, method name."""
    for file in sorted(DASHBOARD.rglob("*.py")):
        place = file.relative_to(DASHBOARD).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield place, node, node.func.attr


def is_our_own_words(node: ast.expr) -> bool:
    """Whether an argument is `say(...)`, a fixed text, or a choice between such."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.IfExp):
        return is_our_own_words(node.body) and is_our_own_words(node.orelse)
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"say", "fee_words"}


ALLOWED = {
    # Its only callers pass say(...).
    ("components/downloads.py", "label"),
    # How far a job is: a number.
    ("jobs.py", "share"),
    # The names of two form fields that style hides and nobody reads.
    ("pinning.py", "name"),
}


def test_untrusted_text_is_viewed_in_one_module_only() -> None:
    """A token's name could reach an element that loads its image or opens its link."""
    elsewhere = [
        f"{place}:{call.lineno}"
        for place, call, method in calls()
        if method in UNTRUSTED_VIEWS and place != ONLY_PLACE
    ]

    assert elsewhere == []


def test_the_one_module_shows_them_through_plain_elements() -> None:
    """The door itself must not be open."""
    used = {method for place, call, method in calls() if place == ONLY_PLACE and _is_st(call)}

    assert used <= {"text", "code", "dataframe", "container", "caption"}


def test_elements_that_read_markdown_are_given_our_own_words_only() -> None:
    """An error sentence that quotes a contract would be rendered as markup."""
    foreign = [
        f"{place}:{call.lineno} {method}"
        for place, call, method in calls()
        if method in MARKED_UP
        for given in _worded(call)
        if not is_our_own_words(given) and (place, ast.unparse(given)) not in ALLOWED
    ]

    assert foreign == []


def test_elements_that_a_name_could_misuse_are_not_used() -> None:
    """A table cell of st.table loaded a remote image; st.json rounds integers."""
    used = [
        f"{place}:{call.lineno} {method}"
        for place, call, method in calls()
        if method in FORBIDDEN and _is_st(call)
    ]

    assert used == []


def test_html_is_written_in_the_strip_and_the_frame_only() -> None:
    """Every further place that writes HTML is a place that can forget to escape."""
    places = {place for place, call, method in calls() if method == "html" and _is_st(call)}
    unsafe = [
        f"{place}:{call.lineno}"
        for place, call, _ in calls()
        if any(word.arg == "unsafe_allow_html" for word in call.keywords)
    ]

    assert places <= HTML_IN
    assert unsafe == []


def test_no_page_imports_web3() -> None:
    """The first page would take a second longer for everybody."""
    for file in DASHBOARD.rglob("*.py"):
        assert "web3" not in file.read_text(encoding="utf-8"), file


def _is_st(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "st"


def _worded(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of an element that it reads as markdown."""
    if call.args:
        yield call.args[0]
    for word in call.keywords:
        if word.arg in MARKED_UP_WORDS:
            yield word.value
