"""Evidence rows: every number of every reading, and every reason for a missing one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.worlds import REVERTED, World, address_of, pin_at, string_bytes
from toolkit.analysis import Comparison, PoolDepth, TransferList, comparison_calls, depth_calls
from toolkit.chain.logs import Log
from toolkit.chain.reads import NO_CALLER, READER_CALLER, BalanceRead, CallRead, StorageRead
from toolkit.derive import compute
from toolkit.errors import EndpointMisbehavedError
from toolkit.evidence import repeat_call, repeat_line, rows_of
from toolkit.models import UINT256_MAX, scale
from toolkit.tools.abi import TRANSFER_TOPIC, address_word
from toolkit.tools.row_ids import failure_row_id

ANN, BOB, TOKEN, OTHER, EOA, POOL = (address_of(n) for n in (0xA11, 0xB0B, 0x70, 0x71, 0x72, 0x90))


@pytest.fixture
def world():
    """Two holders; one token that reverts for one of them; one pool."""
    world = World(coins={ANN: 3, BOB: 2})
    world.put_token(TOKEN, {ANN: UINT256_MAX}, decimals=6)
    world.put(TOKEN, "balanceOf(address)", REVERTED, BOB)
    world.put_token(OTHER, {})
    world.put_pool(POOL, (TOKEN, OTHER), (10**12, 10**24), gap=-1)
    return world


def compared(world, tokens):
    """Compare the two holders through the real tools."""
    calls = comparison_calls(1, "100", [ANN, BOB], tokens, native=True)
    return Comparison.of(world.ask(calls), [ANN, BOB], tokens, native=True)


def measured(world):
    """Measure the pool with a fee and a trade."""
    answers = world.ask(depth_calls(1, "100", [POOL, EOA]))
    return PoolDepth.of(answers, [POOL, EOA], fee_ppm=3000, trade=(10**6, TOKEN))


def test_every_row_id_that_a_reading_shows_is_a_row(world):
    """A number on a page whose row is not in the file cannot be proven."""
    found, depth = compared(world, [TOKEN, EOA]), measured(world)
    rows = {row.row_id for row in rows_of(found.answers, found.derived)}
    rows |= {row.row_id for row in rows_of(depth.answers, depth.derived)}
    shown = {cell.row_id for cell in found.cells} | {pool.row_id for pool in depth.pools}
    shown |= {number.row_id for number in (*found.derived, *depth.derived)}
    sources = {row for n in (*found.derived, *depth.derived) for row in n.derived_from}

    assert shown | sources <= rows


def test_each_derived_row_is_recomputed_from_the_rows_it_names(world):
    """A stranger must get our figures from the file alone."""
    found, depth = compared(world, [TOKEN]), measured(world)
    answers = [*found.answers, *depth.answers]
    rows = {row.row_id: row for row in rows_of(answers, (*found.derived, *depth.derived))}
    derived = [row for row in rows.values() if row.source == "derived"]

    assert len(derived) > 40
    for row in derived:
        inputs = [int(rows[source].raw_amount) for source in row.derived_from.split()]
        value = compute(row.formula, inputs)
        if isinstance(value, int):
            sign = -1 if row.sign == "minus" else 1
            assert value == sign * int(row.raw_amount)
        else:
            assert value.text.lstrip("-") == row.amount


def test_each_read_row_is_its_bytes_scaled_by_the_decimals_row_it_names(world):
    """An amount whose decimals come from nowhere is a guess."""
    rows = {row.row_id: row for row in rows_of(measured(world).answers)}
    scaled = [row for row in rows.values() if row.amount]

    assert {row.field for row in scaled} == {"raw_reserve0", "raw_reserve1", "raw_amount"}
    for row in scaled:
        assert int(row.raw_hex, 16) == int(row.raw_amount)
        assert len(row.raw_hex) == 66
        assert rows[row.decimals_row_id].raw_amount == row.decimals
        assert row.amount == scale(int(row.raw_amount), int(row.decimals))


def test_a_failed_read_is_a_row_with_its_reason_and_no_number(world):
    """A reverted balance that is left out looks as if nobody had asked."""
    found = compared(world, [TOKEN, EOA])
    rows = {row.row_id: row for row in rows_of(found.answers)}
    reverted = rows[found.cell(BOB, TOKEN).row_id]
    missing = rows[found.cell(ANN, EOA).row_id]

    assert (reverted.field, reverted.raw_amount) == ("error:call_reverted", "")
    assert (reverted.function, reverted.result_hex) == ("balanceOf(address)", "0x")
    assert (missing.field, missing.result_hex) == ("error:not_a_contract", "")


def test_a_call_that_never_reached_the_chain_is_a_row_too(world):
    """A block that could not be found must not make its question disappear."""
    answers = world.ask(
        [
            ("get_native_balance", {"chain_id": 1, "address": ANN, "block": "999"}),
            ("get_native_balance", {"chain_id": 1, "address": "nobody.eth", "block": "1"}),
        ]
    )
    rows = list(rows_of(answers))

    assert [row.field for row in rows] == ["error:block_not_found", "error:invalid_argument"]
    assert [row.source for row in rows] == ["none", "none"]


def test_a_read_whose_block_was_never_confirmed_leaves_only_its_failure(world):
    """A balance of a block that nobody vouched for would stand in the file as a fact."""
    (answer,) = world.ask(
        [("get_erc20_balance", {"chain_id": 1, "holder": ANN, "token": TOKEN, "block": "100"})]
    )
    answer.data, answer.error = None, EndpointMisbehavedError("The endpoint answered strangely.")
    rows = list(rows_of([answer]))

    assert [(row.field, row.source) for row in rows] == [("error:endpoint_misbehaved", "none")]
    assert rows[0].raw_amount == ""
    assert rows[0].row_id == failure_row_id(answer)


def test_what_a_tool_read_before_it_refused_stays_in_the_file(world):
    """A refusal whose reasons are gone cannot be checked."""
    world.put(POOL, "getReserves()", bytes(96))
    world.put(POOL, "stable()", (1).to_bytes(32, "big"))
    (answer,) = world.ask([("get_pool_reserves", {"chain_id": 1, "pool": POOL, "block": "100"})])
    rows = {row.field: row for row in rows_of([answer])}

    assert answer.error.code == "wrong_pool_kind"
    assert rows["stable"].raw_amount == "1"
    assert rows["error:wrong_pool_kind"].row_id == failure_row_id(answer)


def test_a_storage_row_names_its_slot(world):
    """Of two words of one contract nobody could tell which was read, nor read it again."""
    found = world.ask([("get_token_metadata", {"chain_id": 1, "token": TOKEN, "block": "100"})])
    reads = {fact.read.slot: fact.read for fact in found[0].facts if type(fact.read) is StorageRead}
    rows = [row for row in rows_of(found) if row.function == "eth_getStorageAt"]

    assert len(rows) == len(reads) > 0
    for row in rows:
        assert len(row.calldata) == 66
        assert repeat_call(reads[int(row.calldata, 16)], pin_at(100))[1][:2] == [
            TOKEN,
            row.calldata,
        ]


def test_a_call_row_names_the_caller_whose_answer_it_holds(world):
    """A contract that answers by its caller gives a stranger another number otherwise."""
    answers = world.ask(
        [
            ("get_erc20_balance", {"chain_id": 1, "holder": ANN, "token": TOKEN, "block": "100"}),
            ("get_native_balance", {"chain_id": 1, "address": ANN, "block": "100"}),
        ]
    )
    seen = answers[0].observations[0]
    plain = replace(seen.answer, read=replace(seen.answer.read, caller=NO_CALLER))
    answers[0].observations[0] = replace(seen, answer=plain)
    callers = [(row.function, row.caller) for row in rows_of(answers)]

    assert callers == [
        ("balanceOf(address)", NO_CALLER),
        ("decimals()", READER_CALLER),
        ("eth_getBalance", ""),
    ]


def test_a_shared_read_is_written_once(world):
    """The decimals of a token read for a thousand holders are one fact."""
    ids = [row.row_id for row in rows_of(compared(world, [TOKEN]).answers)]

    assert len(ids) == len(set(ids))


def test_transfers_have_their_coverage_and_their_own_blocks(world):
    """A list of transfers without its completeness proves nothing."""
    topics = (TRANSFER_TOPIC, address_word(ANN), address_word(BOB))
    data = UINT256_MAX.to_bytes(32, "big")
    world.logs = [Log(50, f"0x{50:064x}", 3, f"0x{3:064x}", TOKEN, topics, data)]
    arguments = {"chain_id": 1, "address": ANN, "from_block": "1", "to_block": "100", "limit": 10}
    found = TransferList.of(world.ask([("list_recent_transfers", arguments)])[0])
    rows = {row.row_id: row for row in rows_of(found.answers, found.derived)}
    log = rows[found.row_ids[0]]

    assert (log.block_number, log.raw_amount) == ("50", str(UINT256_MAX))
    assert log.decimals_row_id in rows
    assert {row.field for row in rows.values()} >= {"complete", "covered_from", "covered_to"}


def test_a_text_is_whole_as_a_literal_and_as_bytes(world):
    """A cleaned name is not what stood on the chain."""
    world.put(TOKEN, "symbol()", string_bytes('=1+"\u202e'.encode()))
    rows = list(rows_of(compared(world, [TOKEN]).answers))
    (symbol,) = (row for row in rows if row.field == "symbol")

    assert symbol.untrusted_text_json == r'"=1+\"\u202e"'
    assert bytes.fromhex(symbol.raw_hex[2:]).decode() == '=1+"\u202e'


def test_a_read_is_repeated_by_one_call_at_the_block_hash():
    """A check by height could meet another block after a reorg."""
    pin = pin_at(100)
    method, params = repeat_call(CallRead(TOKEN, b"\x01"), pin)

    assert method == "eth_call"
    assert params[0]["data"] == "0x01"
    assert params[0]["from"] == READER_CALLER
    assert params[1] == {"blockHash": pin.hash, "requireCanonical": True}
    assert repeat_call(BalanceRead(ANN), pin)[1] == [ANN, params[1]]


def test_the_line_that_repeats_an_answer_names_the_hash_and_quotes_strangers(world):
    """A copied line must ask the same and run nothing else."""
    given = {"chain_id": 1, "address": "$(boom)", "block": "100"}
    bad, good = world.ask(
        [("get_native_balance", given), ("get_native_balance", {**given, "address": ANN})]
    )

    assert "'$(boom)'" in repeat_line(bad)
    assert repeat_line(good).endswith(f"--block 0x{100:064x}")
