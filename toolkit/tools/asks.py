"""The protocol between a tool and whoever drives it: a tool yields asks and gets answers.

A tool's `steps` is a generator that never touches a network, a clock or a file. It yields a
tuple of asks (one wave) and is resumed with a tuple of values, so that a runner can merge
what a thousand tools want next into one wave of reads, and a test can drive a tool with a
list of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, overload

from toolkit.chain.logs import LogPage, LogScan
from toolkit.chain.reads import Read
from toolkit.models import Unknown
from toolkit.models.value import value


@dataclass(frozen=True, slots=True)
class CoinQuestion:
    """Asks what the chain's coin is: the runner looks it up in the registry, no request."""

    chain_id: int


@dataclass(frozen=True, slots=True)
class Coin:
    """The native coin. Unit: 10**decimals of the smallest unit (wei) make one."""

    symbol: str | Unknown
    decimals: int


Question: TypeAlias = Read | LogScan | CoinQuestion

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")


@value
class Ask(Generic[T]):
    """One thing a tool wants to know: what to read, how to understand it, what it is called.

    `decode` gets the answer's bytes (or a LogPage for a scan) and raises an AnswerError where
    they are not what the standard prescribes. `field` names the value in evidence rows.
    A failed required ask ends the tool; a failed optional one arrives as `Unknown`.
    """

    read: Question
    decode: Callable[[Any], T]
    field: str
    required: bool = True

    def optional(self) -> Ask[T | Unknown]:
        """The same ask, whose failure is a value."""
        return Ask(self.read, self.decode, self.field, required=False)


Wave: TypeAlias = tuple[Ask[Any], ...]
Steps: TypeAlias = Generator[Wave, tuple[Any, ...], T]
Asking: TypeAlias = Generator[Wave, tuple[Any, ...], T]


@dataclass(frozen=True, slots=True)
class OneWave(Generic[T]):
    """The steps of a tool that asks once: what it asks, and what it makes of the values.

    `build` gets one value for each ask and refuses none, so that it may wait until somebody
    looks. Called like any other steps, it is their generator.
    """

    asks: Callable[[Any], Wave]
    build: Callable[..., T]

    def __call__(self, args: Any) -> Steps[T]:
        """Ask, and build from what came back."""
        values = yield self.asks(args)
        return self.build(*values)


@overload
def ask(a: Ask[A], /) -> Asking[A]: ...
@overload
def ask(a: Ask[A], b: Ask[B], /) -> Asking[tuple[A, B]]: ...
@overload
def ask(a: Ask[A], b: Ask[B], c: Ask[C], /) -> Asking[tuple[A, B, C]]: ...
@overload
def ask(a: Ask[A], b: Ask[B], c: Ask[C], d: Ask[D], /) -> Asking[tuple[A, B, C, D]]: ...
@overload
def ask(
    a: Ask[A], b: Ask[B], c: Ask[C], d: Ask[D], e: Ask[E], /
) -> Asking[tuple[A, B, C, D, E]]: ...
@overload
def ask(
    a: Ask[A], b: Ask[B], c: Ask[C], d: Ask[D], e: Ask[E], f: Ask[F], /
) -> Asking[tuple[A, B, C, D, E, F]]: ...
def ask(*asks: Ask[Any]) -> Asking[Any]:
    """Yield one wave and return its values: one value for one ask, a tuple for several."""
    answers = yield asks
    return answers[0] if len(asks) == 1 else answers


def ask_all(asks: tuple[Ask[T], ...]) -> Asking[tuple[T, ...]]:
    """Yield a wave of any number of like asks, and return their values in order."""
    if not asks:
        return ()
    answers = yield asks
    return answers


def coin_of(chain_id: int) -> Ask[Coin]:
    """Ask for the chain's coin."""
    return Ask(CoinQuestion(chain_id), _coin, "coin")


def _coin(coin: Coin) -> Coin:
    return coin


def decode_page(page: LogPage) -> LogPage:
    """A scan's answer is understood by the tool itself."""
    return page
