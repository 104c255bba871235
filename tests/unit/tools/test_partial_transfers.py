"""The transfer list where it is not whole: what it says of what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.worlds import World, address_of
from toolkit.analysis import TransferList
from toolkit.chain.logs import Log, LogScan
from toolkit.errors import RangeTooLargeError, RateLimitedError
from toolkit.evidence import rows_of
from toolkit.tools import Coin, Toolset
from toolkit.tools.abi import TRANSFER_TOPIC, address_word
from toolkit.tools.asks import Ask, ask, decode_page
from toolkit.tools.list_recent_transfers import TOOL

ANN, BOB, TOKEN = (address_of(n) for n in (0xA11, 0xB0B, 0x70))
ARGUMENTS = {"chain_id": 1, "address": ANN, "from_block": "1", "to_block": "100", "limit": 10}


def log(index: int, *topics: bytes, data: bytes = bytes(32)) -> Log:
    block_hash = f"0x{50:064x}"
    return Log(50, block_hash, index, block_hash, TOKEN, (TRANSFER_TOPIC, *topics), data)


def test_a_list_that_broke_off_says_why_and_what_to_do():
    """A bare code leaves the analyst without the two minutes of patience that would do."""
    world = World()
    error = RateLimitedError("It asks for 120 seconds of patience.", remedy="Ask again after that.")
    world.page = {
        "complete": False,
        "covered_from": 90,
        "stopped_because": "rate_limited",
        "error": error,
    }

    (answer,) = world.ask([(TOOL.name, ARGUMENTS)])

    sentence = "It asks for 120 seconds of patience. Ask again after that."
    assert answer.error is None
    assert answer.data.stopped_message == sentence
    assert TransferList.of(answer).as_json()["stopped_message"] == sentence


def test_a_whole_list_has_no_reason_to_tell():
    """A message beside a whole list makes people doubt it."""
    (answer,) = World().ask([(TOOL.name, ARGUMENTS)])

    assert answer.data.stopped_message is None
    assert TransferList.of(answer).as_json()["stopped_message"] is None


@pytest.mark.parametrize("others", [0, 1, 4])
def test_a_log_of_another_shape_is_counted_and_is_no_row(others):
    """An index error over one hostile log takes the whole batch with it."""
    world = World(codes={TOKEN})
    odd = log(1, *([address_word(ANN)] * others))
    world.logs = [log(2, address_word(BOB), address_word(ANN), data=(7).to_bytes(32, "big")), odd]

    (answer,) = world.ask([(TOOL.name, ARGUMENTS)])

    assert [row.raw_amount for row in answer.data.rows] == [7]
    assert answer.data.odd_shapes == 1
    assert len(TransferList.of(answer).row_ids) == 1
    assert "log_data" in {row.field for row in rows_of([answer])}


@pytest.mark.parametrize(("first", "last"), [(101, -1), (1, 101)])
def test_a_range_past_the_pin_is_refused_before_it_is_asked(first, last):
    """Nodes answer a range past their head with half of it, and no word of that."""

    def steps(_):
        scan = LogScan(((TRANSFER_TOPIC,),), first, last, 5)
        return (yield from ask(Ask(scan, decode_page, "transfers")))

    class NothingAsked(World):
        def scan(self, pin, scan, watch=None):
            pytest.fail("The range was asked for.")

    tools = Toolset(
        lambda _: NothingAsked(), lambda _: Coin("ETH", 18), (replace(TOOL, steps=steps),)
    )

    assert type(tools.call(TOOL.name, ARGUMENTS).error) is RangeTooLargeError
