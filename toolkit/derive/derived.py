"""A number computed from evidence rows, with all that is needed to compute it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from toolkit.derive.arithmetic import Ratio
from toolkit.derive.formulas import Result, compute
from toolkit.derive.row_ids import derived_row_id
from toolkit.models import Pin, scale

Input: TypeAlias = tuple[int, str]
"""An integer and the id of the row it comes from."""


@dataclass(frozen=True, slots=True)
class Derived:
    """One derived number.

    `formula` is a formula's text with its parameters; `inputs` and `derived_from` go together.
    `decimals` is there where the value is an amount of one token whose decimals are known.
    A change between two pins carries the later one; its inputs name the earlier.
    """

    formula: str
    inputs: tuple[int, ...]
    derived_from: tuple[str, ...]
    value: Result
    pin: Pin
    contract: str | None = None
    decimals: int | None = None
    decimals_row_id: str | None = None

    @classmethod
    def of(
        cls,
        formula: str,
        inputs: Sequence[Input],
        pin: Pin,
        *,
        contract: str | None = None,
        decimals: int | None = None,
        decimals_row_id: str | None = None,
    ) -> Derived:
        """Compute a formula over integers that come from rows."""
        numbers = tuple(number for number, _ in inputs)
        rows = tuple(row for _, row in inputs)
        value = compute(formula, numbers)
        return cls(formula, numbers, rows, value, pin, contract, decimals, decimals_row_id)

    @property
    def row_id(self) -> str:
        """The id of this number's own row."""
        return derived_row_id(self.formula, self.derived_from, self.pin, self.contract)

    @property
    def text(self) -> str | None:
        """The value: signed integer text, or decimal text to 18 digits; None where undefined."""
        if isinstance(self.value, int):
            return str(self.value)
        return self.value.text if isinstance(self.value, Ratio) else None

    @property
    def exact(self) -> bool:
        """Whether `text` holds the value whole."""
        return isinstance(self.value, int) or (isinstance(self.value, Ratio) and self.value.exact)

    @property
    def amount(self) -> str | None:
        """The value in whole tokens, exact and signed, where it is an amount that can be scaled."""
        if not isinstance(self.value, int) or self.decimals is None:
            return None
        return scale(self.value, self.decimals)
