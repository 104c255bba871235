"""Transfers: complete or not comes before any sum."""

from __future__ import annotations

import json

import pytest

from tests.unit.worlds import World, address_of
from toolkit.analysis import TransferList
from toolkit.chain.logs import Log
from toolkit.evidence import rows_of
from toolkit.models import UINT256_MAX, Unknown
from toolkit.tools.abi import TRANSFER_TOPIC, address_word

ANN, BOB, TOKEN, NFT, OTHER = (address_of(n) for n in (0xA11, 0xB0B, 0x70, 0x71, 0x72))


def transfer(index, sender, receiver, raw, token=TOKEN, token_id=None):
    """One Transfer log in block 50."""
    topics = (TRANSFER_TOPIC, address_word(sender), address_word(receiver))
    data = raw.to_bytes(32, "big") if token_id is None else b""
    if token_id is not None:
        topics += (token_id.to_bytes(32, "big"),)
    return Log(50, f"0x{50:064x}", index, f"0x{index:064x}", token, topics, data)


@pytest.fixture
def world():
    """ANN receives all there is, sends one on, sends one to herself, and moves an NFT."""
    world = World()
    world.put_token(TOKEN, {}, decimals=6)
    world.logs = [
        transfer(9, ANN, BOB, 1),
        transfer(8, BOB, ANN, UINT256_MAX),
        transfer(7, ANN, ANN, 1),
        transfer(6, ANN, BOB, 0, token=NFT, token_id=77),
    ]
    return world


def listed(world):
    """List through the real tool."""
    arguments = {"chain_id": 1, "address": ANN, "from_block": "1", "to_block": "100", "limit": 10}
    return TransferList.of(world.ask([("list_recent_transfers", arguments)])[0])


def test_net_is_exact_and_counts_a_transfer_to_oneself_on_both_sides(world):
    """A sum beyond 256 bits must not wrap round."""
    (net,) = listed(world).net

    assert (net.sent.value, net.received.value) == (2, UINT256_MAX + 1)
    assert net.raw_net == UINT256_MAX - 1


def test_the_sums_of_a_token_that_was_never_sent_cite_rows_of_that_token_alone(world):
    """Two tokens received and never sent shared one zero, with the decimals of the first."""
    world.put_token(OTHER, {}, decimals=18)
    world.logs = [transfer(9, BOB, ANN, 5), transfer(8, BOB, ANN, 7, token=OTHER)]
    found = listed(world)
    rows = {row.row_id: row for row in rows_of(found.answers, found.derived)}

    assert [(net.token, net.sent.value) for net in found.net] == [(TOKEN, 0), (OTHER, 0)]
    for net in found.net:
        for number in (net.sent, net.received, net.net):
            row = rows[number.row_id]
            cited = [rows[one] for one in row.derived_from.split()]
            assert {one.contract for one in (row, *cited, rows[row.decimals_row_id])} == {net.token}
            assert (row.amount, row.decimals) == (number.amount, str(number.decimals))


@pytest.mark.parametrize(("why", "code"), [("limit", "cap_reached"), ("timeout", "covered_range")])
def test_an_incomplete_list_gives_no_sum(world, why, code):
    """A sum over half of the transfers is a wrong number with a right look."""
    world.page = {"complete": False, "stopped_because": why, "covered_from": 60}
    found = listed(world)

    assert isinstance(found.net, Unknown)
    assert found.net.code == code
    assert found.derived == ()
    assert found.caveats[0].code == code


def test_an_nft_is_listed_with_its_id_and_is_never_an_amount(world):
    """Number 77 of a collection is not 77 tokens."""
    row = listed(world).frame.row(3, named=True)

    assert (row["raw_amount"], row["amount"], row["token_id"]) == (None, None, "77")


def test_the_json_has_the_shape_that_scripts_rely_on(world):
    """A renamed key breaks somebody's pipeline in silence."""
    found = json.loads(json.dumps(listed(world).as_json()))

    assert {"pin", "complete", "covered", "stopped_because", "rows"} <= set(found)
    assert found["covered"] == {"from_block": 1, "to_block": 100}
    assert {
        "block_number",
        "block_hash",
        "log_index",
        "token",
        "from",
        "to",
        "raw_amount",
        "decimals",
        "standard",
        "row_id",
    } <= set(found["rows"][0])
    assert found["rows"][1]["raw_amount"] == str(UINT256_MAX)
