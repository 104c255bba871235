"""One place in a matrix of addresses and assets: an amount, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from toolkit.analysis.pinned import read_ids
from toolkit.models import ToolError, Unknown
from toolkit.tools import Observation, ToolAnswer
from toolkit.tools.failure import tool_error
from toolkit.tools.row_ids import failure_row_id, observed_row_id

NATIVE: Final = "native"
"""The asset that is the chain's own coin; every other asset is a token's address."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one address holds of one asset.

    `state` is `value`, `zero` (proven), or the error's code. Unit: `raw_amount` in the asset's
    smallest unit, None exactly where the read failed. `amount` is None where it failed or the
    decimals are unknown.
    """

    address: str
    asset: str
    state: str
    raw_amount: int | None
    decimals: int | None
    amount: str | None
    answer: ToolAnswer

    @classmethod
    def of(cls, address: str, asset: str, answer: ToolAnswer) -> Cell:
        """Read a balance tool's answer."""
        data: Any = answer.data
        if data is None:
            code = "tool_unavailable" if answer.error is None else answer.error.code
            return cls(address, asset, code, None, None, None, answer)
        decimals = None if isinstance(data.decimals, Unknown) else data.decimals
        state = "value" if data.raw_amount else "zero"
        return cls(address, asset, state, data.raw_amount, decimals, data.amount, answer)

    @property
    def failed(self) -> bool:
        """Whether the read gave no amount."""
        return self.raw_amount is None

    @property
    def error(self) -> ToolError | None:
        """Why there is no amount."""
        return None if self.answer.error is None else tool_error(self.answer.error)

    @property
    def row_id(self) -> str:
        """The evidence row of the raw amount, or of the failure."""
        if self.failed:
            return failure_row_id(self.answer)
        return observed_row_id(self.answer, self._observed("raw_amount"), "raw_amount")

    @property
    def decimals_row_id(self) -> str | None:
        """The evidence row of the decimals, where a contract told them."""
        if self.asset == NATIVE or self.decimals is None:
            return None
        return observed_row_id(self.answer, self._observed("decimals"), "decimals")

    def _observed(self, field: str) -> Observation:
        return next(seen for seen in self.answer.observations if seen.field == field)

    def as_json(self) -> dict[str, Any]:
        """The cell as `compare --json` writes it."""
        error = self.error
        return {
            "address": self.address,
            "asset": self.asset,
            "state": self.state,
            "raw_amount": None if self.raw_amount is None else str(self.raw_amount),
            "decimals": self.decimals,
            "amount": self.amount,
            "error": None if error is None else error.model_dump(mode="json"),
            "read_ids": read_ids(self.answer),
            "row_id": self.row_id,
        }
