"""Blocks that were read and later replaced: still readable by hash, and never without saying so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from toolkit.chain.facts import Answer, Fact, Value, Witness
from toolkit.chain.reader import PinnedBlock, Traffic
from toolkit.chain.reads import CallRead, Read, ReadIds
from toolkit.errors import ReorgedError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Finality, FinalityObservation, Pin
from toolkit.store import Blocks, CachedReader, Database, Facts, blocks_at

BEFORE, LATER = "2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z"
OTHER_HASH = "0x" + "77" * 32


class Node:
    """An endpoint on which `canonical` stands now; it answers any read at any block."""

    chain_id = 1
    pins_by_hash = True

    def __init__(self, canonical: Pin, finality: Finality = "unsafe", at: str = BEFORE) -> None:
        self.canonical, self.finality, self.at = canonical, finality, at
        self.traffic = Traffic()

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        self.traffic.requests += 1
        return _seen(self.canonical, self.finality, self.at)

    def read(self, pin: Pin, reads: Sequence[Read], ids: ReadIds | None = None) -> list[Answer]:
        self.traffic.requests += 1
        witness = Witness("primary", self.at, "multicall3")
        return [Fact(read, ReadIds(pin).of(read), Value(b"\x01"), witness) for read in reads]

    def drain_side_facts(self) -> list[Fact]:
        return []

    def scan(self, *_: object) -> object:
        raise NotImplementedError

    def confirm(self, pinned: PinnedBlock) -> None:
        self.traffic.requests += 1
        if pinned.pin != self.canonical:
            raise ReorgedError("Another block stands there.", remedy="Ask again.")


def _seen(pin: Pin, finality: Finality, at: str = BEFORE) -> PinnedBlock:
    return PinnedBlock(pin, FinalityObservation(finality, at), "primary", finality != "finalized")


def _reader(database: Database, node: Node) -> CachedReader:
    return CachedReader(node, Facts(database, 1), Blocks(database, 1))  # type: ignore[arg-type]


@pytest.fixture
def other(pin: Pin) -> Pin:
    """The block that took the pin's place."""
    return replace(pin, hash=OTHER_HASH)


CALL = CallRead("0x" + "11" * 20, b"\x01")


def _read_whole(reader: CachedReader, block: BlockHash | BlockHeight, call: Read) -> PinnedBlock:
    pinned = reader.pin(block)
    reader.read(pinned.pin, [call])
    reader.confirm(pinned)
    return pinned


def test_another_block_at_the_height_labels_the_first_and_keeps_its_facts(
    database: Database, pin: Pin, other: Pin
) -> None:
    """Evidence of last week must still open, and say that its block is gone."""
    _read_whole(_reader(database, Node(pin)), BlockHeight(number=100), CALL)
    _reader(database, Node(other, at=LATER)).pin(BlockHeight(number=100))
    offline = Node(other)

    pinned = _read_whole(_reader(database, offline), BlockHash(hash=pin.hash), CALL)

    assert offline.traffic.requests == 0
    assert pinned.finality == FinalityObservation("orphaned", LATER)
    told = {one.hash: (one.finality, one.facts) for one in blocks_at(database, 1, 100)}
    assert told == {
        pin.hash: (FinalityObservation("orphaned", LATER), 1),
        OTHER_HASH: (FinalityObservation("unsafe", LATER), 0),
    }


def test_what_is_not_stored_of_an_orphan_is_refused_as_reorged(
    database: Database, pin: Pin, other: Pin
) -> None:
    """A node that still answers for a dead block must not add numbers to it."""
    _read_whole(_reader(database, Node(pin)), BlockHeight(number=100), CALL)
    _reader(database, Node(other)).pin(BlockHeight(number=100))

    with pytest.raises(ReorgedError):
        _read_whole(
            _reader(database, Node(other)), BlockHash(hash=pin.hash), replace(CALL, data=b"\x02")
        )


def test_a_job_that_was_reorged_labels_its_block(database: Database, pin: Pin, other: Pin) -> None:
    """The next one who names that block must learn what the first one met."""
    node = Node(pin)
    reader = _reader(database, node)
    pinned = reader.pin(BlockHeight(number=100))
    reader.read(pinned.pin, [CALL])
    node.canonical = other
    with pytest.raises(ReorgedError):
        reader.confirm(pinned)

    status = reader.pin(BlockHash(hash=pin.hash)).finality.status

    assert status == "orphaned"


@pytest.mark.parametrize("by", ["height", "confirmation"])
def test_a_block_that_came_back_loses_the_label(
    database: Database, pin: Pin, other: Pin, by: str
) -> None:
    """Two forks that take turns at the tip must not brand the one that won."""
    blocks = Blocks(database, 1)
    blocks.remember(_seen(pin, "unsafe"))
    blocks.remember(_seen(other, "unsafe", LATER))
    node = Node(pin, at="2026-03-01T10:00:00Z")
    reader = _reader(database, node)

    if by == "height":
        reader.pin(BlockHeight(number=100))
    else:
        _read_whole(reader, BlockHash(hash=pin.hash), CALL)

    found = blocks.by_hash(pin.hash)
    assert found is not None
    assert found.finality.status == ("unsafe" if by == "height" else "unknown")


@pytest.mark.parametrize(
    ("first", "then", "known"),
    [
        ("unsafe", "finalized", "finalized"),
        ("unsafe", "safe", "safe"),
        ("safe", "unknown", "safe"),
        ("orphaned", "finalized", "finalized"),
        ("finalized", "unsafe", "finalized"),
    ],
)
def test_finality_is_what_was_last_seen_of_it(
    database: Database, pin: Pin, first: Finality, then: Finality, known: Finality
) -> None:
    """A block that became final must not be called "not final" for ever."""
    blocks = Blocks(database, 1)
    blocks.remember(_seen(pin, first))

    _reader(database, Node(pin, then, LATER)).pin(BlockTag(tag="latest"))

    found = blocks.by_hash(pin.hash)
    assert found is not None
    assert found.finality == FinalityObservation(known, BEFORE if known == first else LATER)


def test_a_finalized_block_is_not_labelled_and_a_second_one_makes_the_height_unknown(
    database: Database, pin: Pin, other: Pin
) -> None:
    """One lying endpoint must not talk the store out of a final block."""
    blocks = Blocks(database, 1)
    blocks.remember(_seen(pin, "finalized"))
    blocks.remember(_seen(other, "unsafe", LATER))
    blocks.orphan(pin)
    found = blocks.by_hash(pin.hash)
    assert found is not None
    assert found.finality.status == "finalized"

    blocks.remember(_seen(other, "finalized", LATER))

    assert blocks.finalized_at(100, None) is None


def test_a_restarted_development_chain_orphans_nothing_of_the_one_before(
    database: Database, pin: Pin, other: Pin
) -> None:
    """Two chains with one id share heights, and neither replaced the other's block."""
    blocks = Blocks(database, 1)
    blocks.remember(_seen(replace(pin, lineage="0x" + "aa" * 32), "unsafe"))

    blocks.remember(_seen(replace(other, lineage="0x" + "bb" * 32), "unsafe"))

    found = blocks.by_hash(pin.hash)
    assert found is not None
    assert found.finality.status == "unsafe"
