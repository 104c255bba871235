"""Charts: exact in every tooltip, honest about zero and failure, the pin in every title."""

from __future__ import annotations

import re

import altair as alt
import pytest

from tests.unit.worlds import REVERTED, World, address_of, string_bytes
from toolkit.analysis import Comparison, PoolDepth, TransferList, comparison_calls, depth_calls
from toolkit.chain.logs import Log
from toolkit.charts import (
    ENGLISH,
    amount_out_chart,
    as_svg,
    balance_panel,
    block_chart,
    impact_charts,
    net_chart,
    product_curve,
)
from toolkit.charts.frame import approximate, number_axis
from toolkit.models import UINT256_MAX
from toolkit.tools.abi import TRANSFER_TOPIC, address_word

HOLDERS = [address_of(0xA110 + n) for n in range(4)]
T0, T1 = address_of(0x70), address_of(0x71)
POOL, OTHER, TURNED, EMPTY = (address_of(n) for n in (0x90, 0x91, 0x92, 0x93))
UNIT = 10**18
EXACT = "115792089237316195423570985008687907853269984665640564039457.584007913129639935"


@pytest.fixture
def world():
    """Amounts apart and amounts close together, a zero, a failure, and three pools."""
    world = World(coins={HOLDERS[0]: UNIT, HOLDERS[1]: 2 * UNIT})
    world.put_token(T0, {HOLDERS[0]: UINT256_MAX, HOLDERS[1]: 1}, holders=HOLDERS)
    world.put(T0, "balanceOf(address)", REVERTED, HOLDERS[2])
    world.put_token(T1, {}, decimals=6)
    world.put_pool(POOL, (T0, T1), (1000 * UNIT, 2000 * 10**6))
    world.put_pool(OTHER, (T0, T1), (300 * UNIT, 610 * 10**6))
    world.put_pool(TURNED, (T1, T0), (10**9, 400 * UNIT))
    world.put_pool(EMPTY, (T0, T1), (0, 1))
    return world


def compared(world):
    """Compare the four holders."""
    calls = comparison_calls(1, "100", HOLDERS, [T0], native=True)
    return Comparison.of(world.ask(calls), HOLDERS, [T0], native=True)


def measured(world):
    """Measure the pools with a fee and a trade."""
    pools = [POOL, OTHER, TURNED, EMPTY]
    answers = world.ask(depth_calls(1, "100", pools))
    return PoolDepth.of(answers, pools, fee_ppm=3000, trade=(100 * UNIT, T0))


def listed(world, **page):
    """List one transfer of the first holder."""
    topics = (TRANSFER_TOPIC, address_word(HOLDERS[0]), address_word(HOLDERS[1]))
    data = UINT256_MAX.to_bytes(32, "big")
    world.logs = [Log(50, f"0x{50:064x}", 1, f"0x{1:064x}", T0, topics, data)]
    world.page = page
    given = {"chain_id": 1, "address": HOLDERS[0], "from_block": "1", "to_block": "100"}
    return TransferList.of(world.ask([("list_recent_transfers", {**given, "limit": 10})])[0])


def every_chart(world):
    """Every chart there is."""
    found, depth, moves = compared(world), measured(world), listed(world)
    return [
        *(balance_panel(found, asset) for asset in found.assets),
        *impact_charts(depth, "sell_token0"),
        *impact_charts(depth, "sell_token1"),
        product_curve(depth, POOL),
        product_curve(depth, EMPTY),
        amount_out_chart(depth, T0),
        net_chart(moves, T0),
        block_chart(moves),
    ]


def layers_of(chart):
    """The single views of a chart's specification."""
    spec = chart.to_dict()
    return spec.get("layer", [spec]), spec


def rows_in(view, spec):
    """The rows of one view, in itself, named, or shared by all views."""
    data = view.get("data", spec.get("data", {}))
    return data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])


def rows_of(chart):
    """All rows that a chart carries, whichever layer they belong to."""
    views, spec = layers_of(chart)
    return [row for view in views for row in rows_in(view, spec)]


def test_a_78_digit_amount_is_exact_in_the_tooltip(world):
    """A float in a tooltip shows digits that were never on the chain."""
    rows = rows_of(balance_panel(compared(world), T0))

    assert {row["amount"] for row in rows} >= {EXACT}
    assert {row["raw_amount"] for row in rows} >= {str(UINT256_MAX)}


def test_no_tooltip_or_text_shows_a_number_that_a_renderer_could_round(world):
    """Vega computes in float64: only strings leave it as they came."""
    for chart in every_chart(world):
        views, spec = layers_of(chart)
        for view in views:
            shown = [*view["encoding"].get("tooltip", []), view["encoding"].get("text", {})]
            fields = {one["field"] for one in shown if "field" in one}
            assert all(one["type"] == "nominal" for one in shown if "field" in one)
            rows = rows_in(view, spec)
            assert rows
            assert all(isinstance(row[f], str) for row in rows for f in fields)


def test_every_number_in_a_charts_data_is_a_position_or_a_count(world):
    """A float that is not named as a position will one day be read as an amount."""
    allowed = re.compile(r"position[a-z0-9_]*|move|count|from_block|to_block")
    for chart in every_chart(world):
        for row in rows_of(chart):
            numbers = [name for name, value in row.items() if isinstance(value, int | float)]
            assert all(allowed.fullmatch(name) for name in numbers), numbers


def test_zero_and_failed_are_marks_of_their_own_and_say_why(world):
    """A failed read drawn at zero is an empty wallet to whoever looks."""
    chart = balance_panel(compared(world), T0)
    by_kind = {row["kind"]: row for row in rows_of(chart)}
    shapes = {view["mark"]["shape"] for view in layers_of(chart)[0] if view["mark"].get("shape")}

    assert set(by_kind) == {"value", "zero", "failed"}
    assert shapes == {"diamond", "cross"}
    assert by_kind["failed"]["position"] is None
    assert by_kind["failed"]["shown"] == by_kind["failed"]["state"] == "reverted"
    assert by_kind["zero"]["shown"] == "zero, read as such"
    assert "reverted" in by_kind["failed"]["reason"]


def test_amounts_a_thousandfold_apart_are_points_on_a_scale_named_as_such(world):
    """A bar on a log scale has no zero to start from, so its length lies."""
    found = compared(world)
    far, near = (layers_of(balance_panel(found, asset))[0][0] for asset in (T0, "native"))

    assert (far["mark"]["type"], near["mark"]["type"]) == ("point", "bar")
    assert far["encoding"]["x"]["scale"]["type"] == "log"
    assert ENGLISH["log_scale"] in far["encoding"]["x"]["title"]
    assert near["encoding"]["x"]["scale"]["domain"][0] == 0


@pytest.mark.parametrize(
    ("raw_amount", "decimals", "label"),
    [
        (11_963, 0, "11 963"),
        (4_553_649_999_999, 6, "4 553 649.999 999"),
        (939_956_756_540_796_323_272, 18, "≈ 939.957"),
        (999_999_949_055_932_569_872, 18, "≈ 1 000"),
        (UINT256_MAX, 18, "≈ 1.157 92 × 10^59"),
        (39_750 * 10**18, None, "3.975 × 10^22"),
        (1, 18, "1 × 10^-18"),
        (123_456_789_012, 18, "≈ 1.234 57 × 10^-7"),
    ],
)
def test_a_label_is_short_and_written_like_the_tables(raw_amount, decimals, label):
    """Nobody should have to read 1.579e+58 beside a table that never writes so."""
    assert approximate(raw_amount, decimals).replace("\u2005", " ") == label


def test_no_axis_cuts_a_number_or_writes_it_with_an_e(world):
    """A tick that reads 40,000,000,000,00… says nothing about its size."""
    shown = as_svg(balance_panel(compared(world), T0)).decode()

    assert not re.search(r">[0-9.,]+(…|e[+-]?[0-9]+)<", shown)
    assert re.search(r">10\^[0-9]+<", shown)


def test_ticks_at_a_mainnet_height_are_different_numbers():
    """Heights cut to six digits would put a day's blocks on one tick."""
    heights = [{"position": 24_000_001 + step} for step in range(9)]
    x = alt.X("position:Q", axis=number_axis(), scale=alt.Scale(zero=False))
    chart = alt.Chart(alt.InlineData(values=heights)).mark_point().encode(x=x)

    ticks = re.findall(r">(24\u2005000\u2005[0-9]{3})<", as_svg(chart).decode())

    assert len(set(ticks)) == len(ticks) >= 3


def test_an_amount_stands_beside_its_own_mark(world):
    """A figure at the far edge is read against the wrong bar."""
    for asset in (T0, "native"):
        marks, texts = layers_of(balance_panel(compared(world), asset))[0][:2]
        assert texts["mark"]["type"] == "text"
        assert texts["encoding"]["x"]["field"] == marks["encoding"]["x"]["field"] == "position"
        assert marks["encoding"]["x"]["axis"]["grid"] is False


def test_every_title_holds_chain_block_time_and_price_free(world):
    """A screenshot without its block is a rumour."""
    for chart in every_chart(world):
        subtitle = layers_of(chart)[1]["title"]["subtitle"][0]
        assert subtitle == "chain 1 · block 100 · 2026-01-05T00:00:00Z · price-free"


def test_no_chart_is_faceted_concatenated_or_nearest(world):
    """A facet once drew every token's balances in every panel."""
    for chart in every_chart(world):
        assert isinstance(chart, alt.Chart | alt.LayerChart)
        text = chart.to_json()
        assert not re.search(r'"(facet|row|column|hconcat|vconcat|nearest)"', text)
        assert layers_of(chart)[1]["height"] >= 320


def test_pools_that_take_another_token_have_their_own_panel(world):
    """Two units on one axis compare what cannot be compared."""
    panels = impact_charts(measured(world), "sell_token0")

    assert [{row["pool"] for row in rows_of(panel)} for panel in panels] == [
        {POOL, OTHER},
        {TURNED},
    ]


def test_an_incomplete_list_draws_no_sum_and_says_so(world):
    """A bar over half of the transfers has a wrong length."""
    moves = listed(world, complete=False, stopped_because="limit", covered_from=50)

    assert rows_of(net_chart(moves, T0)) == [{"reason": ENGLISH["incomplete"]}]
    assert ENGLISH["incomplete"] in layers_of(block_chart(moves))[1]["title"]["subtitle"][1]


def test_a_hostile_symbol_never_reaches_a_title(world):
    """A title is read as our own words."""
    world.put(T0, "symbol()", string_bytes(b"SAFE ![x](https://bad.invalid/p.png)"))

    assert "invalid" not in balance_panel(compared(world), T0).to_json()


def test_the_words_of_another_language_come_through(world):
    """Half a chart in English is no Japanese page."""
    words = {key: f"語{key}" for key in ENGLISH} | {"shown_of": "語{shown}/{total}"}
    found, depth, moves = compared(world), measured(world), listed(world)
    charts = [
        balance_panel(found, T0, title_words=words),
        *impact_charts(depth, "sell_token0", words=words),
        product_curve(depth, POOL, words=words),
        amount_out_chart(depth, T0, words=words),
        net_chart(moves, T0, words=words),
        block_chart(moves, words=words),
    ]

    for chart in charts:
        text = str(layers_of(chart)[1]["title"])
        assert "語price_free" in text
        assert "price-free" not in chart.to_json()


def test_an_svg_is_made_offline_and_is_the_same_twice(world):
    """A bundle's picture must have one hash."""
    chart = balance_panel(compared(world), T0)

    assert as_svg(chart).startswith(b"<svg")
    assert as_svg(chart) == as_svg(chart)


def test_every_chart_renders(world):
    """A chart that cannot be drawn is a blank place in a report."""
    for chart in every_chart(world):
        assert b"<svg" in as_svg(chart)
