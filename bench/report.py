"""Writes what was measured as tables that a person can read. No paths and no hosts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bench.measure import Peer, Rounds, Traffic


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay rows out as a Markdown table that is aligned in a terminal too."""
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    lines = [_line(head, widths), _line(["-" * width for width in widths], widths)]
    return "\n".join([*lines, *(_line(row, widths) for row in rows)])


def name(peer: Peer, rounds: Rounds) -> str:
    """A peer's name, with how its reads travelled, or with why it has no figures."""
    if rounds.problem:
        return f"{peer.name}: {rounds.problem}"
    travelled = ", ".join(sorted(rounds.notes))
    return f"{peer.name} [{travelled}]" if travelled else peer.name


def times(rounds: Rounds, kind: str, factor: float = 1.0) -> list[str]:
    """Minimum and median in milliseconds, or nothing where there are none."""
    if rounds.problem or kind not in rounds.seconds:
        return ["-", "-"]
    seconds = [factor * one for one in rounds.seconds[kind]]
    return [milliseconds(min(seconds)), milliseconds(median(seconds))]


def ratio(mine: float | None, other: float | None) -> str:
    """How many times the other's time."""
    return "-" if mine is None or not other else f"{mine / other:.2f}"


def best(rounds: Rounds | None, kind: str, factor: float = 1.0) -> float | None:
    """The shortest round."""
    if rounds is None or rounds.problem or kind not in rounds.seconds:
        return None
    return factor * min(rounds.seconds[kind])


def cost(traffic: Traffic | None) -> list[str]:
    """Requests, calls and kilobytes of one round."""
    if traffic is None:
        return ["-"] * 4
    up, down = traffic.bytes_up / 1000, traffic.bytes_down / 1000
    return [str(traffic.requests), str(traffic.calls), f"{up:.0f}", f"{down:.0f}"]


def milliseconds(seconds: float | None) -> str:
    """A time with three digits that count."""
    if seconds is None:
        return "-"
    value = 1000 * seconds
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"
