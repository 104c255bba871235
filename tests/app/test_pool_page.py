"""Pool depth on the demo, as an analyst sees it."""

from __future__ import annotations

import pytest

from tests.app.screen import click, exact, table, words_on
from toolkit.derive import amount_out


@pytest.fixture
def link(demo):
    """The link of the demo's two pools."""
    return {"chain": "31337000", "block": "100", "pools": "\n".join(demo.depth.pools)}


def test_reserves_stand_beside_what_the_pool_really_holds(open_page, link):
    """A donation inside balanceOf would pass for liquidity."""
    reserves = table(open_page("pool_depth", **link), "reserves")

    assert exact(reserves, "reserve")[3] == "27699.244593"
    assert exact(reserves, "balanceOf(pool)")[3] == "28199.244593"
    assert exact(reserves, "gap") == [
        "0.000000000000000000",
        "0.000000",
        "0.000000000000000000",
        "500.000000",
    ]


def test_no_fee_is_in_the_figures_until_somebody_states_one(open_page, link):
    """An assumed fee is a made-up number."""
    without = open_page("pool_depth", **link)
    stated = open_page("pool_depth", **link, fee_ppm="3000")

    assert "no fee was stated, and none is assumed" in words_on(without)
    assert "amount in with fee, rounded up" not in table(without, "moves_sell_token0").columns
    assert "With a fee of 3000 ppm" in words_on(stated).replace("\\", "")
    assert "amount in with fee, rounded up" in table(stated, "moves_sell_token0").columns


def test_both_sides_show_every_move_of_every_pool(open_page, link):
    """A pool that is deep on one side only must not pass for deep."""
    app = open_page("pool_depth", **link)

    falls, rises = (table(app, f"moves_sell_token{at}") for at in (0, 1))

    assert list(falls["move"]) == 2 * ["−0.5 %", "−1 %", "−2 %", "−5 %", "−10 %"]
    assert list(rises["move"]) == 2 * ["+0.5 %", "+1 %", "+2 %", "+5 %", "+10 %"]


def test_a_trade_is_the_integer_that_the_contract_would_pay(open_page, link, demo):
    """One unit off, and a reader who asks the router gets another answer."""
    one_maple = {"amount_in": str(10**18), "token_in": demo.tokens["MAPLE"], "fee_ppm": "3000"}

    app = open_page("pool_depth", **link, **one_maple)

    raw = [text.replace(".", "") for text in exact(table(app, "reserves"), "reserve")]
    expected = [amount_out(10**18, int(raw[at]), int(raw[at + 1]), 3000) for at in (0, 2)]
    shown = [int(t.replace(".", "")) for t in exact(table(app, "trades"), "amount out")]
    assert shown == expected


def test_a_trade_says_beside_its_amount_whether_a_fee_is_in_it(open_page, link, demo):
    """Who takes the figure without a fee for what the pool pays expects too much."""
    one_maple = {"amount_in": str(10**18), "token_in": demo.tokens["MAPLE"]}

    without = table(open_page("pool_depth", **link, **one_maple), "trades")
    stated = table(open_page("pool_depth", **link, **one_maple, fee_ppm="3000"), "trades")

    assert set(without["fee"]) == {"not included; the pool does not tell it"}
    assert "impact with fee, %" not in without
    assert set(stated["fee"]) == {"included: 3000 ppm, as you stated"}
    assert "impact with fee, %" in stated


def test_a_pool_without_the_traded_token_says_which_tokens_it_has(open_page, link, demo):
    """A trade that silently drops out leaves a reader with half of the answer."""
    pools = f"{demo.pools['Alder MAPLE/CEDAR']}\n{demo.pools['Alder TIDE/WETH']}"
    one_maple = {"amount_in": str(10**18), "token_in": demo.tokens["MAPLE"]}

    app = open_page("pool_depth", **{**link, "pools": pools}, **one_maple)

    assert f"{demo.tokens['MAPLE']} is not a token of this pool; it has WETH" in words_on(app)
    assert len(table(app, "trades")) == 1


def test_a_clicked_move_opens_its_formula_and_its_rows(open_page, link):
    """A computed figure without its formula cannot be checked."""
    app = click(open_page("pool_depth", **link), "moves_sell_token0", 2, "move")

    boxes = [box.value for box in app.code]

    assert "pool_move@1(leg=in;move_pct=2;side=sell_token0)" in boxes
    assert "831.906262956765861640" in boxes


def test_a_pool_that_failed_does_not_hide_the_others(open_page, link, demo):
    """Nine good pools must not be lost to one wrong address."""
    pools = f"{demo.accounts['Aiko']}\n{demo.pools['Alder MAPLE/CEDAR']}"

    app = open_page("pool_depth", **{**link, "pools": pools})

    assert "No code stands at" in words_on(app)
    assert len(table(app, "reserves")) == 2
