"""Scans of logs against endpoints that hang, take little, or answer too much."""

from __future__ import annotations

import contextlib

import pytest
from pydantic import SecretStr

from tests.chain import faults
from tests.chain.deployments import vyper_code
from tests.chain.scanned_node import (
    NOW,
    Endpoint,
    heights,
    log_at,
    scanned,
    too_wide,
)
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpLimits, HttpTransport
from toolkit.errors import (
    BlockAheadOfHeadError,
    EndpointTimeoutError,
    MethodUnsupportedError,
    StateUnavailableError,
)
from toolkit.evidence import rows_of
from toolkit.models import Unknown
from toolkit.tools import BUILT_IN, Coin, Toolset


def _no_coin(_):
    return Coin(Unknown(code="metadata_unknown", message="A development chain names no coin."), 18)


@pytest.mark.parametrize("whole", [False, True])
def test_a_scan_ends_with_its_second_timeout_in_a_row(whole):
    """Fourteen halvings of thirty seconds each look like a program that hangs."""
    endpoint = Endpoint(refuses=too_wide(EndpointTimeoutError("No answer."), 0), whole=whole)

    page = scanned(endpoint, pin=25_000)

    assert page.stopped_because == "timeout"
    assert page.covered_from is None
    assert len(endpoint.sent) == 2


def test_a_width_that_timed_out_is_not_tried_again():
    """A slice that takes too long once takes too long each time."""
    slow = too_wide(EndpointTimeoutError("No answer."), 6_000)
    endpoint = Endpoint([log_at(3)], refuses=slow)

    page = scanned(endpoint, pin=25_000)

    assert page.complete
    assert heights(page) == [3]
    assert len([1 for foot, top in set(endpoint.slices) if slow(foot, top)]) == 1


def test_single_timeouts_between_answers_do_not_end_a_scan():
    """An endpoint that is slow now and then still has the rest of the list."""
    narrow_once = iter([EndpointTimeoutError("No answer."), None, EndpointTimeoutError("Again.")])

    class Slow(Endpoint):
        def send(self, calls):
            error = next(narrow_once, None)
            if error:
                raise error
            return super().send(calls)

    assert scanned(Slow([log_at(3)]), pin=25_000).complete


def test_an_endpoint_that_takes_no_batch_is_asked_one_by_one():
    """Some providers refuse batches; their list is as good, and the refusal is paid once."""
    endpoint = Endpoint([log_at(3), log_at(24_000)], takes_batches=False)

    page = scanned(endpoint, pin=25_000)

    assert page.complete
    assert heights(page) == [24_000, 3]
    assert [len(request) for request in endpoint.sent] == [3] + [1] * 9
    assert page.witness.transport == "single"


def test_an_endpoint_known_to_take_small_batches_only_is_never_sent_a_larger_one():
    """A batch over the limit reads as a rate limit at some providers, and ends the scan."""
    endpoint = Endpoint([log_at(3)])

    assert scanned(endpoint, batch=2).complete
    assert {len(request) for request in endpoint.sent} == {1}


@pytest.mark.parametrize(
    "error",
    [MethodUnsupportedError("No such method."), BlockAheadOfHeadError("Not mined yet.")],
)
def test_a_refusal_that_no_narrower_range_can_mend_is_asked_once(error):
    """Fourteen requests for one answer use up an allowance for nothing."""
    endpoint = Endpoint(refuses=too_wide(error, 0))

    page = scanned(endpoint)

    assert page.error is error
    assert len(endpoint.sent) == 1


def test_where_old_blocks_are_gone_the_newer_ones_are_still_listed():
    """A pruned node has the last months; an error instead of them helps nobody."""

    def gone(foot, _top):
        return StateUnavailableError("Pruned.") if foot < 40 else None

    page = scanned(Endpoint([log_at(60)], refuses=gone))

    assert heights(page) == [60]
    assert (page.covered_from, page.stopped_because) == (40, "state_unavailable")


def test_an_answer_over_the_size_limit_is_asked_for_in_halves():
    """A token with long logs must not make every busy address unreadable.

    There are more such answers here than connections: each must give its own back.
    """
    logs = [log_at(number, data="0x" + "00" * 1_000) for number in range(1, 101)]
    endpoint = Endpoint(logs)

    def answer(method, params):
        return getattr(endpoint, method)(*params)

    with (
        faults.faults_before(faults.answering(answer)) as proxy,
        contextlib.closing(
            HttpTransport(
                "small",
                SecretStr(proxy.url()),
                limits=HttpLimits(answer_bytes=20_000, connections=2),
            )
        ) as transport,
    ):
        page = scanned(transport, limit=1_000)

    assert page.complete
    assert heights(page) == list(range(100, 0, -1))


def test_a_log_of_an_odd_shape_ends_nobody_s_list(anvil, uniswap_v2):
    """Anyone can emit Transfer with one party; the victim's own transfers must stay readable."""
    owner, victim = anvil.accounts[0], anvil.accounts[2]
    emitter = anvil.deploy(owner, vyper_code("OddShapes"))
    first = anvil.height + 1
    anvil.transact(owner, uniswap_v2.token_a, "transfer(address,uint256)", victim, 5)
    anvil.transact(owner, emitter, "two_topics(address)", victim)
    anvil.transact(owner, emitter, "three_topics(address,address,uint256)", victim, owner, 9)
    arguments = {"chain_id": 31337, "from_block": str(first), "to_block": "latest", "limit": 10}
    with contextlib.closing(HttpTransport("local", SecretStr(anvil.url))) as transport:
        reader = RpcReader(transport, chain_id=31337, development=True, now=lambda: NOW)
        tools = Toolset(lambda _: reader, _no_coin, BUILT_IN)
        victims, owners = tools.batch(
            [
                ("list_recent_transfers", {**arguments, "address": party})
                for party in (victim, owner)
            ]
        )

    assert victims.error is None
    assert [row.raw_amount for row in victims.data.rows] == [9, 5]
    assert (victims.data.complete, victims.data.odd_shapes) == (True, 1)
    assert [row.raw_amount for row in owners.data.rows] == [9, 5]
    assert owners.data.odd_shapes == 0
    assert {"raw_amount", "log_data"} <= {row.field for row in rows_of([victims])}
