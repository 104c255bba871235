"""Looks at configured endpoints anew, and says of each how it stands and what it can do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolkit.chain.endpoint import Capabilities
from toolkit.chain.headers import header_call, parse_header
from toolkit.chain.health import EndpointHealth, with_lag
from toolkit.chain.history import lowest_kept_height
from toolkit.config import EndpointSettings
from toolkit.errors import ChainMismatchError, EndpointMisbehavedError, ReadError, ToolkitError
from toolkit.models import BlockTag, Frozen, Pin, iso_time
from toolkit.workspace.endpoints import Endpoints, limits_of


class EndpointReport(Frozen):
    """What the doctor says of one endpoint. `error` is a sentence with the way out, or None."""

    endpoint_id: str
    chain_id: int
    ok: bool
    error: str | None
    capabilities: Capabilities | None
    health: EndpointHealth


class Doctor:
    """Examines endpoints, each on its own. Never raises for one."""

    def __init__(self, endpoints: Endpoints, *, quorum: Iterable[EndpointSettings]) -> None:
        self._endpoints = endpoints
        self._quorum = frozenset(quorum)

    def examine(self, configured: Sequence[EndpointSettings]) -> list[EndpointReport]:
        """Probe each, then compare their heads, and say which one would be asked."""
        reports = [self._examine_one(settings) for settings in configured]
        compared = with_lag(report.health for report in reports)
        serving: set[int] = set()
        finished: list[EndpointReport] = []
        for settings, report, health in zip(configured, reports, compared, strict=True):
            standing = health.standing
            chain_id = settings.chain_id
            agrees = settings in self._quorum
            others_agree = any(one.chain_id == chain_id for one in self._quorum)
            if report.ok and (agrees or (chain_id not in serving and not others_agree)):
                standing = "in_use"
                serving.add(chain_id)
            finished.append(
                report.model_copy(
                    update={"health": health.model_copy(update={"standing": standing})}
                )
            )
        return finished

    def _examine_one(self, settings: EndpointSettings) -> EndpointReport:
        found: Capabilities | None = None
        error: str | None = None
        health = EndpointHealth(endpoint_id=settings.id, chain_id=settings.chain_id)
        try:
            if settings.url is None:
                error = f"The variable {settings.url_env} is not set. Set it to the URL."
            else:
                found = self._endpoints.probe(settings)
                health = self._health(settings, found, health)
                limits_of(found, settings.id)
        except ToolkitError as failed:
            error = str(failed)
            health = _failed(health, failed, iso_time(self._endpoints.clock()))
        if settings.url is not None:
            sent = self._endpoints.transport(settings).requests
            health = health.model_copy(update={"requests": sent})
        return EndpointReport(
            endpoint_id=settings.id,
            chain_id=settings.chain_id,
            ok=error is None,
            error=error,
            capabilities=found,
            health=health,
        )

    def _health(
        self, settings: EndpointSettings, found: Capabilities, health: EndpointHealth
    ) -> EndpointHealth:
        """What the probe found, and the head and the reach of the history besides."""
        transport = self._endpoints.transport(settings)
        known: dict[str, object] = {
            "standing": "standing_by",
            "reachable": True,
            "serves_chain": True,
            "hash_pins": found.hash_pins.supported,
            "overrides": found.overrides.supported,
            "batch_limit": found.batch_limit,
            "body_limit_bytes": found.body_limit_bytes,
            "requests_per_second": transport.pace.rate,
        }
        tip = self._tip(settings)
        if tip is not None:
            known |= {"tip": tip.number, "tip_time": tip.time}
            if found.history.supported is False and not found.history.wrong_block:
                lowest = lowest_kept_height(transport, tip.number)
                known["history_from"] = lowest
                self._endpoints.learn(settings, history_from=lowest)
            elif found.history.supported:
                known["history_from"] = tip.number // 2
        return health.model_copy(update=known)

    def _tip(self, settings: EndpointSettings) -> Pin | None:
        try:
            (header,) = self._endpoints.transport(settings).send(
                [header_call(BlockTag(tag="latest"))]
            )
            if isinstance(header, ReadError):
                return None
            return parse_header(settings.chain_id, header, None)
        except ReadError:
            return None


def _failed(health: EndpointHealth, error: ToolkitError, at: str) -> EndpointHealth:
    """How an endpoint stands that cannot be used now."""
    mismatch = isinstance(error, ChainMismatchError)
    lies = isinstance(error, EndpointMisbehavedError) and health.reachable is True
    return health.model_copy(
        update={
            "standing": "excluded" if mismatch or lies else "resting",
            "why": error.message,
            "reachable": mismatch or lies,
            "serves_chain": False if mismatch else health.serves_chain,
            "problem": error.message,
            "problem_at": at,
        }
    )
