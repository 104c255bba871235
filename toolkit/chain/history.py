"""How far back an endpoint's state reaches, estimated with a few single requests."""

from __future__ import annotations

from typing import Final

from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import ReadError, StateUnavailableError

_ZERO: Final = "0x0000000000000000000000000000000000000000"
_FIRST_STEP: Final = 64
_WIDER: Final = 4
_MOST_REQUESTS: Final = 14


def lowest_kept_height(transport: Transport, head: int) -> int | None:
    """Find a height near the lowest one whose state the endpoint still answers.

    The height returned did answer; those somewhat below it may too. None where not even the
    head's state was answered. Source: eth_getBalance. Not: proof that it answers truly.
    """
    lowest, gone, step = None, -1, 0
    for _ in range(_MOST_REQUESTS):
        height = _next_height(head, lowest, gone, step)
        if height is None:
            break
        answered = _answers_at(transport, height)
        if answered is None:
            break
        if answered:
            lowest = height
            step = step * _WIDER or _FIRST_STEP
        else:
            gone = height
    return lowest


def _next_height(head: int, lowest: int | None, gone: int, step: int) -> int | None:
    """Go back in growing steps until one fails, then halve what lies between."""
    if lowest is None:
        return head if gone < 0 else None
    if lowest == 0 or lowest - gone <= 1:
        return None
    if gone < 0:
        return max(head - step, 0)
    return (lowest + gone) // 2


def _answers_at(transport: Transport, height: int) -> bool | None:
    """Whether state at a height is answered; None where the endpoint tells neither."""
    try:
        (answer,) = transport.send([RpcCall("eth_getBalance", (_ZERO, hex(height)))])
    except ReadError:
        return None
    if isinstance(answer, StateUnavailableError):
        return False
    return None if isinstance(answer, ReadError) else True
