"""What was read, kept exactly; and contradictions, kept too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolkit.chain.facts import Fact, NoCode, Outcome, Reverted, Value
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.reads import CallRead, ReadIds
from toolkit.errors import EndpointsDisagreeError
from toolkit.models import UINT256_MAX, FinalityObservation, Pin
from toolkit.store import Blocks, Database, Facts, StoredFact, count


class CountingDatabase(Database):
    """A database that counts the queries made through its leases."""

    queries = 0

    @contextmanager
    def lease(self) -> Iterator[Any]:
        with super().lease() as cursor:
            database = self

            class Counting:
                def execute(self, *arguments: Any) -> Any:
                    database.queries += 1
                    return cursor.execute(*arguments)

                def __getattr__(self, name: str) -> Any:
                    return getattr(cursor, name)

            yield Counting()


@pytest.mark.parametrize(
    "outcome",
    [
        Value(UINT256_MAX.to_bytes(32, "big")),
        Value((2**128 - 1).to_bytes(32, "big")),
        Value(bytes(32)),
        Value(b""),
        Value(b"\x00\xff" * 5_000),
        Reverted(b""),
        Reverted(b"\x08\xc3\x79\xa0"),
        NoCode(),
    ],
    ids=repr,
)
def test_an_outcome_comes_back_as_the_bytes_that_went_in(
    facts: Facts,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
    outcome: Outcome,
) -> None:
    """All 256 bits of a balance must survive the store, and empty must not become zero."""
    fact = fact_of(call(1), outcome)

    facts.keep(pin, [fact])

    assert facts.look_up(pin, [fact.read_id]) == {fact.read_id: StoredFact(outcome, fact.witness)}


def test_a_fact_of_another_block_or_chain_is_not_found(
    facts: Facts,
    database: Database,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """A number of one block must never be shown under another block's pin."""
    fact = fact_of(call(1))
    facts.keep(pin, [fact])

    assert facts.look_up(replace(pin, hash="0x" + "99" * 32), [fact.read_id]) == {}
    assert facts.look_up(replace(pin, number=101), [fact.read_id]) == {}
    assert Facts(database, 10).look_up(replace(pin, chain_id=10), [fact.read_id]) == {}


def test_five_thousand_reads_are_three_queries(
    folder: Path, pin: Pin, call: Callable[[int], CallRead], fact_of: Callable[..., Fact]
) -> None:
    """A page over many addresses must not cost a query per cell."""
    database = CountingDatabase(folder)
    facts = Facts(database, 1)
    known = [fact_of(call(number)) for number in range(5_000)]
    facts.keep(pin, known)
    database.close()
    database.queries = 0

    found = facts.look_up(pin, [fact.read_id for fact in known])

    assert len(found) == 5_000
    assert database.queries == 3
    database.close()


def test_what_this_process_added_at_a_new_block_is_known_without_a_query(
    folder: Path, pin: Pin, call: Callable[[int], CallRead], fact_of: Callable[..., Fact]
) -> None:
    """A page that asks more and more of one block must not search the file each time."""
    database = CountingDatabase(folder)
    facts = Facts(database, 1)
    first, second = [fact_of(call(number)) for number in (1, 2)]
    facts.look_up(pin, [first.read_id])
    facts.keep(pin, [first])
    database.queries = 0

    found = facts.look_up(pin, [first.read_id, second.read_id])

    assert found == {first.read_id: StoredFact(first.outcome, first.witness)}
    assert database.queries == 0
    database.close()
    assert facts.look_up(pin, [first.read_id, second.read_id]) == found
    database.close()


def test_an_agreeing_second_answer_is_another_witness(
    facts: Facts,
    database: Database,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """A second endpoint's confirmation is worth keeping and changes nothing."""
    first, second = fact_of(call(1)), fact_of(call(1), endpoint="second")

    facts.keep(pin, [first])
    facts.keep(pin, [second])

    assert facts.look_up(pin, [first.read_id]) == {
        first.read_id: StoredFact(first.outcome, first.witness)
    }
    assert (count(database).facts, count(database).flagged) == (1, 0)
    with database.lease() as cursor:
        assert cursor.execute("SELECT agrees FROM witnesses").fetchall() == [(True,)]


@pytest.mark.parametrize("in_one_batch", [True, False])
@pytest.mark.parametrize("other", [Value(b"\x02"), Reverted(b"\x01"), NoCode()], ids=repr)
def test_a_contradicting_answer_overwrites_nothing_and_flags_the_fact(
    facts: Facts,
    database: Database,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
    other: Outcome,
    *,
    in_one_batch: bool,
) -> None:
    """Where two endpoints disagree, an analyst must see that and not whichever came last."""
    first, second = fact_of(call(1), Value(b"\x01")), fact_of(call(1), other, "second")
    bystander = fact_of(call(2))

    for batch in [[first, second, bystander]] if in_one_batch else [[first, bystander], [second]]:
        facts.keep(pin, batch)

    found = facts.look_up(pin, [first.read_id, bystander.read_id])
    assert isinstance(found[first.read_id], EndpointsDisagreeError)
    assert isinstance(found[bystander.read_id], StoredFact)
    assert count(database).flagged == 1
    with database.lease() as cursor:
        kept = cursor.execute("SELECT value FROM facts WHERE read_id = ?", [first.read_id])
        assert kept.fetchall() == [(b"\x01",)]
        doubts = cursor.execute(
            "SELECT endpoint_id, agrees FROM witnesses JOIN batches USING (batch_id)"
        )
        assert doubts.fetchall() == [("second", False)]


def test_an_invalidated_height_is_forgotten_and_others_stay(
    facts: Facts,
    database: Database,
    pin: Pin,
    call: Callable[[int], CallRead],
    fact_of: Callable[..., Fact],
) -> None:
    """The way out of a contradiction must work, and must not take the rest along."""
    elsewhere = replace(pin, number=101, hash="0x" + "77" * 32)
    kept = replace(fact_of(call(1)), read_id=ReadIds(elsewhere).of(call(1)))
    facts.keep(pin, [fact_of(call(1), Value(b"\x01")), fact_of(call(1), Value(b"\x02"))])
    facts.keep(elsewhere, [kept])

    assert facts.invalidate(100) == 1

    assert facts.look_up(pin, [fact_of(call(1)).read_id]) == {}
    assert set(facts.look_up(elsewhere, [kept.read_id])) == {kept.read_id}
    assert count(database).facts_by_chain == {1: 1}
    assert count(database).flagged == 0


def test_a_height_names_a_block_only_once_it_was_seen_finalized(
    database: Database, pin: Pin
) -> None:
    """A height that a reorg can still move must be asked again."""
    blocks = Blocks(database, 1)
    unsafe = PinnedBlock(
        pin, FinalityObservation("unsafe", "2026-03-01T08:00:00Z"), "primary", True
    )
    final = replace(unsafe, finality=FinalityObservation("finalized", "2026-03-01T09:00:00Z"))

    blocks.remember(unsafe)
    assert blocks.finalized_at(100, None) is None
    assert blocks.by_hash(pin.hash) == unsafe

    blocks.remember(final)
    blocks.remember(unsafe)
    found = blocks.finalized_at(100, None)
    assert found == replace(final, needs_confirmation=False)
    assert found.pin.state_root == pin.state_root
    assert blocks.finalized_at(100, "0x" + "aa" * 32) is None
    assert count(database).blocks == 1


def test_two_blocks_seen_finalized_at_one_height_name_none(database: Database, pin: Pin) -> None:
    """A restarted or lying node must not decide by chance which block a height means."""
    blocks = Blocks(database, 1)
    final = PinnedBlock(
        pin, FinalityObservation("finalized", "2026-03-01T09:00:00Z"), "primary", True
    )

    blocks.remember(final)
    blocks.remember(replace(final, pin=replace(pin, hash="0x" + "77" * 32)))

    assert blocks.finalized_at(100, None) is None
