"""Opens configured endpoints, and remembers for a day what was found out about each."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from pydantic import ValidationError

from toolkit.chain.endpoint import Capabilities, probe
from toolkit.chain.limits import LearnedLimits, Limits
from toolkit.chain.member import Way
from toolkit.chain.transport import HttpLimits, HttpTransport, Transport
from toolkit.config import EndpointSettings, Settings
from toolkit.errors import EndpointMisbehavedError, InvalidArgumentError, StoreError
from toolkit.models import Frozen, iso_time
from toolkit.store import CapabilityMemory, Database

_REMEMBERED_SECONDS: Final = 24 * 3600
_GIVEN_BATCH: Final = 100


class Remembered(Frozen):
    """What is kept of an endpoint: what the probe found, and what it has taught since.

    `limits` and `rate` are None where nothing was learned. Unit: `rate` in requests per
    second; `history_from` is a height whose state was answered.
    """

    capabilities: Capabilities
    limits: Limits | None = None
    rate: float | None = None
    history_from: int | None = None


@dataclass(slots=True)
class _Known:
    """What is known of an endpoint, and when it was probed. Unit: seconds since 1970."""

    found: Remembered
    probed_at: float


class Endpoints:
    """The HTTP endpoints of a workspace. URLs stay in the transports."""

    def __init__(self, database: Database, *, clock: Callable[[], float]) -> None:
        self._memory = CapabilityMemory(database)
        self.clock = clock
        self._transports: dict[EndpointSettings, HttpTransport] = {}
        self._known: dict[EndpointSettings, _Known] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Keep the rates that were learned, and close all connections."""
        for settings, transport in self._transports.items():
            if settings in self._known and transport.pace.rate != settings.requests_per_second:
                self.learn(settings, rate=transport.pace.rate)
            transport.close()

    def way(self, settings: EndpointSettings) -> Way:
        """The way to an endpoint, which is probed when it is first gone and not remembered."""
        return Way(
            self.transport(settings),
            partial(self.limits, settings),
            lambda: self._known[settings].found.history_from if settings in self._known else None,
        )

    def limits(self, settings: EndpointSettings) -> LearnedLimits:
        """What an endpoint takes, as it was remembered or else is probed now.

        Errors: ChainMismatchError; EndpointError where the endpoint cannot be spoken to.
        """
        transport = self.transport(settings)
        found = self._recall(settings)
        if found is None:
            capabilities = self.probe(settings)
            found = Remembered(capabilities=capabilities)
        # In this order, so that an endpoint with a false past is refused from memory too.
        start = limits_of(found.capabilities, transport.endpoint_id)
        transport.pace.start_from(found.rate)
        return LearnedLimits(
            found.limits or start, keep=lambda limits: self.learn(settings, limits=limits)
        )

    def limits_of_given(self, transport: Transport, chain_id: int) -> Limits:
        """Probe a transport of the caller's own, which nobody has looked at before.

        Errors: as `limits`.
        """
        found = probe(
            transport,
            chain_id,
            now=lambda: iso_time(self.clock()),
            max_batch=_GIVEN_BATCH,
        )
        return limits_of(found, transport.endpoint_id)

    def probe(self, settings: EndpointSettings) -> Capabilities:
        """Look at an endpoint anew, and remember what was found. Errors: as `limits`."""
        now = self.clock()
        found = probe(
            self.transport(settings),
            settings.chain_id,
            now=lambda: iso_time(now),
            max_batch=settings.max_batch,
        )
        if found.hash_pins.supported is not None:  # Else it was too busy to tell.
            with self._lock:
                self._known[settings] = _Known(Remembered(capabilities=found), now)
            self._remember(settings)
        return found

    def learn(
        self,
        settings: EndpointSettings,
        *,
        limits: Limits | None = None,
        rate: float | None = None,
        history_from: int | None = None,
    ) -> None:
        """Keep what an endpoint has taught, until its probe is a day old."""
        with self._lock:
            known = self._known.get(settings)
            if known is None:
                return
            new = {"limits": limits, "rate": rate, "history_from": history_from}
            given = {name: value for name, value in new.items() if value is not None}
            known.found = known.found.model_copy(update=given)
        self._remember(settings)

    def transport(self, settings: EndpointSettings) -> HttpTransport:
        """The transport of an endpoint, made once."""
        with self._lock:
            if settings not in self._transports:
                self._transports[settings] = _transport_of(settings)
            return self._transports[settings]

    def _remember(self, settings: EndpointSettings) -> None:
        known = self._known[settings]
        with suppress(StoreError):
            self._memory.remember(
                settings.chain_id,
                settings.id,
                _fingerprint(settings),
                known.found.model_dump_json(),
                known.probed_at,
            )

    def _recall(self, settings: EndpointSettings) -> Remembered | None:
        """What was found within a day, unless the store or its text cannot be read."""
        not_before = self.clock() - _REMEMBERED_SECONDS
        known = self._known.get(settings)
        if known is not None and known.probed_at >= not_before:
            return known.found
        with suppress(StoreError, ValidationError):
            kept = self._memory.recall(
                settings.chain_id, settings.id, _fingerprint(settings), not_before=not_before
            )
            if kept is None:
                return None
            found = Remembered.model_validate_json(kept.found)
            with self._lock:
                self._known[settings] = _Known(found, kept.probed_at)
            return found
        return None


def quorum_of(settings: Settings, chain_id: int) -> tuple[EndpointSettings, ...]:
    """The endpoints of a chain that have to agree; none where no quorum is configured.

    Errors: InvalidArgumentError where it would be a quorum of one.
    """
    wanted = [one for one in settings.endpoints if one.chain_id == chain_id and one.quorum]
    usable = tuple(one for one in wanted if one.url is not None)
    if len(usable) >= 2 or not wanted:
        return usable
    unset = next((one for one in wanted if one.url is None), None)
    names = ", ".join(repr(one.id) for one in usable or wanted)
    raise InvalidArgumentError(
        f"Chain {chain_id} has a quorum of one endpoint, {names}: it could only agree with itself.",
        remedy=f"Set the variable {unset.url_env}, which names another one's URL."
        if unset is not None
        else "Set quorum = true at a second endpoint of this chain too, or take it out.",
    )


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
        overrides=found.overrides.supported is True,
        parent_hash=found.parent_hash.supported is True,
        batch=found.batch_limit,
        body_bytes=found.body_limit_bytes,
    )


def _transport_of(settings: EndpointSettings) -> HttpTransport:
    if settings.url is None:
        raise TypeError("An endpoint without a URL is never opened.")
    rate = settings.requests_per_second
    limits = HttpLimits(
        total_seconds=settings.timeout_seconds, pause_seconds=1 / rate if rate else 0.0
    )
    return HttpTransport(settings.id, settings.url, limits=limits)


def _fingerprint(settings: EndpointSettings) -> bytes:
    """Tell one URL from another without keeping it; and what is probed otherwise, too."""
    url = settings.url.get_secret_value() if settings.url else ""
    return hashlib.sha256(f"{url} {settings.max_batch}".encode()).digest()
