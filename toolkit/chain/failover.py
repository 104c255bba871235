"""Which failures another endpoint may answer, and what is said when none of them could."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Final

from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    ChainMismatchError,
    EndpointError,
    EndpointsDisagreeError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    IncompleteRangeError,
    RangeTooLargeError,
    RateLimitedError,
    ReadError,
    StateUnavailableError,
)

_OF_THE_ENDPOINT: Final = (
    EndpointError,
    StateUnavailableError,
    BlockNotFoundError,
    BlockAheadOfHeadError,
    ChainMismatchError,
    RangeTooLargeError,
    IncompleteRangeError,
)
_OF_THE_MOMENT: Final = (EndpointUnreachableError, EndpointTimeoutError, RateLimitedError)
# What tells most about the chain comes first; among equals, the endpoint that comes first.
_TELLING: Final = (
    EndpointsDisagreeError,
    StateUnavailableError,
    BlockAheadOfHeadError,
    RangeTooLargeError,
)


def is_worth_another(error: ReadError) -> bool:
    """Whether another endpoint may answer. What a contract did is an answer and no failure.

    Not: a reorg, which is the chain's own doing and has the job redone.
    """
    return isinstance(error, _OF_THE_ENDPOINT) and not isinstance(error, EndpointsDisagreeError)


def is_of_the_moment(error: ReadError) -> bool:
    """Whether the endpoint itself is in trouble, so that it is left alone for a while."""
    return isinstance(error, _OF_THE_MOMENT)


class Refusals:
    """What each endpoint said when it was asked in turn."""

    def __init__(self) -> None:
        self._said: list[tuple[str, ReadError]] = []

    def __bool__(self) -> bool:
        return bool(self._said)

    def add(self, endpoint_id: str, error: ReadError) -> None:
        """Note one endpoint's refusal."""
        self._said.append((endpoint_id, error))

    @property
    def are_told(self) -> bool:
        """Whether somebody said more than that it is in trouble itself."""
        return any(not is_of_the_moment(error) for _, error in self._said)

    @property
    def worst(self) -> ReadError:
        """The most telling refusal, with the attempts of all and the endpoints by name.

        Where one endpoint alone was asked, it is that endpoint's own error.
        """
        if len(self._said) == 1:
            return self._said[0][1]
        return all_refused(self._said)


def all_refused(said: Sequence[tuple[str, ReadError]]) -> ReadError:
    """Put the refusals of several endpoints into one error. `said` is not empty."""
    telling = min(said, key=lambda pair: _rank(pair[1]))[1]
    error = copy.copy(telling)
    names = ", ".join(repr(name) for name in dict.fromkeys(name for name, _ in said))
    error.message = f"{telling.message} Endpoints asked: {names}."
    error.args = (error.message,)
    error.attempts = sum(refusal.attempts for _, refusal in said)
    return error


def _rank(error: ReadError) -> int:
    for place, kind in enumerate(_TELLING):
        if isinstance(error, kind):
            return place
    return len(_TELLING)
