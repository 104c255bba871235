"""Drives any number of tool calls in lockstep, so that a thousand calls cost a few requests.

All that the running generators want next becomes one wave per pin. Equal reads in it are
asked once; the reader answers the wave from the store and, for the rest, in as few requests
as the endpoint allows. The runner decodes, resumes each generator with its values, and goes
on until none wants anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from toolkit.chain.facts import Answer, Fact, Failure, NoCode, Outcome, Reverted, Value
from toolkit.chain.logs import LogPage, LogScan, Watch
from toolkit.chain.reader import PinnedBlock, Reader
from toolkit.chain.reads import CallRead, CodeRead, Read
from toolkit.errors import (
    AnswerError,
    CallRevertedError,
    NotAContractError,
    NotSupportedByContractError,
    RangeTooLargeError,
    ToolkitError,
)
from toolkit.models.value import value
from toolkit.tools.answer import Observation, ToolAnswer
from toolkit.tools.asks import Ask, Coin, CoinQuestion, OneWave, Question, Steps, Wave
from toolkit.tools.failure import unknown_from

CoinBook: TypeAlias = Callable[[int], Coin]


@dataclass(slots=True)
class _Call:
    """One call on its way: where it stands and what it wants next."""

    answer: ToolAnswer
    steps: Steps[Any] | OneWave[Any]
    pinned: PinnedBlock
    wave: Wave | None = None


@value
class _Seen:
    """What became of one ask of a wave, for all calls that share it."""

    observation: Observation | None
    value: Any
    error: ToolkitError | None


class Runner:
    """Runs the calls of one chain through one reader; `watch` sees how scans go on."""

    def __init__(self, reader: Reader, coins: CoinBook, watch: Watch | None = None) -> None:
        self._reader = reader
        self._coins = coins
        self._watch = watch

    def run(self, answers: Sequence[ToolAnswer]) -> None:
        """Fill each answer, which must hold its args and its pinned block.

        Errors: none raised for what an endpoint or a contract did; each answer says its own.
        """
        calls = [self._start(answer) for answer in answers]
        waiting = [call for call in calls if call.wave is not None]
        while waiting:
            self._answer_wave(waiting)
            waiting = [call for call in waiting if call.wave is not None]

    def _start(self, answer: ToolAnswer) -> _Call:
        if answer.pinned is None:
            raise TypeError("A call is run only after its block was pinned.")
        steps = answer.tool.steps
        if isinstance(steps, OneWave):
            return _Call(answer, steps, answer.pinned, steps.asks(answer.args))
        call = _Call(answer, steps(answer.args), answer.pinned)
        _advance(call, None)
        return call

    def _answer_wave(self, calls: list[_Call]) -> None:
        """Ask what all calls want, once each, and resume every call with its answers.

        Calls that share an ask share what was seen for it: a token's decimals are read and
        understood once, whoever holds the token.
        """
        by_pin: defaultdict[int, list[_Call]] = defaultdict(list)
        for call in calls:
            by_pin[id(call.pinned)].append(call)
        for group in by_pin.values():
            pinned = group[0].pinned
            asks = {id(ask): ask for call in group for ask in call.wave or ()}
            places: dict[Question, int] = {}
            wanted = [places.setdefault(ask.read, len(places)) for ask in asks.values()]
            found = self._find(pinned, list(places))
            seen = {
                key: _see(ask, found[place])
                for (key, ask), place in zip(asks.items(), wanted, strict=True)
            }
            for call in group:
                _resume(call, seen)

    def _find(self, pinned: PinnedBlock, questions: list[Question]) -> list[Any]:
        """Answer the different questions of a wave at one pin, in order."""
        reads = [one for one in questions if not isinstance(one, LogScan | CoinQuestion)]
        answers = iter(self._reader.read(pinned.pin, reads) if reads else ())
        return [
            self._scan(pinned, one)
            if isinstance(one, LogScan)
            else self._coins(one.chain_id)
            if isinstance(one, CoinQuestion)
            else next(answers)
            for one in questions
        ]

    def _scan(self, pinned: PinnedBlock, scan: LogScan) -> LogPage | ToolkitError:
        """Scan up to the pin; a range past it is refused here, whatever the node would say."""
        top = pinned.pin.number if scan.to_block < 0 else scan.to_block
        if top > pinned.pin.number or scan.from_block > top:
            return RangeTooLargeError(
                f"The range from {scan.from_block} on does not lie at or below block "
                f"{pinned.pin.number}, which to_block names.",
                remedy=f"Choose from_block at or below {pinned.pin.number}.",
            )
        page = self._reader.scan(pinned.pin, replace(scan, to_block=top), self._watch)
        if page.error is not None and page.covered_from is None:
            return page.error
        return page


def _resume(call: _Call, seen: dict[int, _Seen]) -> None:
    """Give a call its values; the first failed required ask ends it."""
    values: list[Any] = []
    observations = call.answer.observations
    for ask in call.wave or ():
        one = seen[id(ask)]
        if one.observation is not None:
            observations.append(one.observation)
        if one.error is not None and (ask.required or not isinstance(one.error, AnswerError)):
            call.answer.error = one.error
            call.wave = None
            if not isinstance(call.steps, OneWave):
                call.steps.close()
            return
        values.append(one.value)
    _advance(call, tuple(values))


def _see(ask: Ask[Any], answer: Answer | LogPage | Coin | ToolkitError) -> _Seen:
    """Understand an answer. A question without one of its own leaves no observation."""
    error: ToolkitError | None = None
    try:
        understood = _understand(ask, answer)
    except ToolkitError as failed:
        error, understood = failed, unknown_from(failed)
    if isinstance(answer, ToolkitError | Coin):
        return _Seen(None, understood, error)
    return _Seen(Observation(ask.field, answer, understood), understood, error)


def _understand(ask: Ask[Any], answer: Answer | LogPage | Coin | ToolkitError) -> Any:
    """Decode an answer, or raise why it cannot be one."""
    if isinstance(answer, Fact):
        outcome = answer.outcome
        if isinstance(outcome, Value) and (outcome.data or isinstance(answer.read, CodeRead)):
            return ask.decode(outcome.data)
        raise _refusal(answer.read, outcome)
    if isinstance(answer, ToolkitError):
        raise answer
    if isinstance(answer, Failure):
        raise answer.error
    return ask.decode(answer)


def _refusal(read: Read, outcome: Outcome) -> AnswerError:
    """Say what an outcome without an answer means."""
    if isinstance(outcome, NoCode):
        return NotAContractError(
            f"No code stands at {_target(read)} at this block.",
            remedy="Check the address and the chain, or choose a block after its deployment.",
        )
    if isinstance(outcome, Reverted):
        return CallRevertedError(
            f"{_function(read)} of {_target(read)} reverted.",
            remedy="The contract refuses this question at this block.",
            data=outcome.data,
        )
    return NotSupportedByContractError(
        f"The contract at {_target(read)} returned nothing for {_function(read)}: "
        "it does not have this function.",
        remedy="Check that the address is the contract you mean.",
    )


def _target(read: Read) -> str:
    return read.to if isinstance(read, CallRead) else read.address


def _function(read: Read) -> str:
    return read.function


def _advance(call: _Call, values: tuple[Any, ...] | None) -> None:
    """Let the tool take one step: it wants a wave, or it is done, or it refuses."""
    if isinstance(call.steps, OneWave):
        call.wave = None
        call.answer.build_later(partial(call.steps.build, *(values or ())))
        return
    try:
        call.wave = call.steps.send(values)  # type: ignore[arg-type]  # None starts a generator
    except StopIteration as done:
        call.wave = None
        call.answer.data = done.value
    except ToolkitError as error:
        call.wave = None
        call.answer.error = error
