"""Latest, safe and finalized where endpoints do not stand at the same block."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chain import faults
from tests.chain.endpoints import Endpoints, endpoints_of
from toolkit.chain.pool import Pool
from toolkit.errors import BlockAheadOfHeadError, BlockNotFoundError
from toolkit.models import BlockHeight, BlockTag

LATEST = BlockTag(tag="latest")


@pytest.fixture
def one(anvil) -> Iterator[Endpoints]:
    """One endpoint, perhaps with a balancer behind it."""
    anvil.mine(20)
    with endpoints_of(anvil, 1) as endpoints:
        yield endpoints


@pytest.fixture
def two(anvil) -> Iterator[Endpoints]:
    """Two endpoints of one chain, whose head is as old as its clock says."""
    anvil.mine(20)
    with endpoints_of(anvil, 2) as endpoints:
        endpoints.clock.seconds = float(int(anvil.block()["timestamp"], 16) + 5)
        yield endpoints


def test_an_endpoint_seen_to_lag_is_passed_over(two):
    """A first choice that is stuck gives an hour-old balance under the name of latest."""
    pool = two.reader(Pool)
    head = two.node.height
    two.glasses[0].head = head - 10
    two.proxies[0].faults.append(faults.answer_html(502))
    assert pool.pin(LATEST).pin.number == head  # The second one, while the first one rests.
    two.clock.seconds += 3

    pinned = pool.pin(LATEST)
    pool.pin(LATEST)

    assert (pinned.pin.number, pinned.endpoint_id) == (head, "second")
    assert two.asked[0] == 2  # Once it failed, once it was seen to lag; then it is passed over.


def test_an_endpoint_a_block_behind_is_not_passed_over(two):
    """A block on its way is no lag, and the order of preference is the user's."""
    pool = two.reader(Pool)
    two.proxies[0].faults.append(faults.answer_html(502))
    pool.pin(LATEST)
    two.node.mine(1)
    two.clock.seconds += 3

    assert pool.pin(LATEST).endpoint_id == "first"


def test_a_head_that_is_old_by_the_clock_is_compared_before_it_is_believed(two):
    """A node that stopped syncing still answers, promptly and with yesterday's numbers."""
    pool = two.reader(Pool)
    two.glasses[0].head = two.node.height - 15  # Three minutes of blocks.

    pinned = pool.pin(LATEST)

    assert (pinned.pin.number, pinned.endpoint_id) == (two.node.height, "second")


def test_a_chain_that_stands_still_is_not_asked_twice_for_each_pin(two):
    """A quiet chain is no lagging endpoint, and must not cost double."""
    two.clock.seconds += 86_400
    pool = two.reader(Pool)
    pool.pin(LATEST)
    two.forget()

    assert pool.pin(LATEST).endpoint_id == "first"
    assert two.asked == [1, 0]


def test_a_balancer_that_flips_between_two_tips_never_moves_latest_back(one):
    """A balance of ten blocks ago after today's reads as a payment that was undone."""
    head = one.node.height
    pool = one.reader(Pool)
    one.glasses[0].heads = [head, head - 2, head]

    numbers = [pool.pin(LATEST).pin.number for _ in range(2)]

    assert numbers == [head, head]
    assert one.asked == [3]


def test_where_the_head_stays_back_the_higher_block_is_asked_for_by_its_height(one):
    """A node that shows an old head but has the block is no reason to refuse."""
    head = one.node.height
    pool = one.reader(Pool)
    one.glasses[0].heads = [head, head - 2, head - 2, head - 2, head]
    first = pool.pin(LATEST)

    assert pool.pin(LATEST).pin == first.pin


def test_a_head_that_went_back_for_good_is_said_and_not_passed_on(one):
    """Two pages of one hour must not tell an older latest after a newer one."""
    head = one.node.height
    pool = one.reader(Pool)
    pool.pin(LATEST)
    one.glasses[0].head = head - 2

    with pytest.raises(BlockAheadOfHeadError, match=f"stood at block {head} a moment ago") as told:
        pool.pin(LATEST)

    assert f"up to {head - 2}" in told.value.remedy
    assert told.value.retryable
    assert pool.pin(BlockHeight(number=head - 2)).pin.number == head - 2


def test_a_development_chain_may_be_set_back(one):
    """Who reverts a node on purpose wants to see it reverted."""
    pool = one.reader(Pool, development=True)
    head = one.node.height
    pool.pin(LATEST)
    one.glasses[0].head = head - 5

    assert pool.pin(LATEST).pin.number == head - 5


@pytest.mark.parametrize("tag", ["safe", "finalized"])
def test_a_tag_that_is_not_supported_says_what_to_pin_instead(one, tag):
    """ "Block not found" sends the analyst to look for a block that nobody has."""
    one.glasses[0].without_tags = True
    one.node.mine(80)

    with pytest.raises(BlockNotFoundError, match=f"does not support the tag {tag}") as told:
        one.reader(Pool).pin(BlockTag(tag=tag))

    assert f"{one.node.height - 64} has 64 blocks above it" in told.value.remedy


def test_without_finality_tags_a_pin_s_finality_is_unknown_and_its_depth_is_counted(one):
    """ "Not final" of a chain that never says what is final would be an invention."""
    one.glasses[0].without_tags = True
    pinned = one.reader(Pool).pin(BlockHeight(number=one.node.height - 7))

    assert (pinned.finality.status, pinned.finality.depth) == ("unknown", 7)
