"""What several endpoints said of one question: alike, differently, or too few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from toolkit.chain.facts import Answer, Fact, Failure, Outcome, Reverted, Value, Witness
from toolkit.chain.failover import all_refused
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.reads import CallRead, Read
from toolkit.errors import EndpointsDisagreeError, ReadError
from toolkit.models import Finality, FinalityObservation

T = TypeVar("T")

Told: TypeAlias = Sequence[tuple[str, T]]
"""What each endpoint said, by its name."""

_SHOWN_BYTES: Final = 64
_WEAKEST_FIRST: Final[tuple[Finality, ...]] = (
    *("orphaned", "unknown", "unsafe", "safe", "finalized"),
)


def shown(data: bytes, apart_at: int = 0) -> str:
    """Bytes as 0x-hex; where they are many, those from where they differ from another's."""
    if len(data) <= _SHOWN_BYTES:
        return "0x" + data.hex()
    start = 0 if apart_at < _SHOWN_BYTES else apart_at
    cut = data[start : start + _SHOWN_BYTES].hex()
    if start:
        return f"\u2026{cut}\u2026 from byte {start} on ({len(data)} bytes)"
    return f"0x{cut}\u2026 ({len(data)} bytes)"


def apart_at(values: Sequence[bytes]) -> int:
    """The place of the first byte in which values differ."""
    if not values:
        return 0
    lowest, highest = min(values), max(values)
    pairs = enumerate(zip(lowest, highest, strict=False))
    return next((place for place, (one, other) in pairs if one != other), len(lowest))


def disagree(about: str, said: Iterable[tuple[str, str]]) -> EndpointsDisagreeError:
    """Say who says what. Neither is believed."""
    sayings = ", ".join(f"{name!r} says {what}" for name, what in said)
    return EndpointsDisagreeError(
        f"Endpoints disagree about {about}: {sayings}.",
        remedy="Believe neither; ask a further endpoint, and take the wrong one out.",
    )


def agreed(
    told: Told[T | ReadError], least: int, about: str, show: Callable[[T], str]
) -> list[tuple[str, T]]:
    """The answers, which are all alike as far as they are shown.

    Errors: EndpointsDisagreeError; the endpoints' own error where fewer than `least` answered.
    """
    answers = [(name, one) for name, one in told if not isinstance(one, ReadError)]
    by_saying: dict[str, str] = {}
    for name, one in answers:
        by_saying.setdefault(show(one), name)
    if len(by_saying) > 1:
        raise disagree(about, [(name, saying) for saying, name in by_saying.items()])
    if len(answers) < least:
        raise all_refused([(name, one) for name, one in told if isinstance(one, ReadError)])
    return answers


def agreed_pin(told: Told[PinnedBlock | ReadError], least: int, about: str) -> PinnedBlock:
    """One pinned block, no more final than the most cautious endpoint says. Errors: as `agreed`."""
    blocks = [one for _, one in agreed(told, least, about, _hash_of)]
    finalities = [block.finality for block in blocks]
    depths = [one.depth for one in finalities if one.depth is not None]
    weakest = min((one.status for one in finalities), key=_WEAKEST_FIRST.index)
    return replace(
        blocks[0],
        finality=FinalityObservation(weakest, finalities[0].observed_at, min(depths, default=None)),
        needs_confirmation=any(block.needs_confirmation for block in blocks),
    )


def agreed_answers(reads: Sequence[Read], told: Told[Sequence[Answer]], least: int) -> list[Answer]:
    """For each read the fact that enough endpoints tell alike, else why there is none."""
    vouched = _Vouched()
    names = [name for name, _ in told]
    columns = zip(*(answers for _, answers in told), strict=True)
    return [
        _agreed_answer(read, list(zip(names, column, strict=True)), least, vouched)
        for read, column in zip(reads, columns, strict=True)
    ]


def agreed_facts(told: Iterable[Sequence[Fact]], least: int) -> list[Fact]:
    """Facts proven aside by enough endpoints, and contradicted by none."""
    by_read: dict[bytes, list[Fact]] = {}
    for facts in told:
        for fact in {fact.read_id: fact for fact in facts}.values():
            by_read.setdefault(fact.read_id, []).append(fact)
    vouched = _Vouched()
    return [
        vouched.fact(facts[0])
        for facts in by_read.values()
        if len(facts) >= least and all(fact.outcome == facts[0].outcome for fact in facts)
    ]


def _agreed_answer(read: Read, told: Told[Answer], least: int, vouched: _Vouched) -> Answer:
    facts = [(name, one) for name, one in told if isinstance(one, Fact)]
    if facts:
        first = facts[0][1]
        if any(fact.outcome != first.outcome or fact.read != first.read for _, fact in facts):
            return Failure(read, disagree(_question(read), _sayings(facts)))
        if len(facts) >= least:
            return vouched.fact(first)
    return Failure(read, vouched.refusal(told))


class _Vouched:
    """Facts and refusals in the name of several endpoints; what many share is made once."""

    def __init__(self) -> None:
        self._witnesses: dict[int, Witness] = {}
        self._refusals: dict[tuple[int, ...], ReadError] = {}

    def fact(self, fact: Fact) -> Fact:
        """The fact, told by a quorum."""
        key = id(fact.witness)
        if key not in self._witnesses:
            self._witnesses[key] = replace(fact.witness, assurance="quorum")
        return Fact(fact.read, fact.read_id, fact.outcome, self._witnesses[key])

    def refusal(self, told: Told[Answer]) -> ReadError:
        """One error for those that did not answer."""
        said = [(name, one.error) for name, one in told if isinstance(one, Failure)]
        key = tuple(id(error) for _, error in said)
        if key not in self._refusals:
            self._refusals[key] = all_refused(said)
        return self._refusals[key]


def _sayings(facts: Told[Fact]) -> list[tuple[str, str]]:
    """Each different saying once, with the first endpoint that says it."""
    by_caller = any(fact.read != facts[0][1].read for _, fact in facts)
    apart = apart_at([getattr(fact.outcome, "data", b"") for _, fact in facts])
    by_saying: dict[str, str] = {}
    for name, fact in facts:
        saying = _outcome_shown(fact.outcome, apart)
        if by_caller and isinstance(fact.read, CallRead):
            saying += f" to {fact.read.caller}"
        by_saying.setdefault(saying, name)
    return [(name, saying) for saying, name in by_saying.items()]


def _outcome_shown(outcome: Outcome, apart: int) -> str:
    if isinstance(outcome, Value):
        return shown(outcome.data, apart)
    if isinstance(outcome, Reverted):
        return f"reverted with {shown(outcome.data, apart)}"
    return "no code"


def _question(read: Read) -> str:
    target = read.to if isinstance(read, CallRead) else read.address
    return f"{read.function} of {target}"


def _hash_of(block: PinnedBlock) -> str:
    return block.pin.hash
