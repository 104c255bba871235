"""What every page shares: the pin, the link, the start, the evidence, the endpoints."""

from __future__ import annotations

import csv
import io

from tests.app.screen import click, comparison_link, plain_table, table, words_on
from toolkit.dashboard.page_files import page_file
from toolkit.evidence import COLUMNS

HEAD = "0x182d538d660350e67665f3c10d4a7b012d19e17dcc2f77262e4b2670aacdb2ed"
KEY = "s3cr3t-key"


def test_the_first_visit_explains_the_pin_and_opens_the_demo(open_page):
    """A stranger who sees a blank page leaves."""
    app = open_page("start")

    assert "No block is pinned" in words_on(app)
    assert "one block of one chain, named by its hash" in words_on(app)

    app.button(key="open_demo").click().run()

    assert app.title[0].value == "Compare addresses at one block"
    assert "DEMO - recorded, not a real chain" in words_on(app)


def test_a_tag_becomes_the_hash_that_it_meant(open_page, demo):
    """A link that says latest shows another block tomorrow."""
    app = open_page("compare_addresses", **comparison_link(demo, block="latest"))

    assert app.text_input(key="block").value == HEAD
    assert "2026-01-05T00:20:00Z" in words_on(app)


def test_a_time_becomes_the_last_block_at_or_before_it(open_page, demo):
    """Whoever asks for midnight must not get the block after it."""
    link = comparison_link(demo, block="2026-01-05T00:19:59Z")

    app = open_page("compare_addresses", **link)

    assert "2026-01-05T00:19:48Z" in words_on(app)


def test_height_and_hash_give_the_same_page(open_page, demo):
    """A link by hash must reproduce what was seen by height."""
    by_height = open_page("compare_addresses", **comparison_link(demo, block="100"))
    by_hash = open_page("compare_addresses", **comparison_link(demo, block=HEAD))

    assert table(by_height, "matrix").equals(table(by_hash, "matrix"))


def test_evidence_holds_what_was_shown_and_opens_by_a_click(open_page, demo):
    """The rows behind a report must be found without asking the chain again."""
    app = open_page("compare_addresses", **comparison_link(demo))

    app.switch_page(str(page_file("evidence"))).run()

    rows = table(app, "evidence_rows")
    assert {"raw_amount", "decimals", "value", "symbol"} <= set(rows["field"])
    row = list(rows["field"]).index("raw_amount")
    boxes = [box.value for box in click(app, "evidence_rows", row, "field").code]
    assert rows["row_id"][row] in boxes
    assert HEAD in boxes


def test_evidence_before_anything_was_shown_says_where_to_begin(open_page):
    """An empty table looks like a fault."""
    assert "Nothing has been shown" in words_on(open_page("evidence"))


def test_an_added_endpoint_is_listed_by_name_and_never_by_url(open_page, tmp_path, monkeypatch):
    """A URL on screen gives the key in it to everybody in the room."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    app = open_page("endpoints")

    app.text_input(key="new_chain_id").input("137")
    app.text_input(key="new_endpoint_id").input("archive")
    app.text_input(key="new_url").input(f"https://node.invalid/{KEY}")
    app.button(key="add_endpoint_button").click().run()

    assert not app.exception
    assert "archive" in list(plain_table(app, "Name")["Name"])
    assert "137" in list(plain_table(app, "coin")["Chain id"])
    shown = words_on(app) + "".join(one.value.to_csv() for one in app.dataframe)
    assert KEY not in shown
    assert "node.invalid" not in shown


def test_a_refused_endpoint_stays_in_the_form_but_for_its_url(open_page, tmp_path, monkeypatch):
    """Typing all of it again is a nuisance; a URL that stays on screen is a leaked key."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    app = open_page("endpoints")

    app.text_input(key="new_chain_id").input("137")
    app.text_input(key="new_endpoint_id").input("bad id!")
    app.text_input(key="new_url").input(f"https://node.invalid/{KEY}")
    app.button(key="add_endpoint_button").click().run()

    names = ("chain_id", "endpoint_id", "url")
    assert [app.text_input(key=f"new_{name}").value for name in names] == ["137", "bad id!", ""]
    assert "bad id!" in words_on(app)
    assert "Nothing was added" in words_on(app)
    assert KEY not in words_on(app)


def test_what_was_asked_is_counted_since_the_start_and_says_so(open_page, demo):
    """A count that grows with every page would pass for what this page cost."""
    words = words_on(open_page("compare_addresses", **comparison_link(demo)))

    assert "requests / from store, since start" in words


def test_labels_from_a_file_are_the_names_on_the_page(open_page, demo):
    """An analyst knows wallets by the names in their own book."""
    from toolkit.dashboard.components.label_book import import_labels

    out = io.StringIO()
    csv.writer(out).writerows(
        [["chain_id", "address", "label"], [31337000, demo.accounts["Aiko"], "Desk 7"]]
    )
    import_labels(out.getvalue().encode(), "labels.csv")

    matrix = table(open_page("compare_addresses", **comparison_link(demo)), "matrix")

    assert matrix["your label"][0] == "Desk 7"


def test_evidence_columns_are_those_of_the_file():
    """The page shows a part of the file's columns; none of its own."""
    shown = {"field", "contract", "function", "block_number", "chain_id", "endpoint_id", "row_id"}

    assert shown <= set(COLUMNS)
