"""Several endpoints of one chain: what one cannot answer, the next one does, and says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chain import faults
from tests.chain.endpoints import Endpoints, endpoints_of
from toolkit.chain.facts import Failure, NoCode, Reverted
from toolkit.chain.limits import Limits
from toolkit.chain.pool import Pool
from toolkit.chain.reads import NO_CALLER, BalanceRead, CallRead, CodeRead
from toolkit.errors import (
    BlockAheadOfHeadError,
    ChainMismatchError,
    EndpointUnreachableError,
    StateUnavailableError,
)
from toolkit.models import BlockHeight, BlockTag, checksummed

LATEST = BlockTag(tag="latest")
WHO = checksummed("0x" + "ab" * 20)


@pytest.fixture
def two(anvil) -> Iterator[Endpoints]:
    """Two endpoints of one chain of a dozen blocks and more."""
    anvil.mine(12)
    with endpoints_of(anvil, 2) as endpoints:
        yield endpoints


@pytest.fixture
def one(anvil) -> Iterator[Endpoints]:
    """One endpoint, as most people have."""
    anvil.mine(12)
    with endpoints_of(anvil, 1) as endpoints:
        yield endpoints


def _witnesses(answers):
    return [answer.witness.endpoint_id for answer in answers]


def _balances(count):
    return [
        BalanceRead(checksummed(f"0x{number:040x}")) for number in range(70_000, 70_000 + count)
    ]


# One endpoint.


def test_one_endpoint_costs_what_it_costs_without_a_pool(one):
    """Who has one endpoint must not pay for the others that he has not."""
    pool = one.reader(Pool)
    pinned = pool.pin(LATEST)
    answers = pool.read(pinned.pin, _balances(3))
    pool.confirm(pinned)

    assert one.asked == [2]
    assert set(_witnesses(answers)) == {"first"}


def test_one_endpoint_by_height_costs_its_second_look_and_no_more(one):
    """Pin, reads, and the header again: three requests, as ever."""
    pool = one.reader(Pool, limits=[Limits(hash_pins=False)])
    pinned = pool.pin(LATEST)
    pool.read(pinned.pin, _balances(3))
    pool.confirm(pinned)

    assert one.asked == [3]
    assert pool.pins_by_hash is False


def test_one_endpoint_s_error_is_its_own_and_it_is_asked_again_at_once(one):
    """A single endpoint that came back must not be left alone for a minute."""
    pool = one.reader(Pool)
    one.proxies[0].faults.append(faults.answer_html(502))

    with pytest.raises(EndpointUnreachableError, match=r"HTTP 502") as caught:
        pool.pin(LATEST)

    assert "Endpoints asked" not in str(caught.value)
    assert pool.pin(LATEST).pin.number == one.node.height


# Failing over.


def test_a_second_endpoint_is_not_asked_while_the_first_one_answers(two):
    """The second one may be the one that is paid per call."""
    pool = two.reader(Pool)
    pinned = pool.pin(LATEST)
    pool.read(pinned.pin, _balances(3))
    pool.confirm(pinned)

    assert two.asked == [2, 0]


def test_a_dead_first_endpoint_costs_one_failure_and_not_one_per_call(two):
    """Thirty seconds of silence before each number would make the tool unusable."""
    two.proxies[0].always = faults.answer_html(502)
    pool = two.reader(Pool)
    for _ in range(4):
        pinned = pool.pin(LATEST)
        answers = pool.read(pinned.pin, _balances(2))
        pool.confirm(pinned)

    assert set(_witnesses(answers)) == {"second"}
    assert two.asked[0] == 1


def test_an_endpoint_that_came_back_is_asked_again_and_rests_longer_each_time(two):
    """A first choice that hiccuped once must not stay the last one for ever."""
    two.proxies[0].always = faults.answer_html(502)
    pool = two.reader(Pool)
    pool.pin(LATEST)
    two.clock.seconds += 2.5
    pool.pin(LATEST)
    two.clock.seconds += 2.5
    pool.pin(LATEST)
    assert two.asked[0] == 2

    two.proxies[0].always = None
    two.clock.seconds += 2.5
    assert pool.pin(LATEST).endpoint_id == "first"


def test_an_endpoint_that_names_its_wait_is_left_alone_for_so_long(two):
    """Who asks a minute's peace and gets two seconds blocks the key."""
    two.proxies[0].always = faults.too_many_requests("40")
    pool = two.reader(Pool)
    pool.pin(LATEST)
    two.clock.seconds += 35
    pool.pin(LATEST)
    assert two.asked[0] == 1

    two.clock.seconds += 10
    pool.pin(LATEST)
    assert two.asked[0] == 2


def test_what_was_proven_beside_a_failed_read_goes_with_it(two, odd_tokens, multicall3):
    """A refusal of one caller kept without the other one's answer is taken for the answer."""
    read = CallRead(
        checksummed(odd_tokens["caller_dependent"]),
        bytes.fromhex("70a08231" + "00" * 12 + two.node.accounts[0][2:]),
    )

    def loses_its_state_on_the_way(exchange: faults.Exchange) -> None:
        many = isinstance(exchange.request, list)
        requests = exchange.request if many else [exchange.request]
        for asked, told in zip(
            requests, exchange.response if many else [exchange.response], strict=True
        ):
            if asked["method"] == "eth_call" and asked["params"][0]["from"] == NO_CALLER:
                told.pop("result", None)
                told["error"] = {"code": -32000, "message": "missing trie node"}

    two.proxies[0].always = loses_its_state_on_the_way
    pool = two.reader(Pool)
    (answer,) = pool.read(pool.pin(LATEST).pin, [read])
    aside = pool.drain_side_facts()

    assert (answer.witness.endpoint_id, answer.read.caller) == ("second", NO_CALLER)
    assert [fact.witness.endpoint_id for fact in aside if fact.read == read] == ["second"]


def test_only_the_reads_that_failed_are_asked_of_the_next_one(two):
    """Asking for all again would double a bill that the first one has been paid for."""
    two.glasses[0].refuses = {"code": -32000, "message": "missing trie node"}
    two.glasses[0].methods = ("eth_getCode",)
    pool = two.reader(Pool)
    pin = pool.pin(LATEST).pin
    answers = pool.read(pin, [BalanceRead(WHO), CodeRead(WHO)])

    assert _witnesses(answers) == ["first", "second"]
    asked = [item["method"] for item in two.proxies[1].bodies[-1]]
    assert "eth_getBalance" not in asked


@pytest.mark.parametrize(
    "error",
    [
        {"code": -32000, "message": "missing trie node"},
        {"code": -32601, "message": "the method does not exist"},
        {"code": -32005, "message": "daily request count exceeded"},
        {"code": -32000, "message": "something of its own"},
        {"code": -32000, "message": "execution aborted (timeout = 5s)"},
    ],
    ids=["pruned", "no method", "rate", "unknown", "timeout"],
)
def test_whatever_is_the_endpoint_s_own_failure_is_asked_elsewhere(two, error):
    """An archive next door is no use if nobody knocks."""
    two.glasses[0].refuses, two.glasses[0].methods = error, ("eth_getBalance",)
    pool = two.reader(Pool)
    answers = pool.read(pool.pin(LATEST).pin, [BalanceRead(WHO)])

    assert _witnesses(answers) == ["second"]


def test_what_a_contract_did_is_an_answer_and_asked_of_nobody_else(two, odd_tokens):
    """A revert asked of every endpoint in turn multiplies the cost of the most common failure."""
    pool = two.reader(Pool)
    pin = pool.pin(LATEST).pin
    reverting = CallRead(checksummed(odd_tokens["reverting"]), bytes.fromhex("06fdde03"))
    answers = pool.read(pin, [reverting, CallRead(WHO, bytes.fromhex("06fdde03"))])

    assert isinstance(answers[0].outcome, Reverted)
    assert isinstance(answers[1].outcome, NoCode)
    assert two.asked[1] == 0


def test_a_block_that_the_first_endpoint_lacks_is_read_where_it_is_known(two):
    """A lagging first endpoint must cost a moment, and not the page."""
    head = two.node.height
    two.glasses[0].head = head - 2
    pool = two.reader(Pool)
    pinned = pool.pin(BlockHeight(number=head))
    answers = pool.read(pinned.pin, _balances(2))
    pool.confirm(pinned)

    assert pinned.endpoint_id == "second"
    assert set(_witnesses(answers)) == {"second"}


def test_when_all_fail_the_most_telling_error_names_them_all(two):
    """ "Cannot be reached" hides that the endpoint that does answer has pruned the block."""
    pool = two.reader(Pool)
    pin = pool.pin(BlockHeight(number=2)).pin
    two.proxies[0].always = faults.answer_html(502)
    two.glasses[1].keeps_from = 5
    (answer,) = pool.read(pin, [BalanceRead(WHO)])

    assert isinstance(answer, Failure)
    assert isinstance(answer.error, StateUnavailableError)
    assert "'first', 'second'" in answer.error.message
    assert answer.error.attempts == 2


def test_a_height_ahead_of_all_heads_is_said_once_with_all_names(two):
    """The analyst must see that it was not one endpoint's lag."""
    with pytest.raises(BlockAheadOfHeadError, match="'first', 'second'"):
        two.reader(Pool).pin(BlockHeight(number=10_000))

    assert two.asked == [1, 1]


# Whose chain.


def test_an_endpoint_of_another_chain_is_excluded_and_reported(two):
    """Two chains mixed in one pool give numbers that no reader can tell apart."""
    two.glasses[0].chain_id = 10
    pool = two.reader(Pool)
    pinned = pool.pin(LATEST)
    health = pool.members.health(all_at_once=False)

    assert pinned.endpoint_id == "second"
    assert [one.standing for one in health] == ["excluded", "in_use"]
    assert "serves chain 10" in (health[0].why or "")
    two.forget()
    pool.pin(LATEST)
    assert two.asked == [0, 1]


def test_the_next_endpoint_proves_its_chain_before_its_reads_count(two):
    """Failing over to a testnet would answer every read, and every one wrongly."""
    two.glasses[1].chain_id = 10
    pool = two.reader(Pool)
    pin = pool.pin(LATEST).pin
    two.proxies[0].always = faults.answer_html(502)
    answers = pool.read(pin, _balances(3))

    assert all(isinstance(answer, Failure) for answer in answers)
    assert pool.members.health(all_at_once=False)[1].standing == "excluded"


@pytest.mark.parametrize("block", [LATEST, BlockHeight(number=3)], ids=str)
def test_a_chain_that_is_switched_in_mid_life_is_found_out_with_the_next_pin(one, block):
    """A tag or a height names a block of whatever chain answers now."""
    pool = one.reader(Pool)
    pool.pin(LATEST)
    one.glasses[0].chain_id = 10

    with pytest.raises(ChainMismatchError, match="serves chain 10"):
        pool.pin(block)

    one.glasses[0].chain_id = None
    assert pool.pin(block).pin.chain_id == one.node.chain_id
