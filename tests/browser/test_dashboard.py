"""The dashboard in a real browser: what AppTest cannot see."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from toolkit.evidence import read_evidence

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

AIKO = "0x5aa529f4b3E947075faB4AA8af7baf8f69590100"
EMRE = "0x4a33Bd674289644C0608861002d10C93335bf237"
VAST = "0xB81DfAC7331C3AdD36573BE772aD17E314773C38"
LURE = "0x987b34f741D1E18F6fBbfeB91535399972C8acb3"
POOL = "0xd82CCEf3D60a71D91aF75cCAFA00c13558fafD20"
LINK = {
    "chain": "31337000",
    "block": "100",
    "coin": "true",
    "addresses": f"{AIKO}\n{EMRE}",
    "tokens": f"{VAST}\n{LURE}",
}
NATIVE_OF_AIKO = (480, 52)


def linked(url: str) -> dict[str, str]:
    """What a link carries."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("", {}),
        ("compare_addresses", LINK),
        ("pool_depth", {"chain": "31337000", "block": "100", "pools": POOL}),
        ("evidence", {}),
        ("endpoints", {}),
    ],
)
def test_a_page_opens_whole_and_asks_nobody_outside(screen, path, link):
    """An analyst's addresses must not reach a font host, a tracker or anybody else."""
    screen.open(path, **link)

    assert screen.page.locator("h1").count() == 1
    assert screen.leaked() == []
    assert screen.faults == []


def test_one_click_opens_the_demo_and_the_link_carries_all_of_it(screen):
    """A colleague who is sent the link must see the same page."""
    screen.open()
    screen.page.get_by_role("button", name="Open the demo").click()
    screen.page.wait_for_selector(".st-key-matrix canvas")
    screen.settle()

    link = linked(screen.page.url)
    assert (link["chain"], link["block"], link["coin"]) == ("31337000", "100", "true")
    assert AIKO in link["addresses"]
    assert VAST in link["tokens"]


def test_pin_and_selection_outlive_a_change_of_page(screen):
    """Whoever looks at another page must not lose what they had pinned and chosen."""
    screen.open("compare_addresses", **LINK)
    screen.page.get_by_role("link", name="Pool depth").click()
    screen.settle()
    elsewhere = linked(screen.page.url)
    screen.page.get_by_role("link", name="Compare addresses").click()
    screen.page.wait_for_selector(".st-key-matrix canvas")
    screen.settle()

    assert (elsewhere["chain"], elsewhere["block"]) == ("31337000", "100")
    assert linked(screen.page.url) == LINK


def test_a_clicked_cell_opens_its_evidence(screen):
    """Every figure is one click away from its proof."""
    screen.open("compare_addresses", **LINK)
    screen.page.wait_for_selector(".st-key-matrix canvas")

    screen.click_table("matrix", *NATIVE_OF_AIKO)

    panel = expect(screen.page.locator(".st-key-exact_cell"))
    panel.to_contain_text("939.956756540796323272")
    panel.to_contain_text("toolkit call get_native_balance --chain-id 31337000")


def test_the_downloaded_evidence_reads_back_exact(screen, tmp_path):
    """What leaves the page must be the numbers of the page, all 78 digits."""
    screen.open("compare_addresses", **LINK)
    with screen.page.expect_download() as waiting:
        screen.page.get_by_role("button", name="Evidence of this page (CSV)").click()
    file = Path(tmp_path / "evidence.csv")
    waiting.value.save_as(file)

    rows = {row.amount: row for row in read_evidence(file) if row.field == "raw_amount"}

    exact = "15792089237316195323570985008687907853269984665640564039457.584007913129639928"
    assert rows[exact].raw_amount == exact.replace(".", "")
    assert int(rows[exact].raw_hex, 16) == int(rows[exact].raw_amount)
    assert "939.956756540796323272" in rows


def test_a_hostile_token_name_makes_no_link_image_or_script(screen):
    """A stranger's token name must not be able to do anything on an analyst's screen."""
    screen.open("compare_addresses", **LINK)
    box = screen.page.locator(".st-key-foreign_words")
    box.scroll_into_view_if_needed()

    inside = [box.locator(tag).count() for tag in ("a", "img", "script", "iframe")]

    expect(box).to_contain_text("voucher.invalid")
    assert inside == [0, 0, 0, 0]
    assert screen.page.locator('[href*="voucher"], [src*="voucher"]').count() == 0
    assert not any("voucher" in url for url in screen.asked)


def test_the_pin_strip_stays_in_view_while_the_page_scrolls(screen):
    """A screenshot from further down must still say at which block it was taken."""
    screen.open("compare_addresses", **LINK)
    screen.page.wait_for_selector(".st-key-relations canvas")

    screen.page.locator(".st-key-relations").scroll_into_view_if_needed()
    screen.page.wait_for_timeout(300)

    top = screen.page.locator(".pin-strip").bounding_box()["y"]
    assert 0 <= top < 120


def test_every_response_carries_the_security_headers(address):
    """The second wall, for the day on which a name gets past the first."""
    with urlopen(address, timeout=10) as answer:
        policy = answer.headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval'" not in policy.replace("'wasm-unsafe-eval'", "")
    assert "script-src 'self' 'wasm-unsafe-eval' 'sha256-" in policy
