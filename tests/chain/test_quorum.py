"""Several endpoints asked the same: what they say alike is believed, a difference is shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chain import faults
from tests.chain.endpoints import Endpoints, endpoints_of
from toolkit.chain.facts import Fact, Failure, Value
from toolkit.chain.limits import Limits
from toolkit.chain.logs import LogScan
from toolkit.chain.quorum import Quorum
from toolkit.chain.reads import BalanceRead, CodeRead
from toolkit.errors import (
    BlockNotFoundError,
    ChainMismatchError,
    EndpointsDisagreeError,
    EndpointUnreachableError,
    ReorgedError,
    StateUnavailableError,
)
from toolkit.models import BlockHeight, BlockTag, checksummed
from toolkit.tools.abi import TRANSFER_TOPIC

LATEST = BlockTag(tag="latest")
WHO = checksummed("0x" + "ab" * 20)


@pytest.fixture
def two(anvil) -> Iterator[Endpoints]:
    """Two endpoints that have to agree."""
    anvil.mine(12)
    with endpoints_of(anvil, 2) as endpoints:
        yield endpoints


@pytest.fixture
def three(anvil) -> Iterator[Endpoints]:
    """Three endpoints of which two have to agree."""
    anvil.mine(12)
    with endpoints_of(anvil, 3) as endpoints:
        yield endpoints


def _lying_about(balance):
    return lambda _params, _result: hex(balance)


def _with_other_hash(_params, header):
    return header and {**header, "hash": "0x" + "ee" * 32}


def test_what_two_endpoints_say_alike_is_a_fact_of_a_quorum(two):
    """The word quorum beside a number is a promise that two were asked."""
    reader = two.reader(Quorum)
    pinned = reader.pin(LATEST)
    answers = reader.read(pinned.pin, [BalanceRead(two.node.accounts[0]), CodeRead(WHO)])
    reader.confirm(pinned)

    assert {answer.witness.assurance for answer in answers} == {"quorum"}
    assert two.asked == [2, 2]


def test_two_balances_for_one_question_are_shown_and_neither_is_believed(two):
    """An analyst who is given one of two numbers does not know that there is a second one."""
    two.glasses[1].changes["eth_getBalance"] = _lying_about(7)
    reader = two.reader(Quorum)
    pin = reader.pin(LATEST).pin
    answers = reader.read(pin, [BalanceRead(WHO), CodeRead(WHO)])

    assert isinstance(answers[0], Failure)
    assert isinstance(answers[0].error, EndpointsDisagreeError)
    for said in ("'first' says 0x" + "00" * 32, "'second' says 0x" + "00" * 31 + "07", WHO):
        assert said in answers[0].error.message
    assert isinstance(answers[1], Fact)


def test_long_values_are_shortened_in_a_disagreement(two):
    """A page of hex hides what a sentence says."""
    two.glasses[0].changes["eth_getCode"] = lambda _params, _result: "0x" + "60" * 500
    two.glasses[1].changes["eth_getCode"] = lambda _params, _result: "0x" + "60" * 400 + "61" * 100
    reader = two.reader(Quorum)
    (answer,) = reader.read(reader.pin(LATEST).pin, [CodeRead(WHO)])

    assert "'first' says \u202660" in answer.error.message
    assert "'second' says \u202661" in answer.error.message
    assert "from byte 400 on (500 bytes)" in answer.error.message
    assert len(answer.error.message) < 600


def test_one_liar_among_three_is_still_a_disagreement(three):
    """A majority is no proof while somebody says otherwise."""
    three.glasses[2].changes["eth_getBalance"] = _lying_about(7)
    reader = three.reader(Quorum)
    (answer,) = reader.read(reader.pin(LATEST).pin, [BalanceRead(WHO)])

    assert isinstance(answer.error, EndpointsDisagreeError)


def test_one_silent_endpoint_among_three_does_not_stop_the_other_two(three):
    """Who asks for two of three does so in order to lose one."""
    three.proxies[1].always = faults.answer_html(502)
    reader = three.reader(Quorum)
    pinned = reader.pin(LATEST)
    (answer,) = reader.read(pinned.pin, [BalanceRead(WHO)])
    reader.confirm(pinned)

    assert answer.witness.assurance == "quorum"
    assert three.asked[1] == 1


def test_one_answer_of_two_is_not_a_quorum_and_fails_as_the_other_one_did(two):
    """Half a quorum presented as one is the single endpoint that it was meant to replace."""
    two.glasses[1].keeps_from = 10
    reader = two.reader(Quorum)
    (answer,) = reader.read(reader.pin(BlockHeight(number=3)).pin, [BalanceRead(WHO)])

    assert isinstance(answer.error, StateUnavailableError)
    assert "'second'" in answer.error.message


def test_a_quorum_is_not_replaced_by_the_endpoint_that_is_left(two):
    """With one of two down there is no number, and the reason is the one that is down."""
    two.proxies[1].always = faults.answer_html(502)

    with pytest.raises(EndpointUnreachableError, match="'second'"):
        two.reader(Quorum).pin(LATEST)


def test_two_hashes_at_one_height_are_both_told(two):
    """Which branch a number is of must not depend on who was asked first."""
    two.glasses[1].changes["eth_getBlockByNumber"] = _with_other_hash

    with pytest.raises(EndpointsDisagreeError) as told:
        two.reader(Quorum).pin(BlockHeight(number=5))

    assert two.node.block(5)["hash"] in told.value.message
    assert "0x" + "ee" * 32 in told.value.message


def test_a_tag_is_resolved_where_the_lowest_endpoint_stands(two):
    """A block that one of them does not have yet can be agreed upon by nobody."""
    head = two.node.height
    two.glasses[1].head = head - 2
    pinned = two.reader(Quorum).pin(LATEST)

    assert pinned.pin.number == head - 2
    assert pinned.pin.hash == two.node.block(head - 2)["hash"]
    assert two.asked == [2, 1]


def test_one_far_behind_does_not_hold_back_the_other_two(three):
    """A node that stopped a week ago must not turn latest into last week."""
    head = three.node.height
    three.glasses[2].head = 2
    reader = three.reader(Quorum)
    numbers = [reader.pin(LATEST).pin.number for _ in range(2)]

    assert numbers[-1] == head


def test_an_endpoint_of_another_chain_does_not_count(two):
    """Agreement with a stranger's chain is none."""
    two.glasses[1].chain_id = 10

    with pytest.raises(ChainMismatchError, match="'second'"):
        two.reader(Quorum).pin(LATEST)


def test_one_that_pins_by_height_takes_part_after_it_showed_the_block(two):
    """Old nodes can vouch for a number, if they vouch for its block first."""
    reader = two.reader(Quorum, limits=[Limits(), Limits(hash_pins=False)])
    pin = reader.pin(LATEST).pin
    (answer,) = reader.read(pin, [BalanceRead(WHO)])

    assert answer.outcome == Value(bytes(32))
    assert answer.witness.assurance == "quorum"


def test_a_reorg_is_told_to_the_whole_quorum(two):
    """A block that left the chain is gone however many once agreed upon it."""
    anvil = two.node
    reader = two.reader(Quorum)
    pinned = reader.pin(LATEST)
    payment = {"from": anvil.accounts[0], "to": anvil.accounts[1], "value": hex(1)}
    anvil.reorg(2, [(payment, 0)])
    reader.read(pinned.pin, [BalanceRead(WHO)])

    with pytest.raises(ReorgedError):
        reader.confirm(pinned)


def test_a_tag_that_none_of_them_supports_is_refused_with_all_names(two):
    """An error of all of them says that another endpoint of these will not help."""
    for glass in two.glasses:
        glass.without_tags = True

    with pytest.raises(BlockNotFoundError, match="'first', 'second'"):
        two.reader(Quorum).pin(BlockTag(tag="finalized"))


# Logs.


def _scan(reader, node):
    pin = reader.pin(LATEST).pin
    return reader.scan(pin, LogScan(((TRANSFER_TOPIC,),), 0, node.height, 100))


def test_logs_that_both_tell_are_of_a_quorum(two, uniswap_v2):
    """A list of transfers is as much a claim as a balance is."""
    seen = []
    reader = two.reader(Quorum)
    pin = reader.pin(LATEST).pin
    page = reader.scan(pin, LogScan(((TRANSFER_TOPIC,),), 0, two.node.height, 100), seen.append)

    assert page.complete
    assert page.logs
    assert page.witness.assurance == "quorum"
    assert {one.witness.assurance for one in seen} == {"quorum"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _params, logs: logs[:-1], "there is no such log"),
        (lambda _params, logs: [{**log, "data": "0x" + "07" * 32} for log in logs], "0707"),
    ],
    ids=["one dropped", "other amounts"],
)
def test_logs_that_differ_are_a_disagreement_and_no_list(two, uniswap_v2, change, says):
    """A transfer that one endpoint leaves out is the one that matters."""
    two.glasses[1].changes["eth_getLogs"] = change
    page = _scan(two.reader(Quorum), two.node)

    assert isinstance(page.error, EndpointsDisagreeError)
    assert says in page.error.message
    assert (page.logs, page.covered_from) == ((), None)
