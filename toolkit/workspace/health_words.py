"""How an endpoint stands, in words: what a terminal and a page show alike."""

from __future__ import annotations

from toolkit.chain.health import EndpointHealth
from toolkit.i18n import text


def health_words(health: EndpointHealth, language: str) -> tuple[tuple[str, str], ...]:
    """What is known of an endpoint. Shape: pairs of a heading and a value, always the same ones."""
    named = {
        "standing": text(language, f"health.{health.standing}"),
        "serves": _verdict(health.serves_chain, language),
        "tip": _tip(health, language),
        "lag": text(language, "cli.not_known") if health.lag is None else str(health.lag),
        "history": _history(health, language),
        "hashes": _verdict(health.hash_pins, language),
        "limits": _limits(health, language),
        "rate": _rate(health, language),
        "failure": _failure(health, language),
    }
    return tuple((text(language, f"health.head_{name}"), said) for name, said in named.items())


def _tip(health: EndpointHealth, language: str) -> str:
    if health.tip is None:
        return text(language, "cli.not_known")
    return f"{health.tip} ({health.tip_time})"


def _history(health: EndpointHealth, language: str) -> str:
    if health.history_from is None:
        return text(language, "cli.not_known")
    return text(language, "health.from_about", block=health.history_from)


def _limits(health: EndpointHealth, language: str) -> str:
    if health.batch_limit is None:
        return text(language, "cli.not_known")
    said = text(
        language, "health.takes", batch=health.batch_limit, bytes=health.body_limit_bytes or 0
    )
    if health.gas_limit is not None:
        said += text(language, "health.takes_gas", gas=health.gas_limit)
    return said


def _rate(health: EndpointHealth, language: str) -> str:
    if health.requests_per_second is None:
        return text(language, "health.unpaced")
    return text(language, "health.paced", rate=f"{health.requests_per_second:g}")


def _failure(health: EndpointHealth, language: str) -> str:
    said = health.why or health.problem
    if said is None:
        return text(language, "words.none")
    return f"{said} ({health.problem_at})" if health.problem_at else said


def _verdict(known: object, language: str) -> str:
    if known is None:
        return text(language, "cli.not_known")
    return text(language, "cli.yes" if known else "cli.no")
