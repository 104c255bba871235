"""Comparing addresses on the demo, as an analyst sees it."""

from __future__ import annotations

from tests.app.screen import click, comparison_link, exact, table, words_on

VAST_OF_EMRE = "15792089237316195323570985008687907853269984665640564039457.584007913129639928"
"""2^256-1 units less what the others hold: 77 digits."""


def test_the_matrix_shows_exact_amounts_of_every_kind(open_page, demo):
    """An analyst copies these figures into a report that others will check."""
    app = open_page("compare_addresses", **comparison_link(demo))

    matrix = table(app, "matrix")

    assert exact(matrix, "native coin")[0] == "939.956756540796323272"
    assert exact(matrix, "CEDAR")[4] == "1.000001"
    assert exact(matrix, "PEBBLE")[3] == "25"
    assert exact(matrix, "VAST")[4] == VAST_OF_EMRE
    assert list(matrix["address"]) == list(demo.compare.addresses)


def test_zero_and_raw_amounts_and_failures_look_different(open_page, demo):
    """Nobody may read a missing answer as an empty wallet."""
    link = comparison_link(demo, tokens=f"{demo.accounts['Bram']} {demo.tokens['MUTE']}")

    matrix = table(open_page("compare_addresses", **link), "matrix")

    assert set(exact(matrix, "Bram")) == {"× no code at this block"}
    assert exact(matrix, "MUTE")[0].startswith("# 3975")
    assert exact(matrix, "MUTE")[-1] == "○ # 0"
    assert exact(matrix, "native coin")[-1] == "○ 0.000000000000000000"


def test_the_pin_strip_names_the_block_and_the_demo(open_page, demo):
    """A screenshot without its block is no evidence, and the demo must not pass for mainnet."""
    words = words_on(open_page("compare_addresses", **comparison_link(demo)))

    assert "DEMO - recorded, not a real chain" in words
    assert "toolkit demo (31337000)" in words
    assert "2026-01-05T00:20:00Z" in words
    assert "0x182d538d\u2026cdb2ed" in words
    assert "price-free" in words


def test_a_clicked_cell_opens_its_call(open_page, demo):
    """A reviewer asks where a figure comes from, and must not have to trust it."""
    app = open_page("compare_addresses", **comparison_link(demo))
    heading = next(name for name in table(app, "matrix").columns if name.startswith("CEDAR"))

    boxes = [box.value for box in click(app, "matrix", 4, heading).code]

    assert "1.000001" in boxes
    assert "balanceOf(address)" in boxes
    assert demo.tokens["CEDAR"] in boxes
    assert any(box.startswith("toolkit call get_erc20_balance --chain-id") for box in boxes)
    assert any('"method":"eth_call"' in box and "blockHash" in box for box in boxes)


def test_a_heading_orders_by_integers_and_not_by_text(open_page, demo):
    """Text order puts 9 667 above 892 499, and a report would name the wrong holder."""
    app = open_page("compare_addresses", **comparison_link(demo))
    heading = next(name for name in table(app, "matrix").columns if name.startswith("MAPLE"))
    app.session_state["matrix"] = {"selection": {"rows": [], "columns": [heading], "cells": []}}

    amounts = exact(table(app.run(), "matrix"), "MAPLE")[:3]

    assert [amount.partition(".")[0] for amount in amounts] == ["892499", "10559", "9667"]


def test_an_earlier_block_gives_before_after_and_the_exact_change(open_page, demo):
    """What moved between two blocks must not be worked out by hand."""
    app = open_page("compare_addresses", **comparison_link(demo, before="39"))

    changes = table(app, "changes")
    first = [changes["asset"][7], changes["address"][7]]

    assert first[0].startswith("MAPLE")
    assert first[1].startswith("Bram")
    assert exact(changes, "before")[7] == "12500.000000000000000000"
    assert exact(changes, "after")[7] == "10559.033925738291465858"
    assert exact(changes, "change")[7] == "-1940.966074261708534142"


def test_two_tokens_with_one_symbol_are_pointed_out(open_page, demo):
    """A look-alike token is the oldest trick there is."""
    twins = f"{demo.tokens['MAPLE']}\n{demo.tokens['MAPLE look-alike']}"

    app = open_page("compare_addresses", **comparison_link(demo, tokens=twins))

    assert [w for w in app.warning if "Only the address tells them apart" in w.value]


def test_a_hostile_name_is_plain_text_and_is_not_followed(open_page, demo):
    """A token name with markup once loaded a stranger's image."""
    app = open_page("compare_addresses", **comparison_link(demo))

    marked_up = [*app.markdown, *app.caption, *app.warning, *app.info, *app.subheader]

    assert any("![open](https://voucher.invalid" in one.value for one in app.text)
    assert not any("voucher" in str(one.value) for one in marked_up)


def test_no_error_code_is_shown_as_if_it_were_a_word(open_page, demo):
    """A reader who does not write software cannot look ratio_undefined up."""
    app = open_page("compare_addresses", **comparison_link(demo))

    values = [value for value in table(app, "relations")["value"] if value.startswith("×")]

    assert set(values) == {"× no ratio: the divisor is zero"}


def test_a_table_wider_than_the_page_says_that_it_scrolls(open_page, demo):
    """A column out of sight is a holding that nobody reads."""
    wide = open_page("compare_addresses", **comparison_link(demo))
    narrow = open_page("compare_addresses", **comparison_link(demo, tokens=demo.tokens["CEDAR"]))

    assert "The table has 9 columns" in words_on(wide)
    assert "scroll it sideways" not in words_on(narrow)


def test_a_japanese_reader_gets_the_page_in_japanese(open_page, demo):
    """Half of an interface in English is no Japanese interface."""
    link = comparison_link(demo)

    by_locale = open_page("compare_addresses", locale="ja-JP", **link)
    by_link = open_page("compare_addresses", lang="ja", **link)

    for app in (by_locale, by_link):
        assert app.title[0].value == "同一ブロックでのアドレス比較"
        assert "デモ - 記録データ" in words_on(app)
        assert exact(table(app, "matrix"), "ネイティブコイン")[0] == "939.956756540796323272"


def test_a_page_without_a_selection_says_what_to_do(open_page):
    """A blank page teaches nothing."""
    app = open_page("compare_addresses", chain="31337000", block="100")

    assert "Paste at least one address" in words_on(app)
    app.button(key="fill_demo").click().run()
    assert len(table(app, "matrix")) == 6
