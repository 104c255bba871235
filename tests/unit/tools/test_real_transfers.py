"""The transfer list over two real mainnet blocks, against what another program decoded."""

from __future__ import annotations

import json

import pytest

from toolkit.chain.rpc_reader import RpcReader
from toolkit.tools import BUILT_IN, Coin, Toolset

FIRST, LAST = 17173049, 17173050


class TwoBlocks:
    """A transport that answers from the recorded logs of two blocks; no code is recorded."""

    endpoint_id = "recording"
    source = "recording"
    requests = 0

    def __init__(self, folder):
        self.blocks = {row["number"]: row for row in _lines(folder / "expected_blocks.json")}
        self.logs = _lines(folder / "expected_logs.json")

    def send(self, calls):
        return [getattr(self, call.method)(*call.params) for call in calls]

    def eth_chainId(self):  # noqa: N802
        return "0x1"

    def eth_getCode(self, _address, _block):  # noqa: N802
        return "0x"

    def eth_call(self, _call, _block):
        return "0x"

    def eth_getBlockByNumber(self, name, _whole):  # noqa: N802
        number = LAST if not name.startswith("0x") else int(name, 16)
        block = self.blocks.get(number)
        return block and {
            "number": hex(block["number"]),
            "hash": block["hash"],
            "parentHash": block["parent_hash"],
            "timestamp": hex(block["timestamp"]),
            "stateRoot": block["state_root"],
        }

    def eth_getLogs(self, wanted):  # noqa: N802
        first, last = int(wanted["fromBlock"], 16), int(wanted["toBlock"], 16)
        return [
            {
                "blockNumber": hex(log["block_number"]),
                "blockHash": log["block_hash"],
                "logIndex": hex(log["log_index"]),
                "transactionHash": log["transaction_hash"],
                "address": log["address"],
                "topics": log["topics"],
                "data": log["data"],
            }
            for log in self.logs
            if first <= log["block_number"] <= last
            and len(log["topics"]) >= len(wanted["topics"])
            and all(
                topic is None or told in topic  # a topic as text holds itself
                for topic, told in zip(wanted["topics"], log["topics"], strict=False)
            )
        ]


def _lines(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


@pytest.fixture(scope="module")
def recorded(shared_data):
    """The folder of the two recorded blocks."""
    return shared_data / "ethereum-etl" / "test_stream" / "blocks_17173049_17173050"


@pytest.fixture(scope="module")
def transfers(recorded):
    """Every transfer of the two blocks, asked address by address through the tool."""
    reader = RpcReader(
        TwoBlocks(recorded), chain_id=1, development=False, now=lambda: "2023-05-02T12:30:00Z"
    )
    tools = Toolset(lambda _: reader, lambda _: Coin("ETH", 18), BUILT_IN)
    expected = _lines(recorded / "expected_token_transfers.json")
    parties = {row["from_address"] for row in expected}
    calls = [
        (
            "list_recent_transfers",
            {
                "chain_id": 1,
                "address": party,
                "from_block": FIRST,
                "to_block": LAST,
                "limit": 1000,
            },
        )
        for party in sorted(parties)
    ]
    answers = tools.batch(calls)
    assert all(answer.ok and answer.data.complete for answer in answers)
    return {
        (row.block_number, row.log_index): row for answer in answers for row in answer.data.rows
    }


def test_all_282_token_transfers_are_exact(transfers, recorded):
    """80 of these amounts do not fit into 64 bits; each digit must be there."""
    expected = {
        (row["block_number"], row["log_index"]): row
        for row in _lines(recorded / "expected_token_transfers.json")
    }
    amounts = {place: row for place, row in transfers.items() if row.standard == "erc20"}

    assert len(expected) == 291
    assert len(amounts) == 282
    for place, row in amounts.items():
        told = expected[place]
        assert row.raw_amount == int(told["value"])
        assert row.token.lower() == told["token_address"]
        assert (row.sender.lower(), row.receiver.lower()) == (
            told["from_address"],
            told["to_address"],
        )


def test_nine_nft_transfers_are_never_amounts(transfers):
    """A token id taken for an amount is a fortune that does not exist."""
    collectibles = [row for row in transfers.values() if row.standard == "erc721"]

    assert len(collectibles) == 9
    assert all(row.raw_amount is None and row.token_id is not None for row in collectibles)


def test_decimals_that_were_not_recorded_stay_unknown(transfers):
    """Assumed decimals move the point of every amount in the list."""
    assert {row.decimals.code for row in transfers.values() if row.standard == "erc20"} == {
        "not_a_contract"
    }


def test_a_limit_says_that_it_cut_and_what_is_covered(recorded):
    """A list that stops at its limit and looks whole hides what moved before."""
    reader = RpcReader(
        TwoBlocks(recorded), chain_id=1, development=False, now=lambda: "2023-05-02T12:30:00Z"
    )
    tools = Toolset(lambda _: reader, lambda _: Coin("ETH", 18), BUILT_IN)
    party = "0x6b75d8af000000e20b7a7ddf000ba900b4009a80"
    asked = {"chain_id": 1, "address": party, "from_block": FIRST, "to_block": LAST}

    whole = tools.call("list_recent_transfers", {**asked, "limit": 1000}).data
    cut = tools.call("list_recent_transfers", {**asked, "limit": 2}).data

    assert whole.complete
    assert len(whole.rows) > 2
    assert cut.rows == whole.rows[:2]
    assert not cut.complete
    assert cut.stopped_because == "limit"
    dropped = whole.rows[2].block_number
    assert cut.covered is None or cut.covered.from_block == dropped + 1
