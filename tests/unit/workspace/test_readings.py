"""The notebook's front door, on the shipped demo."""

from __future__ import annotations

import pytest

import toolkit as tk
from toolkit.evidence import COLUMNS

BRAM = "0xfe4A0684cB1B66eb0bEc10bb089EacfCD216c802"
EMRE = "0x4a33Bd674289644C0608861002d10C93335bf237"
NOBODY = "0x00000000000000000000000000000000000E3977"


@pytest.fixture
def node(monkeypatch, tmp_path):
    """The demo, with a store of its own."""
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    with_store = tk.demo()
    yield with_store
    with_store.close()


def test_the_public_names_are_sorted_and_frozen():
    """A name that is taken away breaks somebody's notebook."""
    assert tk.__all__ == [
        "BalanceReading",
        "Cell",
        "ChangeReading",
        "ComparisonReading",
        "DepthReading",
        "InvalidArgumentError",
        "MixedPinsError",
        "Node",
        "Pin",
        "PinnedNode",
        "ReorgedError",
        "ToolResult",
        "ToolkitError",
        "TransfersReading",
        "UnknownChainError",
        "call",
        "change",
        "connect",
        "demo",
        "export",
    ]
    assert tk.__all__ == sorted(tk.__all__)
    assert all(getattr(tk, name) is not None for name in tk.__all__)
    with pytest.raises(AttributeError):
        tk.price  # noqa: B018 - the look-up is the test


def test_a_balance_is_an_exact_integer_with_its_text_and_its_evidence(node):
    """An analyst must be able to compute with it and to prove it."""
    balances = node.at(block=100).native_balances([BRAM, NOBODY])

    assert balances[BRAM].raw_amount == 999998505310954893548
    assert balances[BRAM.lower()].amount == "999.998505310954893548"
    assert balances[NOBODY].state == "zero"
    assert balances.evidence.columns == list(COLUMNS)
    assert "999998505310954893548" in balances.evidence["raw_amount"].to_list()


def test_seventy_eight_digits_survive_every_way_out(node, tmp_path):
    """The largest token amount there is must leave as it came."""
    token = node.holds.tokens["VAST"]
    holders = list(node.holds.accounts.values())
    balances = node.at(block=100).erc20_balances(token=token, holders=holders)

    raw = max(balances.frame["raw_amount"].to_list(), key=int)
    balances.to_csv(tmp_path / "evidence.csv")

    cell = next(cell for cell in balances.result.cells if cell.raw_amount == int(raw))
    assert len(raw) >= 77
    assert raw in (tmp_path / "evidence.csv").read_text("ascii")
    assert cell.amount in repr(balances)
    assert cell.amount in balances._repr_html_()
    assert "\u2026" not in repr(balances)


def test_two_pins_meet_only_in_a_change(node, tmp_path):
    """Numbers of two blocks side by side are the mistake this toolkit exists to prevent."""
    before = node.at(block=39).native_balances([BRAM])
    after = node.at(block=100).native_balances([BRAM])

    changed = tk.change(before=before, after=after)

    assert changed.frame["raw_change"].to_list() == ["-1494689045106452"]
    assert tk.export(tmp_path / "change.csv", [changed]) == 3
    with pytest.raises(tk.MixedPinsError, match=r"block 100.*block 39"):
        tk.export(tmp_path / "mixed.csv", [before, after])
    assert not (tmp_path / "mixed.csv").exists()
    with pytest.raises(tk.InvalidArgumentError, match="lower block"):
        tk.change(before=after, after=before)


def test_a_reading_shows_its_pin_its_caveats_and_no_markup_of_a_stranger(node):
    """A token's name must not load a picture in somebody's notebook."""
    tokens = node.holds.tokens
    table = node.at(block=100).compare(
        addresses=[EMRE], tokens=[tokens["LURE"], tokens["MUTE"], BRAM], native=True
    )

    html = table._repr_html_()

    assert node.at(block=100).pin.hash in html
    assert "Price-free" in html
    assert "not_a_contract" in html
    for tag in ("<img", "<b>NOTE", "<a ", "<script"):
        assert tag not in html
    assert repr(table).splitlines()[0].startswith("DEMO")


def test_a_block_has_no_default_and_a_list_is_a_list(node):
    """A default block would be a guess, and a lone text would be read letter by letter."""
    with pytest.raises(tk.InvalidArgumentError, match="no default"):
        node.at()
    with pytest.raises(tk.InvalidArgumentError, match="exactly one"):
        node.at(block=1, time="2026-01-05T00:00:00Z")
    with pytest.raises(tk.InvalidArgumentError, match="list"):
        node.at(block=1).native_balances(BRAM)


def test_an_instant_pins_the_last_block_before_it(node):
    """Reports are written by the clock, chains by the block."""
    assert node.at(time="2026-01-05T09:10:05+09:00").pin.number == 50


def test_depth_transfers_and_charts_answer_by_the_same_names(node):
    """A notebook that follows the interface must run."""
    snap = node.at(block=100)
    pool = node.holds.depth.pools[0]

    depth = snap.pool_depth([pool], moves=["1", "5"])
    moved = snap.transfers(BRAM, from_block=0, limit=3)
    table = snap.compare(addresses=[BRAM], tokens=[], native=True)

    assert depth[pool].data.raw_reserve1 == 312525014709
    assert moved.complete is False
    assert "NOT COMPLETE" in repr(moved)
    assert table[BRAM, "native"].raw_amount == 999998505310954893548
    for chart in (*depth.charts(), moved.chart(), *table.charts()):
        assert "price-free" in chart.to_json().lower()


def test_a_call_gives_the_envelope(monkeypatch, tmp_path):
    """One number for a script: data or an error, never an exception for what a chain said."""
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))

    good = tk.call("get_native_balance", chain_id=31337000, address=BRAM, block=100)
    bad = tk.call("get_native_balance", chain_id=31337000, address="USDC", block=100)

    assert good.data.raw_amount == 999998505310954893548
    assert (bad.data, bad.error.code) == (None, "invalid_argument")


def test_an_unknown_endpoint_is_refused_when_it_is_named(monkeypatch, tmp_path):
    """A typing error must not end in reads from another endpoint."""
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("TOOLKIT_RPC_10", "http://127.0.0.1:9/key")

    with pytest.raises(tk.InvalidArgumentError, match="It has: primary"):
        tk.connect(chain_id=10, endpoint="secnod")
    with pytest.raises(tk.UnknownChainError):
        tk.connect(chain_id=11)


def test_a_notebook_s_wrong_argument_is_one_sentence(node):
    """A traceback into our rooms tells an analyst nothing about the own line."""
    balances = node.at(block=100).native_balances([BRAM])

    with pytest.raises(tk.InvalidArgumentError, match="before is a int"):
        tk.change(before=1, after=balances)
    with pytest.raises(tk.InvalidArgumentError, match="web3 is a int"):
        tk.connect(chain_id=1, web3=5)
    with pytest.raises(tk.InvalidArgumentError, match="'x' is not a chain id"):
        tk.connect(chain_id="x")


def test_the_demo_s_names_lead_to_its_addresses(node):
    """A snippet of the README must run as it stands there."""
    holds, snap = node.holds, node.at(block=100)

    bal = snap.erc20_balances(
        token=holds.tokens["MAPLE"], holders=[holds.accounts["Aiko"], holds.accounts["Bram"]]
    )

    assert bal[holds.accounts["Aiko"]].raw_amount == 892499999999999999999999
