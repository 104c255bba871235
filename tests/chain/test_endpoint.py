"""What a probe finds out about an endpoint, and reads through an existing Web3 object."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from tests.chain import faults
from tests.chain.faults import FaultsProxy, faults_before, node_at
from tests.chain.node import Node
from toolkit.chain.endpoint import Capabilities, Endpoint, connect, probe
from toolkit.chain.retry import Backoff
from toolkit.chain.transport import HttpTransport, RpcCall
from toolkit.chain.web3_provider import Web3Transport
from toolkit.errors import (
    BlockNotFoundError,
    ChainMismatchError,
    EndpointError,
    EndpointMisbehavedError,
    EndpointUnreachableError,
    ForbiddenMethodError,
)

NOW = "2026-01-05T00:00:00Z"
HEIGHT = 12


@pytest.fixture
def proxy(anvil: Node) -> Iterator[FaultsProxy]:
    """A faults proxy before anvil with a few blocks."""
    while anvil.height < HEIGHT:
        anvil.mine()
    with faults_before(node_at(anvil.port)) as running:
        yield running


@pytest.fixture
def transport(proxy: FaultsProxy) -> Iterator[HttpTransport]:
    """A transport to the proxy that never really waits."""
    with contextlib.closing(_to(proxy)) as built:
        yield built


def _to(proxy: FaultsProxy) -> HttpTransport:
    return HttpTransport(
        "primary", SecretStr(proxy.url()), backoff=Backoff(sleep=lambda _seconds: None)
    )


def _found(transport: HttpTransport, chain_id: int) -> Capabilities:
    return probe(transport, chain_id, now=lambda: NOW)


def _rewriting(change: Any) -> Any:
    """A fault that lets `change(request, item)` rewrite each answer, and each may be a batch."""

    def fault(exchange: faults.Exchange) -> None:
        many = isinstance(exchange.request, list)
        asked = {item["id"]: item for item in (exchange.request if many else [exchange.request])}
        answers = exchange.response if many else [exchange.response]
        changed = [change(asked[item["id"]], copy.deepcopy(item)) for item in answers]
        exchange.response = changed if many else changed[0]

    return fault


def _refused(item: Any, code: int, message: str) -> Any:
    return {"jsonrpc": "2.0", "id": item["id"], "error": {"code": code, "message": message}}


def test_a_whole_node_is_found_whole_in_few_requests(anvil, proxy, transport):
    """Each request of the probe is one that every new session of the analyst pays."""
    found = _found(transport, anvil.chain_id)

    assert found.hash_pins.supported is True
    assert found.history.supported is True
    assert found.overrides.supported is True
    assert found.parent_hash.supported is True
    assert found.batch.supported is True
    assert found.batch_limit == 1000
    assert found.client.startswith("anvil/")
    assert found.probed_at == NOW
    assert proxy.requests == 3
    assert Capabilities.model_validate_json(found.model_dump_json()) == found


def test_a_pruned_node_is_told_from_an_archive(pruned_anvil):
    """Only an archive can answer for last year; the analyst must know before asking."""
    for _ in range(40):
        pruned_anvil.mine()
    with (
        faults_before(node_at(pruned_anvil.port)) as proxy,
        contextlib.closing(_to(proxy)) as transport,
    ):
        found = _found(transport, pruned_anvil.chain_id)

    assert found.history.supported is False
    assert "keeps no state" in found.history.reason
    assert found.hash_pins.supported is True


def test_another_chain_is_refused_by_both_ids(anvil, proxy, transport):
    """Mainnet's address read on a testnet gives a number that means nothing."""
    proxy.always = faults.serve_chain(10)

    with pytest.raises(ChainMismatchError) as caught:
        _found(transport, anvil.chain_id)

    assert "chain 10" in str(caught.value)
    assert f"chain {anvil.chain_id}" in str(caught.value)
    assert "'primary'" in str(caught.value)


def test_a_node_that_answers_the_past_with_the_present_is_found_out(anvil, proxy, transport):
    """Such a node gives today's balance for last year's block, and no error at all."""

    def forget(request: Any) -> Any:
        items = request if isinstance(request, list) else [request]
        for item in items:
            if item["method"] in {"eth_call", "eth_getBalance"}:
                block = item["params"][1]
                item["params"][1] = block if isinstance(block, dict) else "latest"
        return node_at(anvil.port)(request)

    proxy._upstream = forget

    found = _found(transport, anvil.chain_id)

    assert found.history.supported is False
    assert "another block" in found.history.reason


def test_a_node_that_ignores_block_hashes_is_found_out(anvil, proxy, transport):
    """Pins by hash on such a node would be pins in name only."""

    def ignore(request: Any, item: Any) -> Any:
        if request["method"] == "eth_getBalance" and isinstance(request["params"][1], dict):
            return {"jsonrpc": "2.0", "id": item["id"], "result": "0x0"}
        return item

    proxy.always = _rewriting(ignore)

    assert _found(transport, anvil.chain_id).hash_pins.supported is False


@pytest.mark.parametrize(
    ("code", "message", "supported"),
    [
        (-32602, "invalid argument 1: json: cannot unmarshal object into Go value", False),
        (-32000, "rate limit exceeded", None),
    ],
)
def test_a_refused_block_object_is_no_support_and_a_rate_limit_is_unknown(
    anvil, proxy, transport, code, message, supported
):
    """Unknown must stay unknown: a busy minute is not a property of the endpoint."""

    def refuse(request: Any, item: Any) -> Any:
        by_hash = request["method"] == "eth_getBalance" and isinstance(request["params"][1], dict)
        return _refused(item, code, message) if by_hash else item

    proxy.always = _rewriting(refuse)

    assert _found(transport, anvil.chain_id).hash_pins.supported is supported


def test_without_overrides_history_is_unknown_and_not_assumed(anvil, proxy, transport):
    """An answer at an old block proves nothing about which block gave it."""

    def refuse(request: Any, item: Any) -> Any:
        overridden = request["method"] == "eth_call" and len(request["params"]) > 2
        return _refused(item, -32602, "too many arguments, want at most 2") if overridden else item

    proxy.always = _rewriting(refuse)

    found = _found(transport, anvil.chain_id)

    assert found.overrides.supported is False
    assert found.history.supported is None
    assert found.history.reason


def test_an_endpoint_without_batches_is_still_probed(anvil, proxy, transport):
    """Free endpoints without batches are what many analysts start with."""

    def no_batches(exchange: faults.Exchange) -> None:
        if isinstance(exchange.request, list):
            faults.null_id_error(exchange)

    proxy.always = no_batches

    found = _found(transport, anvil.chain_id)

    assert (found.batch.supported, found.batch_limit) == (False, 1)
    assert found.hash_pins.supported is True
    assert found.client == "unknown"
    assert proxy.requests <= 6


def test_a_batch_limit_is_found_by_trying(anvil, proxy, transport):
    """A limit of a hundred must cost one request, and not the page."""

    def at_most_hundred(exchange: faults.Exchange) -> None:
        if isinstance(exchange.request, list) and len(exchange.request) > 100:
            faults.answer_html(413)(exchange)

    proxy.always = at_most_hundred

    assert _found(transport, anvil.chain_id).batch_limit == 100
    assert proxy.requests <= 6


def test_a_client_s_name_is_cut_and_cleaned(anvil, proxy, transport):
    """The version is text from a stranger's server, and is shown on a page."""

    def boast(request: Any, item: Any) -> Any:
        if request["method"] == "web3_clientVersion":
            item["result"] = "Geth/v1<script>alert(1)</script>" + 500 * "A"
        return item

    proxy.always = _rewriting(boast)

    client = _found(transport, anvil.chain_id).client

    assert client.startswith("Geth/v1scriptalert1/script")
    assert len(client) == 60


@pytest.mark.parametrize("fault", [faults.answer_html(), faults.cut_body, faults.answer_html(401)])
def test_an_endpoint_that_cannot_be_spoken_to_is_an_error(anvil, proxy, transport, fault):
    """A probe that found nothing must not look like one that found limits."""
    proxy.always = fault

    with pytest.raises(EndpointError):
        _found(transport, anvil.chain_id)


def test_a_configured_batch_size_is_believed(anvil, proxy, transport):
    """Who pays per call should not pay for a trial of a thousand."""
    endpoint = connect(transport, anvil.chain_id, now=lambda: NOW, max_batch=50)

    assert isinstance(endpoint, Endpoint)
    assert (endpoint.endpoint_id, endpoint.capabilities.batch_limit) == ("primary", 50)
    assert proxy.requests == 2


# Through a Web3 object's provider.


@pytest.fixture
def web3_transport(proxy: FaultsProxy) -> Web3Transport:
    """A transport over web3's own HTTP provider, which stands before the proxy."""
    from web3 import HTTPProvider, Web3

    provider = HTTPProvider(proxy.url("/v3/s3cret"), exception_retry_configuration=None)
    return Web3Transport(Web3(provider), backoff=Backoff(sleep=lambda _seconds: None))


def test_a_web3_provider_answers_as_http_does(anvil, proxy, web3_transport, transport):
    """An analyst with a Web3 object must get the very same numbers, one request a call."""
    calls = [
        RpcCall("eth_chainId"),
        RpcCall("eth_getBlockByNumber", ("0x1", False)),
        RpcCall("eth_getBalance", (anvil.accounts[0], "0x1")),
    ]

    assert web3_transport.send(calls) == transport.send(calls)
    assert web3_transport.requests == 3
    assert {body["method"] for body in proxy.bodies[:3]} == {call.method for call in calls}


def test_errors_through_a_web3_provider_are_told_apart(anvil, proxy, web3_transport):
    """web3 raises its own errors for some of these; here they are values or our own."""
    unknown = {"blockHash": "0x" + 32 * "ab", "requireCanonical": True}

    (answer,) = web3_transport.send([RpcCall("eth_getBalance", (anvil.accounts[0], unknown))])

    assert isinstance(answer, BlockNotFoundError)
    with pytest.raises(ForbiddenMethodError):
        web3_transport.send([RpcCall("eth_sendTransaction")])


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.answer_html(), EndpointMisbehavedError),
        (faults.answer_html(500), EndpointUnreachableError),
        (faults.cut_body, EndpointUnreachableError),
        (faults.answer_with(b'{"jsonrpc":"2.0","id":0}'), EndpointMisbehavedError),
        (faults.answer_with(b'{"jsonrpc":"2.0","id":"0","result":"0x1"}'), EndpointMisbehavedError),
    ],
)  # fmt: skip
def test_a_failing_provider_ends_in_our_own_error_without_its_url(
    proxy, web3_transport, fault, kind
):
    """requests and web3 write the whole URL into their messages, the key with it."""
    proxy.always = fault

    with pytest.raises(kind) as caught:
        web3_transport.send([RpcCall("eth_chainId")])

    assert type(caught.value) is kind
    chained: BaseException | None = caught.value
    while chained is not None:
        assert "s3cret" not in str(chained)
        chained = chained.__cause__ or chained.__context__
