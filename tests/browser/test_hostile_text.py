"""The worst names that could be put on a chain, on a page in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.conftest import running_dashboard
from tests.chain.anvil import NoAnvilError
from tests.chain.hostile_tokens import hostile_chain
from tests.hostile_text import HIDDEN

HARMFUL = "a, img, image, script, iframe, object, embed, svg, form, base, meta, link, math, .katex"


@pytest.fixture(scope="module")
def chain(tmp_path_factory, shared_data):
    """One token per hostile text on one chain."""
    try:
        with hostile_chain(tmp_path_factory.mktemp("hostile"), shared_data.parent) as chain:
            yield chain
    except NoAnvilError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_name_on_a_chain_does_anything_on_the_page(screen, chain, tmp_path, language):
    """A name that loads an image tells a stranger who looks, and one that runs owns the page."""
    dialogs = []
    screen.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    named = {f"TOOLKIT_RPC_{chain.node.chain_id}": chain.node.url}
    with running_dashboard(tmp_path, **named) as screen.address:
        screen.open(
            "compare_addresses",
            chain=str(chain.node.chain_id),
            block="1",
            addresses=chain.node.accounts[0],
            tokens="\n".join(chain.addresses),
            lang=language,
        )
        box = screen.page.locator(".st-key-foreign_words")
        box.wait_for(timeout=60_000)
        screen.page.wait_for_selector(".st-key-matrix canvas")
        box.scroll_into_view_if_needed()
        screen.settle()

        shown = box.inner_text()
        title = screen.page.title()
        inside = box.locator(HARMFUL).count()
        elsewhere = screen.page.locator('[href*="invalid"], [src*="invalid"], [onerror]').count()
        coloured = box.locator("[style*=color], .stMarkdownColoredText").count()

    assert screen.leaked() == []
    assert screen.faults == []
    assert dialogs == []
    assert (inside, elsewhere, coloured) == (0, 0, 0)
    assert "pwned" not in title
    assert not any("invalid" in url for url in screen.asked if "tokens=" not in url)
    assert not (HIDDEN - {"\n", "\xa0"}) & set(shown)
    for address in chain.addresses:
        assert address[2:].lower() in shown.lower()
    for harmless in ("<img src=x onerror=", "⟨U+202E⟩CDSU⟨U+202C⟩", ":red[x]", "[claim](https://"):
        assert harmless in shown
    said = {"en": "letters that only look Latin", "ja": "ラテン文字に似せた別の文字"}
    assert said[language] in shown
