"""The Endpoints page: how each stands, in words, and never where it is."""

from __future__ import annotations

import os

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.app.screen import plain_table, words_on
from tests.chain.endpoints import endpoints_of
from toolkit.dashboard.page_files import FRAME, page_file

KEY = "k3y-that-must-not-be-seen"


@pytest.fixture
def page(tmp_path, monkeypatch, anvil):
    """The Endpoints page over three endpoints of one chain: well, lagging, of another chain."""
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    anvil.mine(20)
    with endpoints_of(anvil, 3) as endpoints:
        endpoints.glasses[1].head = anvil.height - 8
        endpoints.glasses[2].chain_id = 10
        tables = [
            f'[[endpoint]]\nid = "{transport.endpoint_id}"\nchain_id = {anvil.chain_id}\n'
            f'url = "{proxy.url(f"/{KEY}")}"\n'
            for transport, proxy in zip(endpoints.transports, endpoints.proxies, strict=True)
        ]
        (tmp_path / "toolkit.toml").write_text("\n".join(tables))

        def open_it(locale="en-US"):
            app = AppTest.from_file(str(FRAME), default_timeout=60)
            app.context = {"locale": locale}
            app.switch_page(str(page_file("endpoints")))
            return app.run()

        open_it.endpoints = endpoints
        yield open_it
    st.cache_resource.clear()


def test_testing_all_endpoints_shows_how_each_one_stands(page):
    """An analyst must see which endpoint speaks, which one lags, and which one must go."""
    app = page()
    app.button(key="test_endpoints").click().run()
    table = plain_table(app, "standing")

    assert not app.exception
    assert list(table["standing"]) == ["in use", "standing by", "excluded"]
    assert list(table["blocks behind the best"]) == ["0", "8", "not known"]
    assert list(table["serves this chain"]) == ["yes", "yes", "no"]
    assert "serves chain 10" in table["last failure"].iloc[2]
    assert str(page.endpoints.node.height) in table["newest block seen"].iloc[0]
    for secret in (KEY, "127.0.0.1", str(page.endpoints.proxies[0].port)):
        assert secret not in words_on(app) + table.to_string()


def test_nothing_is_asked_before_somebody_asks(page):
    """Opening a settings page must not tell three providers that somebody is there."""
    app = page("ja-JP")

    assert not app.exception
    assert page.endpoints.asked == [0, 0, 0]
