"""A long reading on a page: it can be stopped, stays stopped, and goes on when asked to."""

from __future__ import annotations

from concurrent.futures import wait

import pytest
from streamlit.testing.v1 import AppTest


def _page() -> None:
    """Ask for something that never ends by itself."""
    import time
    from types import SimpleNamespace

    import streamlit as st

    from toolkit.dashboard import jobs

    def compute(report):
        while True:
            report(1, 2)
            time.sleep(0.01)

    snapshot = SimpleNamespace(pin=SimpleNamespace(chain_id=1, hash="0x01"))
    jobs.answered(snapshot, "question", jobs.SMALL + 1, compute)
    st.text("the rest of the page")


@pytest.fixture
def page():
    """The page; whatever still runs at the end of the test is ended."""
    app = AppTest.from_function(_page, default_timeout=30).run()
    yield app
    if "_job" in app.session_state:
        app.session_state["_job"].stop.set()


def keys(app: AppTest) -> set[str]:
    """The buttons on the page."""
    return {button.key for button in app.button}


def test_a_stopped_reading_stays_stopped_until_it_is_asked_to_go_on(page):
    """A click elsewhere must not start ten thousand requests that somebody had stopped."""
    job = page.session_state["_job"]

    page.button(key="stop_job").click().run()
    wait([job.future], timeout=20)
    page.run()
    elsewhere = keys(page.run())

    assert elsewhere == {"go_on"}
    assert "the rest of the page" in [one.value for one in page.text]
    assert keys(page.button(key="go_on").click().run()) == {"stop_job"}
