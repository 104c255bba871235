"""Pages over endpoints and stores that fail: a sentence with the way out, and nothing else."""

from __future__ import annotations

import os
import socket

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.app.screen import comparison_link, exact, table, words_on
from tests.chain.faults import answer_html, answering, cut_body, faults_before, hang, serve_chain
from toolkit.dashboard.page_files import FRAME, page_file

WHO = "0x5aa529f4b3E947075faB4AA8af7baf8f69590100"
LINK = {"chain": "5", "block": "1", "coin": "true", "addresses": WHO}
KEY = "k3y-that-must-not-be-seen"
TABLE = {
    "eth_chainId": "0x5",
    "web3_clientVersion": "node/1",
    "eth_getBalance": "0x1",
    "eth_call": "0x",
    "eth_getBlockByNumber": {
        "number": "0x1",
        "hash": "0x" + "ab" * 32,
        "parentHash": "0x" + "cd" * 32,
        "timestamp": "0x69000000",
        "stateRoot": "0x" + "ef" * 32,
    },
}


@pytest.fixture
def page_at(tmp_path, monkeypatch):
    """Open the comparison of chain 5 over an endpoint at a port, with a second to answer."""
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)

    def open_it(port, **link):
        url = f"http://127.0.0.1:{port}/{KEY}"
        (tmp_path / "toolkit.toml").write_text(
            f'[[endpoint]]\nid = "node"\nchain_id = 5\nurl = "{url}"\ntimeout_seconds = 1.0\n'
        )
        app = AppTest.from_file(str(FRAME), default_timeout=60)
        app.context = {"locale": "en-US"}
        for name, value in {**LINK, **link}.items():
            app.query_params[name] = value
        app.switch_page(str(page_file("compare_addresses")))
        return app.run()

    yield open_it
    st.cache_resource.clear()


def _said_plainly(app, port):
    """The words of a page that neither crashed nor gave the endpoint away."""
    words = words_on(app)
    assert not app.exception
    for secret in (KEY, str(port), "127.0.0.1", "Traceback"):
        assert secret not in words
    return words


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (answer_html(), "it is not JSON"),
        (cut_body, "broke"),
        (hang, "did not answer"),
        (serve_chain(7), "serves chain 7"),
    ],
    ids=["html", "half a body", "slow", "wrong chain"],
)
def test_a_failing_endpoint_is_one_sentence_on_the_page(page_at, fault, says):
    """An analyst must learn what failed, and a screenshot of it must not hold a key."""
    with faults_before(answering(lambda method, _: TABLE.get(method))) as proxy:
        proxy.always = fault
        words = _said_plainly(page_at(proxy.port), proxy.port)

    assert says in words


def test_an_endpoint_that_is_down_is_one_sentence_on_the_page(page_at):
    """Nothing on a page that shows nothing must look like an empty wallet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    words = _said_plainly(page_at(port), port)

    assert "cannot be reached" in words or "refused" in words or "no connection" in words.lower()


def test_a_store_that_cannot_be_used_is_said_and_the_page_goes_on(open_page, demo, tmp_path):
    """A full disk must cost the cache, not the answer."""
    (tmp_path / "store").write_text("a file where the folder belongs")

    app = open_page("compare_addresses", **comparison_link(demo))

    words = words_on(app)
    assert not app.exception
    assert "cannot be used" in words
    assert "Traceback" not in words
    assert "939.956756540796323272" in exact(table(app, "matrix"), "native coin")
