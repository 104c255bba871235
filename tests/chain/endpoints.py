"""Several endpoints of one anvil, each a faults proxy behind a glass of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import SecretStr

from tests.chain.faults import FaultsProxy, faults_before, node_at
from tests.chain.node import Node
from tests.chain.node_in_part import Glass
from toolkit.chain.limits import Limits
from toolkit.chain.member import Way
from toolkit.chain.pool import Pool
from toolkit.chain.quorum import Quorum
from toolkit.chain.retry import Backoff
from toolkit.chain.transport import HttpLimits, HttpTransport

NOW = "2026-01-05T00:00:00Z"
NAMES = ("first", "second", "third")

R = TypeVar("R", Pool, Quorum)


@dataclass
class Clock:
    """A clock that a test turns. Unit: seconds."""

    seconds: float = 1_767_571_200.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Endpoints:
    """Proxies and their glasses, in the order of preference."""

    node: Node
    proxies: list[FaultsProxy]
    glasses: list[Glass]
    transports: list[HttpTransport]
    clock: Clock = field(default_factory=Clock)

    def reader(
        self,
        kind: Callable[..., R],
        *,
        limits: Sequence[Limits | None] = (),
        development: bool = False,
    ) -> R:
        """A reader over all of them. Anvil is taken for a real chain unless a test says no."""
        given = [*limits, *[None] * (len(self.transports) - len(limits))]
        ways = [
            Way(transport, _learning(limit))
            for transport, limit in zip(self.transports, given, strict=True)
        ]
        return kind(
            ways,
            chain_id=self.node.chain_id,
            development=development,
            now=lambda: NOW,
            clock=self.clock,
            wall_clock=self.clock,
        )

    @property
    def asked(self) -> list[int]:
        """How many requests each has met."""
        return [proxy.requests for proxy in self.proxies]

    def forget(self) -> None:
        """Count requests from here."""
        for proxy in self.proxies:
            proxy.requests = 0
            proxy.bodies.clear()


def _learning(limits: Limits | None) -> Callable[[], Any]:
    return lambda: limits


@contextmanager
def endpoints_of(node: Node, count: int) -> Iterator[Endpoints]:
    """Run so many endpoints before one node until the block ends."""
    with ExitStack() as stack:
        glasses = [Glass(node_at(node.port)) for _ in range(count)]
        proxies = [stack.enter_context(faults_before(glass)) for glass in glasses]
        transports = [
            HttpTransport(
                name,
                SecretStr(proxy.url()),
                limits=HttpLimits(total_seconds=10.0),
                backoff=Backoff(attempts=1, sleep=lambda _seconds: None),
            )
            for name, proxy in zip(NAMES, proxies, strict=False)
        ]
        for transport in transports:
            stack.callback(transport.close)
        yield Endpoints(node, proxies, glasses, transports)
