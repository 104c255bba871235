"""What people type by mistake: one clear sentence with the way out, on the page."""

from __future__ import annotations

import pytest

from tests.app.screen import comparison_link, words_on


def flipped(address: str) -> str:
    """The address with the case of one letter changed."""
    at = next(i for i, char in enumerate(address) if i > 1 and char.isalpha())
    return address[:at] + address[at].swapcase() + address[at + 1 :]


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("0x64", "Write it in decimal: 100"),
        ("-5", "is negative"),
        ("lastest", "names no block"),
        ("pending", "is not read here"),
        ("0x1234567890abcdef12", "is no block hash"),
        ("101", "100"),
        ("2026-01-05 00:10", "names no time zone"),
        ("2099-01-01T00:00:00Z", "head"),
    ],
)
def test_a_block_that_is_none_is_explained(open_page, demo, block, said):
    """An analyst must not wonder whether the page is broken or the block is."""
    app = open_page("compare_addresses", **comparison_link(demo, block=block))

    assert said in words_on(app)
    assert "No block is pinned" in words_on(app)
    assert not app.exception


@pytest.mark.parametrize(
    ("field", "written", "said"),
    [
        ("addresses", "vitalik.eth", "is a name, not an address"),
        ("addresses", "USDC", "the holder's 0x address"),
        ("addresses", "0x1234", "is not an address"),
        ("tokens", "USDC", "looks like a ticker"),
    ],
)
def test_an_address_that_is_none_is_explained(open_page, demo, field, written, said):
    """A name or a ticker must never be resolved by guess."""
    app = open_page("compare_addresses", **comparison_link(demo, **{field: written}))

    assert said in words_on(app)
    assert not app.exception


def test_whoever_pasted_only_faults_is_not_asked_to_paste_something(open_page, demo):
    """Two boxes that contradict each other leave a reader without a next step."""
    compared = open_page("compare_addresses", **comparison_link(demo, addresses="0x12 0x34"))
    measured = open_page("pool_depth", chain="31337000", block="100", pools="0x12")

    for app in (compared, measured):
        assert "is not an address" in words_on(app)
        assert not app.info


def test_a_wrong_checksum_is_refused_with_the_right_form(open_page, demo):
    """One mistyped digit is another wallet."""
    right = demo.accounts["Aiko"]

    app = open_page("compare_addresses", **comparison_link(demo, addresses=flipped(right)))

    assert "wrong EIP-55 checksum" in words_on(app)
    assert right in words_on(app)


def test_good_addresses_are_read_beside_a_bad_one(open_page, demo):
    """Nine hundred addresses must not be lost to one typing mistake."""
    pasted = f"{demo.accounts['Aiko']}, nonsense; {demo.accounts['Bram']}"

    app = open_page("compare_addresses", **comparison_link(demo, addresses=pasted))

    assert "'nonsense' is a name or a ticker" in words_on(app)
    assert "What each address holds" in words_on(app)


def test_a_chain_without_an_endpoint_is_named(open_page, demo):
    """A shared link opened on another machine must say what is missing there."""
    app = open_page("compare_addresses", **comparison_link(demo, chain="8453"))

    assert "chain 8453, for which no endpoint is configured" in words_on(app)


@pytest.mark.parametrize(
    ("written", "shown"), [("9" * 26, "9" * 26), ("9" * 50, "9" * 40 + "\u2026")]
)
def test_a_long_chain_id_is_repeated_whole_or_cut_visibly(open_page, demo, written, shown):
    """A reader who is shown another id than the link's looks for the wrong mistake."""
    app = open_page("compare_addresses", **comparison_link(demo, chain=written))

    assert f"chain {shown}, for which" in words_on(app)


@pytest.mark.parametrize(
    ("before", "said"),
    [("100", "Block 100 is the pin itself"), ("0x64", "Write it in decimal: 100")],
)
def test_an_earlier_block_that_is_none_shows_no_change_and_says_so(open_page, demo, before, said):
    """Zeros from a block held against itself would read as: nothing moved."""
    app = open_page("compare_addresses", **comparison_link(demo, before=before))

    assert said in words_on(app)
    assert "The change is not shown" in words_on(app)
    assert not [one for one in app.dataframe if one.proto.id.endswith("-changes")]


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ("MAPLE", "is not a constant-product pool"),
        ("Aiko", "No code stands at"),
    ],
)
def test_a_pool_that_is_none_is_explained(open_page, demo, pool, said):
    """A token or a wallet must not get a depth of zero."""
    address = {**demo.tokens, **demo.accounts}[pool]

    app = open_page("pool_depth", chain="31337000", block="100", pools=address)

    assert said in words_on(app)
    assert not app.exception


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"fee_ppm": "0.3%"}, "whole number of parts per million"),
        ({"amount_in": "1.5"}, "A trade needs both"),
        ({"fee_ppm": "2000000"}, "A fee of 2000000 ppm is not possible"),
        ({"moves": "120"}, "'120' is not a move"),
        ({"moves": "-5"}, "'-5' is not a move"),
        ({"moves": "x,,"}, "nothing may be missing between two commas"),
        ({"moves": "5,,1"}, "nothing may be missing between two commas"),
        ({"moves": " "}, "At least one is needed"),
        ({"amount_in": "5", "token_in": "MAPLE"}, "MAPLE"),
    ],
)
def test_a_depth_question_that_cannot_be_is_explained(open_page, demo, link, said):
    """A fee in percent taken for ppm would be wrong by a factor of ten thousand."""
    pools = "\n".join(demo.depth.pools)

    app = open_page("pool_depth", chain="31337000", block="100", pools=pools, **link)

    assert said in words_on(app)
    assert not app.exception
    assert not app.dataframe
