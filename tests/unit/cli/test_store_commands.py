"""What `toolkit store` says of one height, and how the store is written anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolkit.chain.facts import Fact, Value, Witness
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.reads import BalanceRead, ReadIds
from toolkit.models import FinalityObservation, Pin
from toolkit.store import Blocks, Database, Facts

PLACE = ("--chain-id", "1", "--block", "100")
GONE = Pin(1, 100, "0x" + "64" * 32, "0x" + "63" * 32, 1_700_000_000, "0x" + "65" * 32)
STANDS = Pin(1, 100, "0x" + "77" * 32, "0x" + "63" * 32, 1_700_000_000, "0x" + "66" * 32)


@pytest.fixture
def replaced_block(tmp_path) -> None:
    """A store that read a block, and later saw another one at its height."""
    database = Database(Path(tmp_path) / "store")
    read = BalanceRead("0x" + "11" * 20)
    witness = Witness("primary", "2026-03-01T08:00:00Z", "single")
    fact = Fact(read, ReadIds(GONE).of(read), Value(bytes(32)), witness)
    for pin, at in ((GONE, "2026-03-01T08:00:00Z"), (STANDS, "2026-03-01T09:00:00Z")):
        seen = FinalityObservation("unsafe", at)
        Blocks(database, 1).remember(PinnedBlock(pin, seen, "primary", True))
    Facts(database, 1).keep(GONE, [fact])
    database.close()


@pytest.mark.usefixtures("replaced_block")
def test_a_height_shows_each_block_and_which_of_them_is_gone(command_line):
    """Whoever asks why two reports differ must see that their blocks do."""
    shown = command_line("store", "info", *PLACE)
    told = command_line("store", "info", *PLACE, "--json").document

    assert shown.code == 0
    assert "orphaned" in shown.out
    assert [
        (one["block_hash"], one["finality"], one["finality_observed_at"], one["facts"])
        for one in told["blocks"]
    ] == [
        (GONE.hash, "orphaned", "2026-03-01T09:00:00Z", 1),
        (STANDS.hash, "unsafe", "2026-03-01T09:00:00Z", 0),
    ]


@pytest.mark.usefixtures("replaced_block")
def test_an_orphan_is_pinned_by_its_hash_and_says_what_it_is(command_line, monkeypatch):
    """A hash out of an old report must not come back looking like a block that stands."""
    monkeypatch.setenv("TOOLKIT_RPC_1", "http://127.0.0.1:9")

    ran = command_line("pin", "--chain-id", "1", "--block", GONE.hash)

    assert "not canonical when last checked at 2026-03-01T09:00:00Z" in ran.out


def test_a_height_of_which_nothing_is_stored_says_so(command_line):
    """An empty table would look like a command that did not work."""
    ran = command_line("store", "info", *PLACE)

    assert (ran.code, "Nothing is stored" in ran.err) == (0, True)


def test_half_a_place_is_refused(command_line):
    """A height without its chain would be answered for all of them."""
    ran = command_line("store", "info", "--block", "100")

    assert ran.code == 2
    assert "--chain-id" in ran.err


@pytest.mark.usefixtures("replaced_block")
def test_the_store_is_compacted_and_holds_what_it_held(command_line):
    """Tidying up is said in bytes, and costs no fact."""
    before = command_line("store", "info", "--json").document

    compacted = command_line("store", "compact", "--json").document

    after = command_line("store", "info", "--json").document
    assert compacted["bytes_after"] > 0
    assert after["facts"] == before["facts"] == 1
    assert after["blocks"] == 2
