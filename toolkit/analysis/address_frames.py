"""Comparisons as polars frames: whole columns of exact text, for tens of thousands of cells."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from toolkit.analysis.cell import Cell
from toolkit.chain.reader import PinnedBlock


def comparison_frame(cells: Sequence[Cell], pinned: PinnedBlock | None) -> pl.DataFrame:
    """One row per cell. Shape: raw_amount and amount are text; rank 1 is an asset's largest.

    `rank` is null where a cell has no amount; equal amounts share a rank.
    """
    pin = None if pinned is None else pinned.pin
    return pl.DataFrame(
        {
            "chain_id": [None if pin is None else pin.chain_id] * len(cells),
            "block_number": [None if pin is None else pin.number] * len(cells),
            "block_hash": [None if pin is None else pin.hash] * len(cells),
            "asset": [cell.asset for cell in cells],
            "address": [cell.address for cell in cells],
            "state": [cell.state for cell in cells],
            "raw_amount": [None if c.raw_amount is None else str(c.raw_amount) for c in cells],
            "decimals": [cell.decimals for cell in cells],
            "amount": [cell.amount for cell in cells],
            "rank": _ranks(cells),
            "reason": [None if cell.error is None else cell.error.message for cell in cells],
            "row_id": [cell.row_id for cell in cells],
        },
        schema={
            "chain_id": pl.Int64,
            "block_number": pl.Int64,
            "block_hash": pl.String,
            "asset": pl.String,
            "address": pl.String,
            "state": pl.String,
            "raw_amount": pl.String,
            "decimals": pl.Int16,
            "amount": pl.String,
            "rank": pl.UInt32,
            "reason": pl.String,
            "row_id": pl.String,
        },
    )


def matrix_frame(
    addresses: Sequence[str], assets: Sequence[str], cells: Sequence[Cell]
) -> pl.DataFrame:
    """One row per address. Per asset a text column, and `rank:<asset>` to sort by exactly.

    A cell shows its amount, else its raw amount marked `raw`, else its error's code.
    """
    columns: dict[str, pl.Series] = {"address": pl.Series(addresses, dtype=pl.String)}
    for at, asset in enumerate(assets):
        mine = cells[at * len(addresses) : (at + 1) * len(addresses)]
        columns[asset] = pl.Series([_shown(cell) for cell in mine], dtype=pl.String)
        columns[f"rank:{asset}"] = pl.Series(_ranks(mine), dtype=pl.UInt32)
    return pl.DataFrame(columns)


def _shown(cell: Cell) -> str:
    if cell.raw_amount is None:
        return cell.state
    return f"{cell.raw_amount} raw" if cell.amount is None else cell.amount


def _ranks(cells: Sequence[Cell]) -> list[int | None]:
    """Rank each asset's amounts, largest first, by their integers and never by their text."""
    amounts: dict[str, set[int]] = {}
    for cell in cells:
        if cell.raw_amount is not None:
            amounts.setdefault(cell.asset, set()).add(cell.raw_amount)
    ranks = {
        asset: {raw: rank for rank, raw in enumerate(sorted(found, reverse=True), start=1)}
        for asset, found in amounts.items()
    }
    return [None if c.raw_amount is None else ranks[c.asset][c.raw_amount] for c in cells]
