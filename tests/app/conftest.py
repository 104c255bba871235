"""The dashboard without a browser: the frame's script run by Streamlit's own test runner."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import streamlit as st
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
def open_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenPage]:
    """Open a page by its link, with a store of its own and no endpoint configured."""
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
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

    with no_network():
        yield open_it
    st.cache_resource.clear()


@contextmanager
def no_network() -> Iterator[None]:
    """Refuse every connection; what these pages show comes from the shipped recording."""

    def refuse(*_: object) -> None:
        raise AssertionError("A page opened a connection.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        yield
