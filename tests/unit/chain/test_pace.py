"""An endpoint's rate is learned from its refusals, whatever they look like."""

from __future__ import annotations

import threading

import pytest
from pydantic import SecretStr

from tests.chain.faults import Exchange, answering, faults_before, limit_items, too_many_requests
from toolkit.chain.pace import Pace
from toolkit.chain.retry import Backoff
from toolkit.chain.transport import HttpLimits, HttpTransport, RpcCall
from toolkit.errors import RateLimitedError

CALLS = [RpcCall("eth_chainId")]


class Time:
    """A clock that sleeping turns."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def _allowing(time: Time, rate: int, starts: list[float]):
    """A fault: refuse what goes beyond so many requests in any one second."""

    def fault(exchange: Exchange) -> None:
        recent = [start for start in starts if start > time() - 1.0]
        starts.append(time())
        if len(recent) >= rate:
            too_many_requests()(exchange)

    return fault


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def proxy():
    """A responder that can be told to limit."""
    with faults_before(answering(lambda *_: "0x1")) as running:
        yield running


def _transport(proxy, time, **limits):
    return HttpTransport(
        "node",
        SecretStr(proxy.url()),
        limits=HttpLimits(**limits),
        backoff=Backoff(sleep=time.sleep, uniform=lambda low, _high: low),
        clock=time,
        wall_clock=lambda: 1_767_571_200.0,
    )


def test_an_endpoint_that_limits_its_rate_is_soon_asked_no_faster(proxy, time):
    """Each refusal counts against the key; after some hundreds it is blocked."""
    starts: list[float] = []
    proxy.always = _allowing(time, 10, starts)
    transport = _transport(proxy, time)
    for _ in range(60):
        transport.send(CALLS)
        time.sleep(0.01)  # What an answer takes.
    refused = proxy.requests - 60
    learned_from = len(starts)
    for _ in range(60):
        transport.send(CALLS)
        time.sleep(0.01)
    transport.close()

    assert refused <= 6
    assert proxy.requests - 60 - 60 - refused <= 2
    later = starts[learned_from:]
    assert 60 / (later[-1] - later[0]) <= 10.5
    assert 60 / (later[-1] - later[0]) >= 3


@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        (too_many_requests("4"), 4.0),
        (too_many_requests("Mon, 05 Jan 2026 00:00:04 GMT"), 4.0),
        (limit_items(0, 1), 0.0),
    ],
    ids=["seconds", "date", "inside a 200"],
)
def test_every_form_of_a_refusal_lowers_the_rate_and_is_waited_for(proxy, time, fault, waits):
    """A limit that hides in a good answer is a limit all the same."""
    transport = _transport(proxy, time)
    proxy.faults.append(fault)
    before = time()
    transport.send(CALLS * 3)
    transport.close()

    assert transport.pace.rate is not None
    assert time() - before >= waits


@pytest.mark.parametrize(
    "text",
    ["429 Too Many Requests: over rate limit", "call rate limit exhausted, retry in 3s"],
)
def test_a_rate_limit_inside_an_ordinary_error_lowers_the_rate(time, text):
    """Rollups pass on their own provider's refusal as an error of the call."""
    error = {"error": {"code": -32000, "message": text}}
    with faults_before(answering(lambda *_: error)) as proxy:
        transport = _transport(proxy, time)
        (answer,) = _sent(transport)
        transport.close()

    assert isinstance(answer, RateLimitedError)
    assert transport.pace.rate == 1.0


def test_a_rate_limit_in_the_result_field_is_no_result(time):
    """An explorer's gateway says so with status 200, where the balance belongs."""
    body = {"status": "0", "message": "NOTOK", "result": "Max rate limit reached"}
    with faults_before(lambda _request: body) as proxy:
        transport = _transport(proxy, time)
        with pytest.raises(RateLimitedError):
            transport.send(CALLS)
        transport.close()


def _sent(transport):
    try:
        return transport.send(CALLS)
    except RateLimitedError as error:
        return [error]


def test_a_refused_thread_holds_back_all_others(time):
    """A wait that only one of eight threads keeps is not kept."""
    pace = Pace(None, clock=time)
    pace.refused(pace.take_turn(), hold=5.0)

    assert pace.take_turn().wait == pytest.approx(5.0)
    assert pace.take_turn().wait > 5.0


def test_eight_refusals_of_one_moment_halve_the_rate_once(time):
    """Else one bad second brings an endpoint to a crawl."""
    pace = Pace(64.0, clock=time)
    turns = [pace.take_turn() for _ in range(64)]
    time.now = turns[-1].at
    threads = [threading.Thread(target=pace.refused, args=(turn,)) for turn in turns[-8:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert pace.rate == pytest.approx(32.0, rel=0.05)


def test_good_answers_raise_the_rate_slowly_and_never_beyond_what_is_configured(time):
    """The configured rate is what the user's plan allows, whatever the endpoint lets pass."""
    pace = Pace(4.0, clock=time)
    for _ in range(8):
        time.sleep(pace.take_turn().wait)
    pace.refused(pace.take_turn())
    lowered = pace.rate or 0.0
    pace.answered()
    assert lowered < (pace.rate or 0.0) < lowered + 0.2
    for _ in range(1_000):
        pace.answered()

    assert pace.rate == 4.0


def test_an_endpoint_that_never_refuses_is_never_slowed(proxy, time):
    """A node of one's own must not be asked as carefully as a free plan."""
    transport = _transport(proxy, time)
    for _ in range(20):
        transport.send(CALLS)
    transport.close()

    assert transport.pace.rate is None
    assert time() == 1_000.0
