"""The ids of the evidence rows that a call's answer will have."""

from __future__ import annotations

from functools import lru_cache

from toolkit.chain.facts import Fact, Failure
from toolkit.chain.reads import ReadIds
from toolkit.derive import call_row_id, read_row_id
from toolkit.errors import AnswerError, ReorgedError, ToolkitError
from toolkit.models import Pin, Unknown
from toolkit.tools.answer import Observation, ToolAnswer


def observed_row_id(answer: ToolAnswer, seen: Observation, field: str) -> str:
    """Name the row of one field of one observed read; a failed read's field is its error."""
    what = error_field(seen.value.code) if isinstance(seen.value, Unknown) else field
    if isinstance(seen.answer, Fact):
        return read_row_id(seen.answer.read_id, what)
    if isinstance(seen.answer, Failure) and answer.pinned is not None:
        return read_row_id(_ids_at(answer.pinned.pin).of(seen.answer.read), what)
    return call_row_id(answer.tool.id, answer.arguments, what)


def failure_row_id(answer: ToolAnswer) -> str:
    """Name the row that says why a call has no data."""
    seen = failed_observation(answer)
    if seen is not None:
        return observed_row_id(answer, seen, "")
    return call_row_id(answer.tool.id, answer.arguments, error_field(_error(answer).code))


def failed_observation(answer: ToolAnswer) -> Observation | None:
    """The observation that ended a call, if a read did.

    After a reorg nothing that was seen counts, so the call itself is what failed.
    """
    if not answer.observations or isinstance(answer.error, ReorgedError):
        return None
    last = answer.observations[-1]
    ended = isinstance(last.value, Unknown) and last.value.code == _error(answer).code
    return last if ended else None


def is_unconfirmed(answer: ToolAnswer) -> bool:
    """Whether a call ended after its reads because its block could not be confirmed.

    A tool that refuses what it read raises an AnswerError, and what it read stands.
    """
    if answer.error is None or isinstance(answer.error, AnswerError):
        return False
    return failed_observation(answer) is None


def error_field(code: str) -> str:
    """What stands for a field that has no value: the reason."""
    return f"error:{code}"


def _error(answer: ToolAnswer) -> ToolkitError:
    if answer.error is None:
        raise TypeError("A call with data did not fail.")
    return answer.error


@lru_cache(maxsize=8)
def _ids_at(pin: Pin) -> ReadIds:
    """The digest of a pin is the same for all of its reads."""
    return ReadIds(pin)
