"""Opens configured endpoints, and remembers for a day what a probe found out about each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from pydantic import ValidationError

from toolkit.chain.endpoint import Capabilities, probe
from toolkit.chain.limits import Limits
from toolkit.chain.transport import HttpLimits, HttpTransport, Transport
from toolkit.config import EndpointSettings
from toolkit.errors import EndpointMisbehavedError, StoreError, ToolkitError
from toolkit.models import Frozen, iso_time
from toolkit.store import CapabilityMemory, Database

_REMEMBERED_SECONDS: Final = 24 * 3600
_GIVEN_BATCH: Final = 100


class EndpointReport(Frozen):
    """What the doctor says of one endpoint. `error` is a sentence with the way out, or None."""

    endpoint_id: str
    chain_id: int
    ok: bool
    error: str | None
    capabilities: Capabilities | None


class Endpoints:
    """The HTTP endpoints of a workspace. URLs stay in the transports."""

    def __init__(self, database: Database, *, clock: Callable[[], float]) -> None:
        self._memory = CapabilityMemory(database)
        self._clock = clock
        self._transports: dict[EndpointSettings, HttpTransport] = {}

    def close(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            transport.close()

    def open(self, settings: EndpointSettings) -> tuple[HttpTransport, Limits]:
        """Give the transport of an endpoint and its limits, probed where they are not remembered.

        Errors: ChainMismatchError; EndpointError where the endpoint cannot be spoken to.
        """
        transport = self._transport(settings)
        found = self._recall(settings) or self._probe(settings, transport)
        return transport, limits_of(found, transport.endpoint_id)

    def limits_of_given(self, transport: Transport, chain_id: int) -> Limits:
        """Probe a transport of the caller's own, which nobody has looked at before.

        Errors: as `open`.
        """
        found = probe(
            transport,
            chain_id,
            now=lambda: iso_time(self._clock()),
            max_batch=_GIVEN_BATCH,
        )
        return limits_of(found, transport.endpoint_id)

    def report(self, settings: EndpointSettings) -> EndpointReport:
        """Probe an endpoint anew and say what it can do. Never raises."""
        found: Capabilities | None = None
        problem: str | None = None
        try:
            if settings.url is None:
                problem = f"The variable {settings.url_env} is not set. Set it to the URL."
            else:
                found = self._probe(settings, self._transport(settings))
        except ToolkitError as error:
            problem = str(error)
        return EndpointReport(
            endpoint_id=settings.id,
            chain_id=settings.chain_id,
            ok=problem is None,
            error=problem,
            capabilities=found,
        )

    def _transport(self, settings: EndpointSettings) -> HttpTransport:
        if settings not in self._transports:
            if settings.url is None:
                raise TypeError("An endpoint without a URL is never opened.")
            self._transports[settings] = HttpTransport(
                settings.id,
                settings.url,
                limits=HttpLimits(
                    total_seconds=settings.timeout_seconds,
                    pause_seconds=1 / settings.requests_per_second
                    if settings.requests_per_second
                    else 0.0,
                ),
            )
        return self._transports[settings]

    def _probe(self, settings: EndpointSettings, transport: HttpTransport) -> Capabilities:
        now = self._clock()
        found = probe(
            transport,
            settings.chain_id,
            now=lambda: iso_time(now),
            max_batch=settings.max_batch,
        )
        if found.hash_pins.supported is None:  # An endpoint that was too busy to tell.
            return found
        with suppress(StoreError):
            self._memory.remember(
                settings.chain_id, settings.id, _fingerprint(settings), found.model_dump_json(), now
            )
        return found

    def _recall(self, settings: EndpointSettings) -> Capabilities | None:
        """What was found within a day, unless the store or its text cannot be read."""
        with suppress(StoreError, ValidationError):
            found = self._memory.recall(
                settings.chain_id,
                settings.id,
                _fingerprint(settings),
                not_before=self._clock() - _REMEMBERED_SECONDS,
            )
            return None if found is None else Capabilities.model_validate_json(found)
        return None


def limits_of(found: Capabilities, endpoint_id: str) -> Limits:
    """What a reader may ask of an endpoint, after what a probe found.

    Errors: EndpointMisbehavedError where it answers old blocks from another block: nothing
    that it says of history can be believed.
    """
    if found.history.supported is False and found.history.wrong_block:
        raise EndpointMisbehavedError(
            f"Endpoint {endpoint_id!r} answers an old block from another block.",
            remedy="Its numbers of the past would be false: use an endpoint with real history.",
        )
    return Limits(
        hash_pins=found.hash_pins.supported is True,
        batch=found.batch_limit,
        body_bytes=found.body_limit_bytes,
    )


def _fingerprint(settings: EndpointSettings) -> bytes:
    """Tell one URL from another without keeping it."""
    url = settings.url.get_secret_value() if settings.url else ""
    return hashlib.sha256(url.encode()).digest()
