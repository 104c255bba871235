"""The dashboard without a browser: the frame's script run by Streamlit's own test runner."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from toolkit.dashboard.page_files import FRAME, page_file
from toolkit.workspace import Demo
from toolkit.workspace.demo import load_demo

OpenPage = Callable[..., AppTest]


@pytest.fixture
def demo() -> Demo:
    """What the shipped demo holds."""
    from toolkit.config import data_folder

    return load_demo(data_folder())


@pytest.fixture
def open_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """Open a page by its link, with a store of its own and no endpoint configured."""
    for name in list(__import__("os").environ):
        if name.startswith("TOOLKIT_RPC"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)

    def open_it(page: str, *, locale: str = "en-US", **link: str) -> AppTest:
        app = AppTest.from_file(str(FRAME), default_timeout=30)
        app.context = {"locale": locale}
        for name, value in link.items():
            app.query_params[name] = value
        app.switch_page(str(page_file(page)))
        return app.run()

    return open_it


def words_on(app: AppTest) -> str:
    """All plain text, captions, messages and headings of a page."""
    elements: list[Any] = [*app.text, *app.caption, *app.info, *app.markdown, *app.title]
    elements += [*app.warning, *app.subheader, *app.code]
    html = [str(element.proto.body) for element in app.get("html")]
    return "\n".join([*(str(element.value) for element in elements), *html])
