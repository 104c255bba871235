"""Row ids: one number, one id; another number, another id."""

from __future__ import annotations

from itertools import combinations

from tests.unit.worlds import address_of, pin_at
from toolkit.derive import Derived

TOKEN, OTHER = address_of(0x70), address_of(0x71)


def test_sums_of_nothing_differ_by_token_block_and_chain():
    """One id for two tokens would leave one of the two zeros without a row."""
    pin = pin_at(100)
    nothing = [
        Derived.of("sum@1", (), pin, contract=TOKEN),
        Derived.of("sum@1", (), pin, contract=OTHER),
        Derived.of("sum@1", (), pin_at(101), contract=TOKEN),
        Derived.of("sum@1", (), pin_at(100, chain_id=10), contract=TOKEN),
    ]

    for one, another in combinations(nothing, 2):
        assert one.row_id != another.row_id
    assert nothing[0].row_id == Derived.of("sum@1", (), pin_at(100), contract=TOKEN).row_id
