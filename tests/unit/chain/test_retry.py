"""How long a person is made to wait for an endpoint that does not answer."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from tests.chain import faults
from tests.chain.faults import answering, faults_before
from toolkit.chain.retry import Backoff
from toolkit.chain.transport import HttpLimits, HttpTransport, RpcCall
from toolkit.errors import EndpointTimeoutError

CALLS = [RpcCall("eth_chainId")]


@pytest.fixture
def proxy():
    """A responder that can be told to hang."""
    with faults_before(answering(lambda _method, _params: "0x1")) as running:
        yield running


@pytest.fixture
def transport(proxy):
    """A transport that loses patience at once and sleeps never."""
    built = HttpTransport(
        "primary",
        SecretStr(proxy.url()),
        limits=HttpLimits(total_seconds=0.5),
        backoff=Backoff(sleep=lambda _seconds: None),
    )
    yield built
    built.close()


def test_who_never_answered_is_not_waited_for_three_times(proxy, transport):
    """A wrong URL that hangs must be told after half a minute, not after a minute and a half."""
    proxy.always = faults.hang

    with pytest.raises(EndpointTimeoutError) as caught:
        transport.send(CALLS)

    assert caught.value.attempts == transport.requests == 1
    assert "attempts" not in str(caught.value)


def test_who_has_answered_is_asked_again_and_the_tries_are_told(proxy, transport):
    """Three waits told as one make the clock look wrong."""
    assert transport.send(CALLS) == ["0x1"]
    proxy.always = faults.hang

    with pytest.raises(EndpointTimeoutError, match=r"0\.5 seconds, 3 attempts in a row") as caught:
        transport.send(CALLS)

    assert caught.value.attempts == 3
