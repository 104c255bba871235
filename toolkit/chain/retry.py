"""Bounded retries: at most three tries, waiting longer each time, never against advice."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from toolkit.errors import EndpointError, EndpointTimeoutError, RateLimitedError, ReadError

if TYPE_CHECKING:
    from toolkit.chain.transport import RpcCall

_UNASKED: Final = object()


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often and how long. Unit: seconds.

    The wait before try n+1 is drawn evenly from 0 to first_wait * 2^(n-1) (full jitter). A
    Retry-After is waited for in addition, up to `longest_wait`; beyond that nobody waits.
    `repeats_timeouts` is off for an endpoint that has never answered yet.
    """

    attempts: int = 3
    first_wait: float = 0.25
    longest_wait: float = 10.0
    repeats_timeouts: bool = True
    sleep: Callable[[float], None] = time.sleep
    uniform: Callable[[float, float], float] = field(default=random.uniform)


def send_with_retries(
    send: Callable[[Sequence[RpcCall]], list[Any | ReadError]],
    calls: Sequence[RpcCall],
    backoff: Backoff,
) -> list[Any | ReadError]:
    """Send calls until each has an answer that a repetition would not change.

    Only calls that were rate-limited inside an otherwise good answer are asked again. Errors:
    EndpointError where no try brought an answer to any call.
    """
    unsettled = _Unsettled(calls)
    retrying = Retrying(
        stop=stop_after_attempt(backoff.attempts),
        wait=lambda state: _wait(state, backoff),
        retry=retry_if_exception(lambda error: _worth_repeating(error, backoff)),
        sleep=backoff.sleep,
        reraise=True,
    )
    failure: EndpointError | None = None
    try:
        retrying(unsettled.ask, send)
    except EndpointError as error:
        failure = error
    if failure is None:
        return unsettled.answers
    failure.attempts = unsettled.tries
    if isinstance(failure, RateLimitedError):
        failure = _with_wait_told(failure, backoff)
    elif isinstance(failure, EndpointTimeoutError) and failure.attempts > 1:
        failure = _with_tries_told(failure)
    if unsettled.nothing_answered:
        failure.__traceback__ = None
        raise failure
    return unsettled.filled_with(failure)


class _Unsettled:
    """The calls that still want an answer, and the answers so far."""

    def __init__(self, calls: Sequence[RpcCall]) -> None:
        self._calls = calls
        self._open = list(range(len(calls)))
        self.answers: list[Any] = [_UNASKED] * len(calls)
        self.tries = 0

    @property
    def nothing_answered(self) -> bool:
        """Whether no try ever brought a whole answer."""
        return all(answer is _UNASKED for answer in self.answers)

    def ask(self, send: Callable[[Sequence[RpcCall]], list[Any | ReadError]]) -> None:
        """Ask what is open. Errors: EndpointError; RateLimitedError while any item is limited."""
        self.tries += 1
        asked = self._open
        answers = send([self._calls[index] for index in asked])
        self._open = []
        limited: list[RateLimitedError] = []
        for index, answer in zip(asked, answers, strict=True):
            self.answers[index] = answer
            if isinstance(answer, ReadError):
                answer.attempts = self.tries
            if isinstance(answer, RateLimitedError):
                self._open.append(index)
                limited.append(answer)
        if limited:
            raise max(limited, key=lambda error: error.retry_after or 0.0)

    def filled_with(self, failure: EndpointError) -> list[Any | ReadError]:
        """Give the last failure to the calls that never got an answer of their own."""
        for index in self._open:
            self.answers[index] = failure
        return self.answers


def _worth_repeating(error: BaseException, backoff: Backoff) -> bool:
    """Repeat what may pass, unless the endpoint asks for more patience than we have."""
    if isinstance(error, RateLimitedError) and (error.retry_after or 0.0) > backoff.longest_wait:
        return False
    if isinstance(error, EndpointTimeoutError) and not backoff.repeats_timeouts:
        return False
    return isinstance(error, EndpointError) and error.retryable


def _wait(state: RetryCallState, backoff: Backoff) -> float:
    """Draw the wait before the next try."""
    error = state.outcome.exception() if state.outcome else None
    asked_for = (error.retry_after or 0.0) if isinstance(error, RateLimitedError) else 0.0
    span = min(backoff.first_wait * 2 ** (state.attempt_number - 1), backoff.longest_wait)
    return asked_for + backoff.uniform(0.0, span)


def _with_tries_told(error: EndpointTimeoutError) -> EndpointTimeoutError:
    """Say how often we waited: three times half a minute feels like a hang."""
    return EndpointTimeoutError(
        f"{error.message.removesuffix('.')}, {error.attempts} attempts in a row.",
        remedy=error.remedy,
        attempts=error.attempts,
    )


def _with_wait_told(error: RateLimitedError, backoff: Backoff) -> RateLimitedError:
    """Say how long the endpoint wants to be left alone, where that is why we stopped."""
    if error.retry_after is None or error.retry_after <= backoff.longest_wait:
        return error
    return RateLimitedError(
        f"{error.message} It asks for {error.retry_after:.0f} seconds of patience.",
        remedy="Ask again after that, or configure another endpoint.",
        attempts=error.attempts,
        retry_after=error.retry_after,
    )
