"""Pins: equal by chain and hash, and told in UTC."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError

from toolkit.models import Pin, Provenance, ToolError, ToolResult, iso_time

PIN = Pin(
    chain_id=1,
    number=100,
    hash="0x" + "ab" * 32,
    parent_hash="0x" + "cd" * 32,
    timestamp=1_767_571_200,
    state_root="0x" + "ef" * 32,
)
ERROR = ToolError(code="timeout", message="m", retryable=True, attempts=3, remedy="r")


def test_two_pins_are_one_when_chain_and_hash_are():
    """The same block read twice must compare as the same block."""
    other_root = replace(PIN, state_root="0x" + "00" * 32)

    assert other_root == PIN
    assert len({PIN, replace(PIN, timestamp=1)}) == 1


def test_the_same_height_with_another_hash_or_chain_is_another_pin():
    """After a reorg the height is the same and the numbers are not."""
    others = [replace(PIN, hash="0x" + "11" * 32), replace(PIN, chain_id=10), "a pin"]

    assert PIN not in others


def test_a_block_time_is_utc_with_z():
    """A time without its zone is nine hours off in Tokyo."""
    assert PIN.time == "2026-01-05T00:00:00Z"


def test_a_time_that_is_not_in_seconds_is_refused():
    """Some chains count nanoseconds; read as seconds that is a date in the far future."""
    with pytest.raises(ValueError, match="not a time in seconds"):
        iso_time(1_767_571_200_000_000_000)


@pytest.mark.parametrize("both", [True, False])
def test_a_result_holds_exactly_one_of_data_and_error(both):
    """A result with both lets the reader choose the one he likes."""
    with pytest.raises(ValidationError, match="never both"):
        ToolResult(
            data=PROVENANCE if both else None, provenance=PROVENANCE, error=ERROR if both else None
        )


PROVENANCE = Provenance()
