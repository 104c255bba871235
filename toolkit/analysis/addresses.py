"""Addresses compared at one block: a matrix of amounts and reasons, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from toolkit.analysis.address_frames import comparison_frame, matrix_frame
from toolkit.analysis.caveats import Caveat, about_reading, caveat
from toolkit.analysis.cell import NATIVE, Cell
from toolkit.analysis.pinned import each_once, one_pin, pin_json
from toolkit.chain.reader import PinnedBlock
from toolkit.derive import Derived
from toolkit.errors import InvalidArgumentError
from toolkit.models import Unknown
from toolkit.tools import ToolAnswer, ToolCall
from toolkit.tools.row_ids import observed_row_id
from toolkit.untrusted import UntrustedText


def comparison_calls(
    chain_id: int,
    block: str,
    addresses: Sequence[str],
    tokens: Sequence[str],
    *,
    native: bool,
) -> list[ToolCall]:
    """List the calls of a comparison: asset by asset over all addresses, then each token itself.

    Repeated addresses and tokens are asked once.
    """
    holders, contracts = each_once(addresses), each_once(tokens)
    at = {"chain_id": chain_id, "block": block}
    calls: list[ToolCall] = []
    if native:
        calls += [("get_native_balance", {**at, "address": holder}) for holder in holders]
    for token in contracts:
        calls += [("get_erc20_balance", {**at, "holder": h, "token": token}) for h in holders]
    calls += [("get_token_metadata", {**at, "token": token}) for token in contracts]
    return calls


@dataclass(frozen=True)
class Comparison:
    """What addresses hold of assets, all at one block.

    Shape: `cells` asset by asset, in each the addresses in their order; a failed read is a
    cell with its reason. Not: a total over assets, a price, a portfolio.
    """

    pinned: PinnedBlock | None
    addresses: tuple[str, ...]
    assets: tuple[str, ...]
    cells: tuple[Cell, ...]
    metadata: tuple[ToolAnswer, ...]

    @classmethod
    def of(
        cls,
        answers: Sequence[ToolAnswer],
        addresses: Sequence[str],
        tokens: Sequence[str],
        *,
        native: bool,
    ) -> Comparison:
        """Put the answers of `comparison_calls` into their places.

        Errors: MixedPinsError where two answers stand at different blocks;
        InvalidArgumentError where the answers are not those of these calls.
        """
        holders, contracts = each_once(addresses), each_once(tokens)
        assets = ((NATIVE,) if native else ()) + contracts
        places = [(holder, asset) for asset in assets for holder in holders]
        if len(answers) != len(places) + len(contracts):
            raise InvalidArgumentError(
                f"{len(answers)} answers do not fill {len(places)} cells "
                f"and {len(contracts)} tokens.",
                remedy="Give the answers of comparison_calls with the same addresses and tokens.",
            )
        pinned = one_pin(answers)
        cells = tuple(
            Cell.of(holder, asset, answer)
            for (holder, asset), answer in zip(places, answers, strict=False)
        )
        return cls(pinned, holders, assets, cells, tuple(answers[len(places) :]))

    @property
    def answers(self) -> Iterator[ToolAnswer]:
        """Every answer, for evidence rows."""
        yield from (cell.answer for cell in self.cells)
        yield from self.metadata

    def cells_of(self, asset: str) -> tuple[Cell, ...]:
        """The cells of one asset, in the order of the addresses."""
        start = self.assets.index(asset) * len(self.addresses)
        return self.cells[start : start + len(self.addresses)]

    def cell(self, address: str, asset: str) -> Cell:
        """The cell of one address and one asset."""
        return self.cells_of(asset)[self.addresses.index(address)]

    def metadata_of(self, asset: str) -> ToolAnswer | None:
        """What a token says about itself; None for the native coin."""
        if asset == NATIVE:
            return None
        return self.metadata[self.assets.index(asset) - len(self.assets) + len(self.metadata)]

    def symbol_of(self, asset: str) -> UntrustedText | str | Unknown:
        """An asset's symbol: untrusted text for a token, the registry's word for the coin."""
        answer = self.metadata_of(asset)
        if answer is None:
            known = [c.answer.data for c in self.cells_of(asset) if c.answer.data is not None]
            return known[0].symbol if known else _NO_SYMBOL  # type: ignore[attr-defined]
        return _NO_SYMBOL if answer.data is None else answer.data.symbol  # type: ignore[attr-defined]

    @cached_property
    def derived(self) -> tuple[Derived, ...]:
        """Difference and ratio against the first address, and each address's share of supply.

        Shape: asset by asset. With two addresses that is the pair. A cell that failed has none.
        """
        if self.pinned is None:
            return ()
        return tuple(n for asset in self.assets for n in self._derived_of(asset))

    def _derived_of(self, asset: str) -> Iterator[Derived]:
        contract = None if asset == NATIVE else asset
        known = [c for c in self.cells_of(asset) if not c.failed]
        cells = self.cells_of(asset)
        if cells and not cells[0].failed:
            for other in known:
                if other is not cells[0]:
                    yield from self._pair(cells[0], other, contract)
        supply = self._supply(asset)
        if supply is not None:
            for cell in known:
                yield self._derive("share_of_supply@1", [_input(cell), supply], contract)

    def _pair(self, first: Cell, other: Cell, contract: str | None) -> Iterator[Derived]:
        inputs = [_input(first), _input(other)]
        yield self._derive("difference@1", inputs, contract, first)
        yield self._derive("ratio@1", inputs, contract)

    def _derive(
        self,
        formula: str,
        inputs: list[tuple[int, str]],
        contract: str | None,
        scaled_as: Cell | None = None,
    ) -> Derived:
        return Derived.of(
            formula,
            inputs,
            self.pinned.pin,  # type: ignore[union-attr]  # only asked for where there is a pin
            contract=contract,
            decimals=scaled_as.decimals if scaled_as else None,
            decimals_row_id=scaled_as.decimals_row_id if scaled_as else None,
        )

    def _supply(self, asset: str) -> tuple[int, str] | None:
        """A token's total supply and its row, where the token tells it."""
        answer = self.metadata_of(asset)
        supply = getattr(answer.data, "raw_total_supply", None) if answer else None
        if answer is None or not isinstance(supply, int):
            return None
        seen = next(seen for seen in answer.observations if seen.field == "raw_total_supply")
        return supply, observed_row_id(answer, seen, "raw_total_supply")

    @cached_property
    def symbol_collisions(self) -> tuple[tuple[str, ...], ...]:
        """Groups of tokens whose symbols a reader would take for each other."""
        groups: dict[str, list[str]] = {}
        for asset in self.assets:
            symbol = self.symbol_of(asset)
            if isinstance(symbol, Unknown):
                continue
            if isinstance(symbol, str):  # The registry's word is compared as a token's is.
                symbol = UntrustedText.from_string(symbol.encode())
            groups.setdefault(symbol.look, []).append(asset)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:
        """What a reader of this comparison must know."""
        unscaled = [c.asset for c in self.cells if not c.failed and c.decimals is None]
        failed = [cell.address for cell in self.cells if cell.failed]
        return (
            Caveat("value_not_queried"),
            Caveat("other_tokens"),
            Caveat("holdings_elsewhere"),
            *caveat("circulating_not_total", [a for a in self.assets if self._has_shares(a)]),
            *caveat("cells_failed", failed),
            *caveat("decimals_unknown", unscaled),
            *caveat("ratio_undefined", [a for a in self.assets if self._has_zero_divisor(a)]),
            *caveat("symbol_collision", [t for group in self.symbol_collisions for t in group]),
            *caveat("metadata_hostile", [a for a in self.assets if self._is_hostile(a)]),
            *about_reading(self.answers, self.pinned),
        )

    def _has_shares(self, asset: str) -> bool:
        """Whether any share of this asset's supply is derived."""
        known = any(not cell.failed for cell in self.cells_of(asset))
        return known and self._supply(asset) is not None

    def _has_zero_divisor(self, asset: str) -> bool:
        """Whether a ratio or a share of this asset has no value, told without deriving them."""
        first, *others = self.cells_of(asset) or (None,)
        supply = self._supply(asset)
        empty_supply = supply is not None and supply[0] == 0
        by_zero = first is not None and not first.failed and any(c.raw_amount == 0 for c in others)
        return by_zero or (empty_supply and any(not c.failed for c in self.cells_of(asset)))

    def _is_hostile(self, asset: str) -> bool:
        """Whether a token's name or symbol is more than short plain text."""
        answer = self.metadata_of(asset)
        words = (
            (getattr(answer.data, "name", None), getattr(answer.data, "symbol", None))
            if (answer is not None)
            else ()
        )
        return any(isinstance(text, UntrustedText) and not text.is_plain for text in words)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per cell: exact text, and an integer rank to sort each asset by."""
        return comparison_frame(self.cells, self.pinned)

    @cached_property
    def matrix(self) -> pl.DataFrame:
        """One row per address, one text column per asset: the amount, or the reason."""
        return matrix_frame(self.addresses, self.assets, self.cells)

    def as_json(self) -> dict[str, Any]:
        """The comparison as `compare --json` writes it."""
        return {
            "pin": pin_json(self.pinned),
            "cells": [cell.as_json() for cell in self.cells],
            "derived": [self._derived_json(number) for number in self.derived],
            "caveats": [caveat.as_json() for caveat in self.caveats],
        }

    @cached_property
    def _address_of_row(self) -> dict[str, str]:
        return {cell.row_id: cell.address for cell in self.cells}

    def _derived_json(self, number: Derived) -> dict[str, Any]:
        rows = self._address_of_row
        return {
            "formula": number.formula,
            "asset": number.contract or NATIVE,
            "addresses": [rows[row] for row in number.derived_from if row in rows],
            "value": number.text,
            "amount": number.amount,
            "exact": number.exact,
            "derived_from": list(number.derived_from),
            "row_id": number.row_id,
        }


_NO_SYMBOL = Unknown(code="symbol_unknown", message="The symbol could not be read.")


def _input(cell: Cell) -> tuple[int, str]:
    """A cell's integer and its row. The cell did not fail."""
    return cell.raw_amount or 0, cell.row_id
