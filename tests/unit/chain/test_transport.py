"""The way to an endpoint over HTTP: each fault ends in a typed error or a right value."""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from tests.chain import faults
from tests.chain.faults import FaultsProxy, answering, faults_before
from toolkit.chain.retry import Backoff
from toolkit.chain.rpc import METHODS
from toolkit.chain.transport import HttpLimits, HttpTransport, RpcCall
from toolkit.errors import (
    EndpointMisbehavedError,
    EndpointRefusesAccessError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    ForbiddenMethodError,
    InvalidArgumentError,
    MethodUnsupportedError,
    RateLimitedError,
    ReadError,
    RequestTooLargeError,
    StateUnavailableError,
    ToolkitError,
)

KEY = "k3y-that-nobody-may-see"
CALLS = [RpcCall("eth_getBalance", (f"0x{number:040x}", "0x1")) for number in range(5)]
RIGHT = [hex(number) for number in range(5)]


def _number_in_address(method: str, params: list[Any]) -> str:
    """A chain on which every address holds its own number."""
    return hex(int(params[0], 16)) if method == "eth_getBalance" else "0x1"


@pytest.fixture
def proxy() -> Iterator[FaultsProxy]:
    """A well-behaved responder that can be told to misbehave."""
    with faults_before(answering(_number_in_address)) as running:
        yield running


class Waits(list[float]):
    """The waits that a retry asked for; nobody really sleeps."""


@pytest.fixture
def waits() -> Waits:
    """An empty list of waits."""
    return Waits()


@pytest.fixture
def transport(proxy: FaultsProxy, waits: Waits) -> Iterator[HttpTransport]:
    """A transport to the proxy, with a user, a password and a key in its URL."""
    built = _transport(proxy, waits)
    yield built
    built.close()


def _transport(proxy: FaultsProxy, waits: Waits, **limits: Any) -> HttpTransport:
    return HttpTransport(
        "primary",
        SecretStr(f"http://user:{KEY}@127.0.0.1:{proxy.port}/v3/{KEY}?apikey={KEY}"),
        limits=HttpLimits(**{"total_seconds": 20.0, **limits}),
        backoff=Backoff(sleep=waits.append, uniform=lambda _low, high: high),
        clock=lambda: time.monotonic() + sum(waits),
        wall_clock=lambda: 1_767_571_200.0,
    )


def _failure(transport: HttpTransport, calls: list[RpcCall] = CALLS) -> ToolkitError:
    """The error of a send, after a look that no secret is in it, nor in anything it drags along."""
    with pytest.raises(ToolkitError) as caught:
        transport.send(calls)
    told = "".join(traceback.format_exception(caught.value)) + repr(transport)
    chained: BaseException | None = caught.value
    while chained is not None:
        told += str(chained) + repr(chained) + repr(vars(chained))
        chained = chained.__cause__ or chained.__context__
    assert KEY not in told
    assert "127.0.0.1" not in told
    return caught.value


def test_a_batch_out_of_order_gives_each_address_its_own_balance(proxy, transport):
    """By position instead of id, one holder's balance lands on another."""
    proxy.faults.append(faults.reorder)

    assert transport.send(CALLS) == RIGHT
    assert proxy.requests == transport.requests == 1


@pytest.mark.parametrize(
    ("fault", "kind", "tries"),
    [
        (faults.drop_item, EndpointMisbehavedError, 1),
        (faults.add_item, EndpointMisbehavedError, 1),
        (faults.double_item, EndpointMisbehavedError, 1),
        (faults.renumber, EndpointMisbehavedError, 1),
        (faults.write_ids_as_text, EndpointMisbehavedError, 1),
        (faults.answer_html(), EndpointMisbehavedError, 1),
        (faults.redirect("http://127.0.0.1:9/stolen"), EndpointMisbehavedError, 1),
        (faults.answer_html(404), EndpointMisbehavedError, 1),
        (faults.null_id_error, RequestTooLargeError, 1),
        (faults.answer_html(413), RequestTooLargeError, 1),
        (faults.answer_html(401), EndpointRefusesAccessError, 1),
        (faults.answer_html(403), EndpointRefusesAccessError, 1),
        (faults.answer_html(500), EndpointUnreachableError, 3),
        (faults.answer_html(503), EndpointUnreachableError, 3),
        (faults.cut_body, EndpointUnreachableError, 3),
        (faults.answer_with(b""), EndpointUnreachableError, 3),
        (faults.answer_with(b'[{"jsonrpc":"2.0","id":1,'), EndpointUnreachableError, 3),
        (faults.too_many_requests(), RateLimitedError, 3),
        (faults.too_many_requests("1"), RateLimitedError, 3),
        (faults.answer_with(b"not gzip", Content_Encoding="gzip"), EndpointMisbehavedError, 1),
    ],
)  # fmt: skip
def test_a_lasting_fault_ends_in_its_own_error(proxy, transport, fault, kind, tries):
    """Whatever an endpoint does, an analyst reads a sentence, and never a wrong number."""
    proxy.always = fault

    error = _failure(transport)

    assert type(error) is kind
    assert error.attempts == tries == proxy.requests == transport.requests


@pytest.mark.parametrize(
    "fault",
    [
        faults.cut_body,
        faults.answer_html(502),
        faults.too_many_requests("2"),
        faults.too_many_requests(),
        faults.answer_with(b""),
    ],
)
def test_a_passing_fault_ends_in_the_right_value(proxy, transport, fault):
    """A hiccup of the network must not cost the analyst the page."""
    proxy.faults.extend([fault, fault])

    assert transport.send(CALLS) == RIGHT
    assert transport.requests == 3


def test_waits_grow_and_retry_after_is_kept(proxy, transport, waits):
    """A client that ignores Retry-After gets its key blocked."""
    http_date = "Mon, 05 Jan 2026 00:00:04 GMT"
    proxy.faults.extend([faults.too_many_requests("2"), faults.too_many_requests(http_date)])

    assert transport.send(CALLS) == RIGHT
    assert waits == [2.25, 4.5]


def test_too_long_a_wait_is_told_and_not_waited_for(proxy, transport, waits):
    """Nobody should sit before a page for an hour without knowing why."""
    proxy.always = faults.too_many_requests("3600")

    error = _failure(transport)

    assert isinstance(error, RateLimitedError)
    assert error.retry_after == 3600
    assert "3600 seconds" in str(error)
    assert (proxy.requests, waits) == (1, [])


def test_only_the_items_that_were_limited_are_asked_again(proxy, transport):
    """Asking for all again doubles the load that the endpoint just complained of."""
    proxy.faults.append(faults.limit_items(1, 3))

    assert transport.send(CALLS) == RIGHT
    assert [item["params"][0][-1] for item in proxy.bodies[1]] == ["1", "3"]


def test_items_that_stay_limited_do_not_spoil_their_neighbours(proxy, transport):
    """Four good balances must not be lost because the fifth was refused."""
    proxy.faults.append(faults.limit_items(0))
    proxy.always = faults.answer_with(
        b'{"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"slow down"}}', status=429
    )

    answers = transport.send(CALLS)

    assert answers[1:] == RIGHT[1:]
    assert isinstance(answers[0], RateLimitedError)
    assert answers[0].attempts == 3


def test_an_item_s_own_error_is_its_own_answer():
    """One pruned read must not end the other four."""
    gone = {"error": {"code": -32000, "message": "missing trie node"}}
    upstream = answering(
        lambda method, params: (
            gone if params[0].endswith("2") else _number_in_address(method, params)
        )
    )
    with (
        faults_before(upstream) as proxy,
        contextlib.closing(_transport(proxy, Waits())) as transport,
    ):
        answers = transport.send(CALLS)

    assert isinstance(answers[2], StateUnavailableError)
    assert answers[:2] + answers[3:] == RIGHT[:2] + RIGHT[3:]


@pytest.mark.parametrize("status", [400, 404, 500, 503])
def test_json_rpc_under_an_error_status_is_read(proxy, transport, status):
    """Some nodes send a call's own error with HTTP 400 or 500."""
    proxy.always = faults.with_status(status)

    assert transport.send(CALLS) == RIGHT


def test_a_slow_endpoint_ends_in_a_timeout(proxy, waits):
    """A page that hangs for ever tells the analyst nothing."""
    proxy.always = faults.hang
    with contextlib.closing(_transport(proxy, waits, total_seconds=0.05)) as transport:
        assert type(_failure(transport)) is EndpointTimeoutError


def test_a_trickling_answer_does_not_outlive_the_deadline(proxy, waits):
    """A byte a second resets every socket timeout; only a total deadline ends it."""
    ticks = iter(range(1_000))
    with contextlib.closing(_transport(proxy, waits, total_seconds=2.0)) as transport:
        transport._clock = lambda: next(ticks) * 3.0

        assert type(_failure(transport)) is EndpointTimeoutError


def test_nobody_listening_is_unreachable(waits):
    """The commonest fault of all must name the endpoint by its id, not by its address."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    transport = HttpTransport(
        "primary", SecretStr(f"http://127.0.0.1:{port}/{KEY}"), backoff=Backoff(sleep=waits.append)
    )

    error = _failure(transport)
    transport.close()

    assert type(error) is EndpointUnreachableError
    assert "'primary'" in str(error)


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_that_is_too_large_is_dropped(proxy, waits, packed):
    """A compressed megabyte of zeros must not fill the analyst's memory."""
    bomb = json.dumps("0" * 2_000_000).encode()
    headers = {"Content_Encoding": "gzip"} if packed else {}
    proxy.always = faults.answer_with(gzip.compress(bomb) if packed else bomb, **headers)
    with contextlib.closing(_transport(proxy, waits, answer_bytes=100_000)) as transport:
        error = _failure(transport)

    assert type(error) is RequestTooLargeError
    assert "100000 bytes" in str(error)


def test_no_proxy_of_the_process_is_used(proxy, transport, monkeypatch):
    """Addresses of interest must not pass through a proxy that nobody chose for them."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert transport.send(CALLS) == RIGHT


def test_debug_logs_hold_neither_key_nor_host(proxy, transport, caplog):
    """A notebook with logging switched on is often shared."""
    caplog.set_level(logging.DEBUG)

    transport.send(CALLS)
    proxy.always = faults.answer_html(500)
    _failure(transport)

    assert KEY not in caplog.text
    assert "127.0.0.1" not in caplog.text


@pytest.mark.parametrize(
    "url", ["ftp://x", "file:///etc/passwd", "x", "", "http://", "https://[x/"]
)
def test_only_http_urls_make_a_transport(url):
    """A wrong scheme must be refused with its name, not with its content."""
    with pytest.raises(InvalidArgumentError, match="'primary'"):
        HttpTransport("primary", SecretStr(url))


def test_a_forbidden_method_sends_no_byte(proxy, transport):
    """One bad call in a batch must stop the whole batch before the network."""
    with pytest.raises(ForbiddenMethodError):
        transport.send([*CALLS, RpcCall("eth_sendRawTransaction", ("0x00",))])

    assert (proxy.requests, transport.requests) == (0, 0)


def test_threads_share_a_transport_and_each_gets_its_own_answers(proxy, transport):
    """Two pages of one process must not read each other's balances."""
    start = threading.Barrier(4)

    def ask(offset: int) -> list[Any]:
        start.wait()
        calls = [RpcCall("eth_getBalance", (f"0x{offset + n:040x}", "0x1")) for n in range(20)]
        return [transport.send(calls) for _ in range(5)]

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(ask, [0, 100, 200, 300]))

    assert answers == [[[hex(o + n) for n in range(20)]] * 5 for o in (0, 100, 200, 300)]
    assert proxy.requests == transport.requests == 20
    ids = [item["id"] for body in proxy.bodies for item in body]
    assert len(set(ids)) == len(ids) == 400


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    body=st.binary(max_size=80),
    status=st.sampled_from([200, 200, 204, 302, 400, 404, 413, 429, 500]),
    retry_after=st.none() | st.text(st.characters(codec="ascii", exclude_categories=["Cc"])),
)
def test_no_malformed_response_escapes_the_tree_of_errors(
    proxy, transport, body, status, retry_after
):
    """Whatever comes back, a page shows a sentence and no traceback."""
    headers = {"Retry_After": retry_after} if retry_after is not None else {}
    proxy.always = faults.answer_with(b"" if status in {204, 302} else body, status, **headers)

    with contextlib.suppress(ToolkitError):
        assert len(transport.send(CALLS[:1])) == 1


def test_the_exchanges_recorded_from_geth_come_back_through_http(shared_data: Path):
    """A transport that only speaks to our own doubles has never met a client."""
    recorded: dict[str, Any] = {}
    for file in sorted((shared_data / "execution-apis" / "tests").glob("*/*.io")):
        lines = file.read_text().splitlines()
        asked = [json.loads(line[3:]) for line in lines if line.startswith(">> ")]
        given_back = [json.loads(line[3:]) for line in lines if line.startswith("<< ")]
        recorded |= {
            json.dumps([one["method"], one.get("params", [])]): answer
            for one, answer in zip(asked, given_back, strict=True)
        }

    def replay(request: Any) -> Any:
        answer = recorded[json.dumps([request["method"], request["params"]])]
        return {**answer, "id": request["id"]}

    with faults_before(replay) as proxy:
        transport = HttpTransport("recorded", SecretStr(proxy.url()))
        replayed = 0
        for name, answer in recorded.items():
            method, params = json.loads(name)
            if method not in METHODS:
                with pytest.raises(ForbiddenMethodError):
                    transport.send([RpcCall(method, tuple(params))])
                continue
            (result,) = transport.send([RpcCall(method, tuple(params))])
            replayed += 1
            if "error" in answer:
                assert isinstance(result, ReadError)
            else:
                assert result == answer["result"]
        transport.close()

    assert replayed == proxy.requests >= 60
    chain_id = recorded[json.dumps(["eth_chainId", []])]["result"]
    assert int(chain_id, 16) == 3503995874084926


def test_a_method_that_the_node_lacks_is_told_apart(proxy, transport):
    """Without eth_getProof the remedy is another endpoint, not another try."""
    body = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}'
    proxy.always = faults.answer_with(body)

    (answer,) = transport.send([RpcCall("eth_getProof")])

    assert isinstance(answer, MethodUnsupportedError)
