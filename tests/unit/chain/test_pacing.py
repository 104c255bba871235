"""Requests to one endpoint, no closer together than its owner allows."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from tests.chain.faults import answering, faults_before
from toolkit.chain.retry import Backoff
from toolkit.chain.transport import HttpLimits, HttpTransport, RpcCall


def test_requests_start_no_closer_than_the_endpoint_was_configured_for():
    """A free plan of five requests a second is gone after the first page otherwise."""
    slept: list[float] = []
    with faults_before(answering(lambda *_: "0x1")) as proxy:
        transport = HttpTransport(
            "node",
            SecretStr(proxy.url()),
            limits=HttpLimits(pause_seconds=0.2),
            backoff=Backoff(sleep=slept.append),
            clock=lambda: 100.0,
        )
        for _ in range(3):
            transport.send([RpcCall("eth_chainId")])
        transport.close()

    assert slept == pytest.approx([0.2, 0.4])
