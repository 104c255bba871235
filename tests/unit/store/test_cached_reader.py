"""The reader that remembers: no request twice, and no read lost to a broken store."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from toolkit.chain.facts import Answer, Fact, Failure, NoCode, Outcome, Reverted, Value, Witness
from toolkit.chain.logs import LogPage, LogScan
from toolkit.chain.reader import PinnedBlock, Traffic
from toolkit.chain.reads import NO_CALLER, BalanceRead, CallRead, CodeRead, Read, ReadIds
from toolkit.errors import EndpointsDisagreeError, EndpointTimeoutError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Finality, FinalityObservation, Pin
from toolkit.store import Blocks, CachedReader, Database, Facts

WITNESS = Witness("primary", "2026-03-01T08:14:12Z", "multicall3")
TOKEN = "0x" + "11" * 20
FOREIGN = (
    "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print(1, flush=True); sys.stdin.read()"
)


class ScriptedReader:
    """Answers from a dict, as an endpoint would; what the dict lacks times out."""

    def __init__(self, pin: Pin, outcomes: dict[Read, Outcome], finality: Finality) -> None:
        self.chain_id = pin.chain_id
        self.traffic = Traffic()
        self.pins_by_hash = True
        self.asked: list[Read] = []
        self._pin = pin
        self._outcomes = outcomes
        self._finality = finality
        self._side_facts: list[Fact] = []

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        self.traffic.requests += 1
        observation = FinalityObservation(self._finality, "2026-03-01T08:14:12Z")
        return PinnedBlock(self._pin, observation, "primary", self._finality != "finalized")

    def read(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None = None) -> list[Answer]:
        self.traffic.requests += 1
        self.asked += reads
        return [self._answer(read) for read in reads]

    def drain_side_facts(self) -> list[Fact]:
        drained, self._side_facts = self._side_facts, []
        return drained

    def scan(self, pin: Pin, scan: LogScan) -> LogPage:
        raise NotImplementedError

    def confirm(self, pinned: PinnedBlock) -> None:
        self.traffic.requests += 1

    def _answer(self, read: Read) -> Answer:
        outcome = self._outcomes.get(read)
        if isinstance(outcome, Reverted) and isinstance(read, CallRead):
            self._side_facts.append(self._fact(read, outcome))
            read = replace(read, caller=NO_CALLER)
            outcome = self._outcomes.get(read)
        if outcome is None:
            return Failure(read, EndpointTimeoutError("The endpoint did not answer in time."))
        if isinstance(outcome, NoCode) and isinstance(read, CallRead):
            self._side_facts.append(self._fact(CodeRead(read.to), Value(b"")))
        return self._fact(read, outcome)

    def _fact(self, read: Read, outcome: Outcome) -> Fact:
        return Fact(read, ReadIds(self._pin).of(read), outcome, WITNESS)


@pytest.fixture
def world(database: Database, pin: Pin) -> Callable[..., tuple[CachedReader, ScriptedReader]]:
    """A new program over the same store: a cached reader and the endpoint behind it."""

    def world(
        outcomes: dict[Read, Outcome] | None = None,
        finality: Finality = "finalized",
        store: Database | None = None,
    ) -> tuple[CachedReader, ScriptedReader]:
        scripted = ScriptedReader(pin, outcomes or {}, finality)
        used = store or database
        return CachedReader(scripted, Facts(used, 1), Blocks(used, 1)), scripted

    return world


World = Callable[..., tuple[CachedReader, ScriptedReader]]


def _call(number: int) -> CallRead:
    return CallRead(TOKEN, bytes([number]))


def test_what_was_read_once_costs_no_request_again(world: World, pin: Pin) -> None:
    """A page that is opened again must not spend an analyst's request budget."""
    reads: list[Read] = [_call(2), BalanceRead(TOKEN), _call(1), CodeRead(TOKEN), _call(2)]
    outcomes: dict[Read, Outcome] = {
        _call(1): Value(b"\x01"),
        _call(2): NoCode(),
        BalanceRead(TOKEN): Value(bytes(32)),
        CodeRead(TOKEN): Value(b""),
    }
    cold, _ = world(outcomes)
    first = cold.read(pin, reads)

    warm, endpoint = world()
    second = warm.read(pin, reads)

    assert endpoint.traffic.requests == 0
    assert endpoint.traffic.facts_cached == len(reads)
    assert [fact.from_cache for fact in second if isinstance(fact, Fact)] == [True] * len(reads)
    assert [replace(fact, from_cache=False) for fact in second if isinstance(fact, Fact)] == first


def test_only_the_missing_reads_are_asked_and_the_order_is_kept(world: World, pin: Pin) -> None:
    """An answer must stand at its own question's place, known or new."""
    outcomes: dict[Read, Outcome] = {_call(n): Value(bytes([n])) for n in range(6)}
    earlier, _ = world(outcomes)
    earlier.read(pin, [_call(1), _call(4)])

    reader, endpoint = world(outcomes)
    answers = reader.read(pin, [_call(n) for n in (5, 4, 3, 1, 5)])

    assert endpoint.asked == [_call(5), _call(3)]
    assert [a.outcome for a in answers if isinstance(a, Fact)] == [
        Value(bytes([n])) for n in (5, 4, 3, 1, 5)
    ]
    assert (endpoint.traffic.facts_cached, endpoint.traffic.notes) == (2, [])


def test_a_failure_is_asked_again_and_never_kept(world: World, pin: Pin) -> None:
    """A timeout of today must not be tomorrow's answer."""
    timed_out, _ = world({})
    assert isinstance(timed_out.read(pin, [_call(1)])[0], Failure)

    recovered, endpoint = world({_call(1): Value(b"\x07")})

    (answer,) = recovered.read(pin, [_call(1)])
    assert isinstance(answer, Fact)
    assert (answer.outcome, answer.from_cache) == (Value(b"\x07"), False)
    assert endpoint.asked == [_call(1)]


@pytest.mark.parametrize("plain_outcome", [Value(b"\x05"), Reverted(b"\x06")], ids=repr)
def test_a_call_that_refuses_our_caller_is_answered_alike_cold_and_warm(
    world: World, pin: Pin, plain_outcome: Outcome
) -> None:
    """Evidence must name the call that proves the number, also the second time."""
    plain = replace(_call(1), caller=NO_CALLER)
    cold, _ = world({_call(1): Reverted(b"no"), plain: plain_outcome})
    (first,) = cold.read(pin, [_call(1)])

    warm, endpoint = world()
    (second,) = warm.read(pin, [_call(1)])

    assert endpoint.traffic.requests == 0
    assert isinstance(first, Fact)
    assert second == replace(first, from_cache=True)
    assert isinstance(second, Fact)
    assert (second.read, second.read_id) == (plain, ReadIds(pin).of(plain))


def test_a_revert_beside_a_failed_plain_call_is_not_the_answer(world: World, pin: Pin) -> None:
    """A timeout half-way must not turn a balance into "reverted" for ever."""
    half_way, _ = world({_call(1): Reverted(b"no")})
    assert isinstance(half_way.read(pin, [_call(1)])[0], Failure)

    plain = replace(_call(1), caller=NO_CALLER)
    recovered, _ = world({_call(1): Reverted(b"no"), plain: Value(b"\x05")})

    (answer,) = recovered.read(pin, [_call(1)])
    assert isinstance(answer, Fact)
    assert answer.outcome == Value(b"\x05")


def test_facts_proven_on_the_way_are_kept_too(world: World, pin: Pin) -> None:
    """The empty code behind an empty answer is evidence and need not be asked again."""
    cold, _ = world({_call(1): NoCode()})
    cold.read(pin, [_call(1)])

    warm, endpoint = world()
    (code,) = warm.read(pin, [CodeRead(TOKEN)])

    assert endpoint.asked == []
    assert isinstance(code, Fact)
    assert code.outcome == Value(b"")


def test_a_contradicted_read_fails_by_name_and_is_not_asked_past(
    world: World, database: Database, pin: Pin
) -> None:
    """An analyst must see a disagreement until somebody has settled it."""
    told = [
        Fact(_call(1), ReadIds(pin).of(_call(1)), outcome, WITNESS)
        for outcome in (Value(b"\x01"), Value(b"\x02"))
    ]
    Facts(database, 1).keep(pin, told)
    reader, endpoint = world({_call(1): Value(b"\x01")})

    (answer,) = reader.read(pin, [_call(1)])

    assert isinstance(answer, Failure)
    assert isinstance(answer.error, EndpointsDisagreeError)
    assert endpoint.asked == []


@pytest.mark.parametrize(
    ("block", "finality", "requests"),
    [
        (BlockHeight(number=100), "finalized", 0),
        (BlockHeight(number=100), "safe", 1),
        (BlockHash(hash="0x" + "64" * 32), "unsafe", 0),
        (BlockTag(tag="finalized"), "finalized", 1),
    ],
    ids=str,
)
def test_a_name_that_cannot_move_is_pinned_with_no_request(
    world: World,
    pin: Pin,
    block: BlockHeight | BlockHash | BlockTag,
    finality: Finality,
    requests: int,
) -> None:
    """A reorg must never be hidden by the store, and a settled block never asked twice."""
    earlier, _ = world(finality=finality)
    earlier.pin(block)

    later, endpoint = world(finality=finality)
    pinned = later.pin(block)

    assert pinned.pin == pin
    assert pinned.finality.status == finality
    assert pinned.needs_confirmation == (finality != "finalized")
    assert endpoint.traffic.requests == requests


def test_a_height_of_a_development_chain_is_always_asked(world: World, pin: Pin) -> None:
    """A restarted anvil is another chain with the same heights."""
    first, first_node = world()
    first_node._pin = replace(pin, lineage="0x" + "aa" * 32)
    first.pin(BlockHeight(number=100))

    second, second_node = world()
    second.pin(BlockHeight(number=100))

    assert second_node.traffic.requests == 1


def test_a_busy_store_fails_no_read_and_is_mentioned_once(
    world: World,
    program: Callable[..., subprocess.Popen[str]],
    database: Database,
    pin: Pin,
) -> None:
    """A forgotten DuckDB shell may cost the cache, never the answer."""
    with database.lease():
        pass
    database.close()
    foreign = program(FOREIGN, database.path)
    assert foreign.stdout is not None
    foreign.stdout.readline()
    impatient = Database(database.path.parent, wait_seconds=0.05)
    reader, endpoint = world({_call(1): Value(b"\x01")}, store=impatient)

    pinned = reader.pin(BlockHeight(number=100))
    answers = [reader.read(pinned.pin, [_call(1)])[0] for _ in range(2)]

    assert [a.outcome for a in answers if isinstance(a, Fact)] == [Value(b"\x01")] * 2
    assert len(endpoint.traffic.notes) == 1
    assert f"process {foreign.pid}" in endpoint.traffic.notes[0]


def test_an_unusable_store_fails_no_read(world: World, folder: Path, pin: Pin) -> None:
    """A mistyped store folder may cost the cache, never the answer."""
    folder.write_text("a file, not a folder", encoding="utf-8")
    reader, endpoint = world({_call(1): Value(b"\x01")})

    (answer,) = reader.read(pin, [_call(1)])

    assert isinstance(answer, Fact)
    assert answer.outcome == Value(b"\x01")
    assert len(endpoint.traffic.notes) == 1
