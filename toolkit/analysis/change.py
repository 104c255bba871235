"""The same cells at two blocks, on purpose: before, after, and the exact difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from toolkit.analysis.addresses import Comparison
from toolkit.analysis.caveats import Caveat
from toolkit.analysis.cell import NATIVE, Cell
from toolkit.analysis.pinned import pin_json
from toolkit.chain.reader import PinnedBlock
from toolkit.derive import Derived
from toolkit.errors import InvalidArgumentError
from toolkit.models import Pin
from toolkit.tools import ToolAnswer


@dataclass(frozen=True, slots=True)
class ChangedCell:
    """One address and asset at both blocks. `change` is None where either read failed."""

    before: Cell
    after: Cell
    change: Derived | None


@dataclass(frozen=True)
class Change:
    """What changed between two pins of one chain. `before` is the lower block.

    Not: a sum of transfers; rewards, rebases and fees change balances too.
    """

    before: Comparison
    after: Comparison
    before_pinned: PinnedBlock
    after_pinned: PinnedBlock

    @cached_property
    def cells(self) -> tuple[ChangedCell, ...]:
        """Each cell at both blocks, in the order of the comparison."""
        pairs = zip(self.before.cells, self.after.cells, strict=True)
        return tuple(ChangedCell(b, a, self._change(b, a)) for b, a in pairs)

    def _change(self, before: Cell, after: Cell) -> Derived | None:
        if before.raw_amount is None or after.raw_amount is None:
            return None
        agree = before.decimals == after.decimals
        return Derived.of(
            "change@1",
            [(before.raw_amount, before.row_id), (after.raw_amount, after.row_id)],
            self.after_pinned.pin,
            contract=None if after.asset == NATIVE else after.asset,
            decimals=after.decimals if agree else None,
            decimals_row_id=after.decimals_row_id if agree else None,
        )

    @property
    def answers(self) -> Iterator[ToolAnswer]:
        """Every answer of both blocks, for evidence rows."""
        yield from self.before.answers
        yield from self.after.answers

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The differences, for evidence rows."""
        return tuple(cell.change for cell in self.cells if cell.change is not None)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What a reader must know of either block. Shares and ratios are not shown here."""
        both = dict.fromkeys((*self.before.caveats, *self.after.caveats))
        return tuple(caveat for caveat in both if caveat.code not in _OF_RELATIONS)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per cell. Shape: exact text; `change` is signed and in the smallest unit."""
        cells = self.cells
        return pl.DataFrame(
            {
                "asset": [cell.after.asset for cell in cells],
                "address": [cell.after.address for cell in cells],
                "state_before": [cell.before.state for cell in cells],
                "state_after": [cell.after.state for cell in cells],
                "raw_before": [_text(cell.before.raw_amount) for cell in cells],
                "raw_after": [_text(cell.after.raw_amount) for cell in cells],
                "raw_change": [cell.change.text if cell.change else None for cell in cells],
                "amount_before": [cell.before.amount for cell in cells],
                "amount_after": [cell.after.amount for cell in cells],
                "amount_change": [cell.change.amount if cell.change else None for cell in cells],
                "row_id": [cell.change.row_id if cell.change else None for cell in cells],
            },
            schema_overrides=dict.fromkeys(_TEXTS, pl.String),
        )

    def as_json(self) -> dict[str, Any]:
        """Both pins, and per cell both values with the change."""
        return {
            "before": pin_json(self.before_pinned),
            "after": pin_json(self.after_pinned),
            "cells": [_cell_json(cell) for cell in self.cells],
            "caveats": [caveat.as_json() for caveat in self.caveats],
        }


def change(before: Comparison, after: Comparison) -> Change:
    """Compare one comparison with a later one of the same addresses and assets.

    Errors: InvalidArgumentError for two chains, other addresses, one block twice, or blocks the
    wrong way round.
    """
    if before.pinned is None or after.pinned is None:
        raise InvalidArgumentError("A change needs two blocks, and one of them was not resolved.")
    check_order(before.pinned.pin, after.pinned.pin)
    if (before.addresses, before.assets) != (after.addresses, after.assets):
        raise InvalidArgumentError(
            "Before and after do not hold the same addresses and assets.",
            remedy="Compare the same addresses and tokens at both blocks.",
        )
    return Change(before, after, before.pinned, after.pinned)


def check_order(first: Pin, second: Pin) -> None:
    """Refuse two blocks between which nothing can have changed; before anything is read of them.

    Errors: InvalidArgumentError for two chains, one block twice, or blocks the wrong way round.
    """
    if first.chain_id != second.chain_id:
        raise InvalidArgumentError(
            f"A change stays on one chain: before is on {first.chain_id}, "
            f"after on {second.chain_id}.",
        )
    if first.number > second.number:
        raise InvalidArgumentError(
            f"Before is block {first.number}, after is block {second.number}.",
            remedy="Give the lower block as before.",
        )
    if first.number == second.number:
        raise InvalidArgumentError(
            f"Before and after are both block {first.number}: within one block nothing changes.",
            remedy="Name an earlier block as before.",
        )


_OF_RELATIONS: Final = frozenset({"circulating_not_total", "ratio_undefined"})

_TEXTS: Final = (
    "raw_before",
    "raw_after",
    "raw_change",
    "amount_before",
    "amount_after",
    "amount_change",
    "row_id",
)


def _text(raw_amount: int | None) -> str | None:
    return None if raw_amount is None else str(raw_amount)


def _cell_json(cell: ChangedCell) -> dict[str, Any]:
    changed = cell.change
    return {
        "address": cell.after.address,
        "asset": cell.after.asset,
        "before": cell.before.as_json(),
        "after": cell.after.as_json(),
        "raw_change": None if changed is None else changed.text,
        "amount_change": None if changed is None else changed.amount,
        "derived_from": [] if changed is None else list(changed.derived_from),
        "row_id": None if changed is None else changed.row_id,
    }
