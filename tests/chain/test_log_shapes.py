"""Transfer events of every shape, on a real chain: none is an amount that is none."""

from __future__ import annotations

import contextlib

import pytest
from pydantic import SecretStr

from tests.chain.deployments import vyper_code
from tests.chain.scanned_node import FILTERS, NOW, WORD, Endpoint, log_at, pin_at
from toolkit.analysis import TransferList
from toolkit.chain.log_collecting import ODD_KEPT
from toolkit.chain.log_scan import scan_logs
from toolkit.chain.logs import Log, LogScan
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpTransport
from toolkit.evidence import rows_of
from toolkit.models import Unknown
from toolkit.tools import BUILT_IN, Coin, Toolset
from toolkit.tools.abi import TRANSFER_TOPIC
from toolkit.tools.transfer_events import BATCH_TOPIC, MOST_IN_A_BATCH, moves_of


def _no_coin(_):
    return Coin(Unknown(code="metadata_unknown", message="A development chain names no coin."), 18)


@pytest.fixture
def listed(anvil):
    """List the transfers of an address from a height up to now, through the real tool."""
    with contextlib.closing(HttpTransport("local", SecretStr(anvil.url))) as transport:
        reader = RpcReader(transport, chain_id=31337, development=True, now=lambda: NOW)
        tools = Toolset(lambda _: reader, _no_coin, BUILT_IN)

        def listed(address, first, limit=100):
            arguments = {
                "chain_id": 31337,
                "address": address,
                "from_block": str(first),
                "to_block": "latest",
                "limit": limit,
            }
            answer = tools.call("list_recent_transfers", arguments)
            assert answer.error is None
            return TransferList.of(answer)

        yield listed


def test_erc_1155_is_named_listed_by_id_and_never_summed(anvil, listed):
    """Five of token number 7 are not five tokens, and not seven."""
    owner, ann, bob = anvil.accounts[:3]
    token = anvil.deploy(owner, vyper_code("MultiToken"))
    first = anvil.height + 1
    anvil.transact(owner, token, "single(address,address,uint256,uint256)", ann, bob, 7, 5)
    anvil.transact(owner, token, "batch(address,address,uint256,uint256)", bob, ann, 2**255, 1)
    anvil.transact(owner, token, "uneven(address,address,uint256)", ann, bob, 9)

    found = listed(ann, first)

    assert [(row.standard, row.token_id, row.raw_units, row.reason) for row in found.rows] == [
        ("erc1155", None, None, "malformed"),
        ("erc1155", 2**255, 1, None),
        ("erc1155", 2**255 + 1, 2, None),
        ("erc1155", 7, 5, None),
    ]
    assert {row.raw_amount for row in found.rows} == {None}
    assert [row.sender.lower() for row in found.rows] == [ann, bob, bob, ann]
    assert found.net == ()
    assert "multi_tokens" in {caveat.code for caveat in found.caveats}
    assert listed(owner, first).rows == ()
    evidence = {row.row_id: row for row in rows_of(found.answers, found.derived)}
    for row, row_id in zip(found.rows, found.row_ids, strict=True):
        assert evidence[row_id].field == "log_data"
        assert evidence[row_id].function.startswith("Transfer")
        assert row.block_hash == evidence[row_id].block_hash
    assert {row.function.partition("(")[0] for row in evidence.values() if row.calldata} == {
        "TransferSingle",
        "TransferBatch",
    }


def test_odd_shapes_do_not_push_real_transfers_out_of_the_list(anvil, uniswap_v2, listed):
    """Anyone can emit a thousand logs that name the victim; the deposit must still be there."""
    owner, victim = anvil.accounts[0], anvil.accounts[2]
    emitter = anvil.deploy(owner, vyper_code("OddShapes"))
    first = anvil.height + 1
    anvil.transact(owner, uniswap_v2.token_a, "transfer(address,uint256)", victim, 5)
    for _ in range(4):
        anvil.transact(owner, emitter, "two_topics(address)", victim)

    found = listed(victim, first, limit=1)

    assert [row.raw_amount for row in found.rows] == [5]
    assert found.complete
    assert "odd_shapes" in {caveat.code for caveat in found.caveats}
    assert ODD_KEPT >= 1_000


def test_a_transfer_whose_parties_are_not_indexed_is_said_to_be_missing(anvil, odd_tokens, listed):
    """No filter finds it: a list that keeps silent looks as if it had not happened."""
    owner, ann = anvil.accounts[:2]
    token = odd_tokens.get("unindexed_transfer") or anvil.deploy(
        owner, vyper_code("UnindexedTransfer"), "(uint256)", 100
    )
    first = anvil.height + 1
    anvil.transact(owner, token, "transfer(address,uint256)", ann, 3)

    found = listed(ann, first)

    assert found.rows == ()
    assert "unindexed_not_searched" in {caveat.code for caveat in found.caveats}


def _batch(data):
    return Log(5, "0x" + "11" * 32, 0, "0x" + "22" * 32, "0x" + "33" * 20, (BATCH_TOPIC,) * 4, data)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "malformed"),
        ([64], "malformed"),
        ([2**255, 2**255], "malformed"),
        ([64, 64, 2**250], "malformed"),
        ([64, 128, 1, 7, 2, 1], "malformed"),
        ([64, 96, 0, 0], "malformed"),
        ([64, 64, MOST_IN_A_BATCH + 1, *range(MOST_IN_A_BATCH + 1)], "long_batch"),
    ],
)
def test_a_broken_batch_is_named_with_its_reason(words, reason):
    """Lengths and offsets are written by a stranger; none may reach outside the log."""
    (moved,) = moves_of(_batch(b"".join(word.to_bytes(32, "big") for word in words)))

    assert (moved.standard, moved.token_id, moved.reason) == ("erc1155", None, reason)


def test_a_flood_of_odd_shapes_ends_the_list_and_is_said():
    """Without an end, one contract could make the list of a victim take for ever."""
    odd = [
        log_at(n, topics=["0x" + t.hex() for t in (TRANSFER_TOPIC, WORD)]) for n in range(2, 1_502)
    ]
    scan = LogScan(FILTERS[:1], 1, 2_000, 50, counted_topics=3)

    page = scan_logs(Endpoint([log_at(1), *odd]), pin_at(2_000), scan, now=lambda: NOW)

    assert (page.stopped_because, len(page.logs)) == ("limit", ODD_KEPT)
    assert page.left == (1, 501)
