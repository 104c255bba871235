"""Several endpoints and one block: by height, by logs, and what a reorg leaves of a job."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chain import faults
from tests.chain.endpoints import Endpoints, endpoints_of
from toolkit.chain.facts import Fact, Failure
from toolkit.chain.limits import Limits
from toolkit.chain.logs import LogScan
from toolkit.chain.pool import Pool
from toolkit.chain.reads import BalanceRead
from toolkit.errors import EndpointUnreachableError, ReorgedError
from toolkit.models import BlockTag, checksummed
from toolkit.tools.abi import TRANSFER_TOPIC

LATEST = BlockTag(tag="latest")
WHO = checksummed("0x" + "ab" * 20)
BALANCES = [BalanceRead(checksummed(f"0x{number:040x}")) for number in (70_000, 70_001)]


@pytest.fixture
def two(anvil) -> Iterator[Endpoints]:
    """Two endpoints of one chain of a dozen blocks and more."""
    anvil.mine(12)
    with endpoints_of(anvil, 2) as endpoints:
        yield endpoints


def _witnesses(answers):
    return [answer.witness.endpoint_id for answer in answers]


# Logs.


def test_logs_go_on_at_the_next_endpoint_where_one_stops(two, uniswap_v2):
    """A list that ends where one provider's plan ends is a list of that provider's plan."""
    head = two.node.height

    def gives_up_halfway(exchange: faults.Exchange) -> None:
        pairs = (exchange.request, exchange.response)
        batch = isinstance(exchange.request, list)
        for asked, told in zip(*pairs, strict=True) if batch else [pairs]:
            if asked["method"] == "eth_getLogs":
                foot, top = (int(asked["params"][0][end], 16) for end in ("fromBlock", "toBlock"))
                refused = {"code": -32000, "message": "block range is limited to 4 blocks"}
                if top < head - 6:
                    refused = {"code": -32601, "message": "the method does not exist"}
                if top - foot >= 4 or top < head - 6:
                    told.pop("result", None)
                    told["error"] = refused

    pool = two.reader(Pool)
    pinned = pool.pin(LATEST)
    scan = LogScan(((TRANSFER_TOPIC,),), 0, head, 100)
    whole = pool.scan(pinned.pin, scan)
    two.proxies[0].always = gives_up_halfway
    page = pool.scan(pinned.pin, scan)
    pool.confirm(pinned)

    assert page.complete
    assert page.logs == whole.logs
    assert [part.witness.endpoint_id for part in page.parts] == ["first", "second"]
    assert page.parts[0].from_block == page.parts[1].to_block + 1


def test_logs_that_no_endpoint_gives_end_in_one_error_with_all_names(two):
    """An empty list would read as: there were no transfers."""
    for glass in two.glasses:
        glass.refuses, glass.methods = {"code": -32601, "message": "no"}, ("eth_getLogs",)
    pool = two.reader(Pool)
    pin = pool.pin(LATEST).pin
    page = pool.scan(pin, LogScan(((TRANSFER_TOPIC,),), 0, pin.number, 100))

    assert page.covered_from is None
    assert "'first', 'second'" in page.error.message


def test_whoever_told_the_logs_has_to_confirm_them(two, uniswap_v2):
    """Logs are asked by height: another endpoint cannot know which branch they are of."""
    pool = two.reader(Pool)
    pinned = pool.pin(LATEST)
    pool.scan(pinned.pin, LogScan(((TRANSFER_TOPIC,),), 0, two.node.height, 100))
    two.proxies[0].always = faults.answer_html(502)

    with pytest.raises(EndpointUnreachableError):
        pool.confirm(pinned)


# By height.


def test_who_pins_by_height_must_show_the_pinned_block_before_and_after(two):
    """By height it answers from its own branch, and calls that the pinned block."""
    pool = two.reader(Pool, limits=[Limits(), Limits(hash_pins=False)])
    pinned = pool.pin(LATEST)
    two.proxies[0].always = faults.answer_html(502)
    answers = pool.read(pinned.pin, BALANCES)
    pool.confirm(pinned)

    assert set(_witnesses(answers)) == {"second"}
    methods = [_methods(body) for body in two.proxies[1].bodies]
    assert methods[0] == ["eth_getBlockByNumber"]
    assert "eth_getBalance" in methods[1]
    assert methods[2] == ["eth_getBlockByNumber"]
    assert pool.pins_by_hash is True


def test_a_reorg_while_one_reads_by_height_is_no_number(two):
    """The read went to the new branch, and the pin names the old one."""
    anvil = two.node
    pool = two.reader(Pool, limits=[Limits(), Limits(hash_pins=False)])
    pin = pool.pin(LATEST).pin
    two.proxies[0].always = faults.answer_html(502)
    payment = {"from": anvil.accounts[0], "to": anvil.accounts[1], "value": hex(1)}

    def replace_the_block(exchange: faults.Exchange) -> None:
        if "eth_getBalance" in str(exchange.request):
            anvil.reorg(2, [(payment, 0)])

    two.proxies[1].always = replace_the_block
    (answer,) = pool.read(pin, [BalanceRead(WHO)])

    assert isinstance(answer, Failure)
    assert isinstance(answer.error, ReorgedError)


def test_nothing_counts_of_who_pins_by_height_and_has_another_block_there(two):
    """Its number is of another branch, and would be filed under this one for ever."""
    pool = two.reader(Pool, limits=[Limits(), Limits(hash_pins=False)])
    pin = pool.pin(LATEST).pin
    two.proxies[0].always = faults.answer_html(502)
    two.glasses[1].changes["eth_getBlockByNumber"] = _with_other_hash
    (answer,) = pool.read(pin, [BalanceRead(WHO)])

    assert isinstance(answer, Failure)
    assert "'first', 'second'" in answer.error.message
    assert not any("eth_getBalance" in _methods(body) for body in two.proxies[1].bodies)


def test_a_reorg_is_told_by_whoever_answered_and_not_answered_elsewhere(two):
    """A number of the old branch confirmed by an endpoint that is behind would stand."""
    anvil = two.node
    pool = two.reader(Pool)
    pinned = pool.pin(LATEST)
    payment = {"from": anvil.accounts[0], "to": anvil.accounts[1], "value": hex(1)}
    anvil.reorg(2, [(payment, 0)])
    answers = pool.read(pinned.pin, BALANCES)

    assert not any(isinstance(answer, Fact) for answer in answers)
    with pytest.raises(ReorgedError):
        pool.confirm(pinned)


def test_a_block_is_confirmed_by_another_where_who_answered_has_gone(two):
    """A fact by hash is of this block whoever says that it still stands."""
    pool = two.reader(Pool, limits=[Limits(batch=1)])
    pinned = pool.pin(LATEST)
    pool.read(pinned.pin, [BalanceRead(WHO)])
    two.proxies[0].always = faults.answer_html(502)

    pool.confirm(pinned)

    assert two.asked[1] == 1


def _methods(body):
    return [item["method"] for item in (body if isinstance(body, list) else [body])]


def _with_other_hash(_params, header):
    return header and {**header, "hash": "0x" + "ee" * 32}
