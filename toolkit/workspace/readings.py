"""What a notebook holds in its hands: a result, its frame, its chart, its evidence.

A reading shows itself with its pin and caveats, in whole digits and with everything escaped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import polars as pl

from toolkit.analysis.addresses import Comparison
from toolkit.analysis.caveats import Caveat
from toolkit.analysis.cell import NATIVE, Cell
from toolkit.analysis.change import Change
from toolkit.analysis.change import change as change_of
from toolkit.analysis.pool_reading import PoolReading
from toolkit.analysis.pools import PoolDepth
from toolkit.analysis.transfers import TransferList
from toolkit.chain.reader import PinnedBlock
from toolkit.derive import Derived, Side
from toolkit.errors import InvalidArgumentError, MixedPinsError
from toolkit.evidence import COLUMNS, EvidenceRow, rows_of, write_evidence
from toolkit.models import parse_address
from toolkit.tools import ToolAnswer
from toolkit.workspace.pool_tables import depth_tables
from toolkit.workspace.reading_text import as_html, as_text
from toolkit.workspace.tables import (
    TextTable,
    change_tables,
    comparison_tables,
    completeness,
    transfer_tables,
)

_LANGUAGE: Final = "en"


class Result(Protocol):
    """What every analysis gives: its answers, what follows from them, and what to know."""

    @property
    def answers(self) -> Iterator[ToolAnswer]:
        """Every answer, for evidence rows."""

    @property
    def derived(self) -> Sequence[Derived]:
        """Every derived number, for evidence rows."""

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What a reader must know."""

    @property
    def frame(self) -> pl.DataFrame:
        """The result in columns of exact text."""

    def as_json(self) -> dict[str, Any]:
        """The result as the command line's `--json` writes it."""


R = TypeVar("R", bound=Result)


class Reading(ABC, Generic[R]):
    """One result of pinned reads. Not: an editable table; ask again to change anything."""

    def __init__(self, result: R) -> None:
        self.result = result

    @property
    def pins(self) -> tuple[PinnedBlock, ...]:
        """The blocks that were read: one, or two for a change."""
        pinned: PinnedBlock | None = getattr(self.result, "pinned", None)
        return () if pinned is None else (pinned,)

    @property
    def frame(self) -> pl.DataFrame:
        """The result as a polars frame. Shape: every amount is exact text."""
        return self.result.frame

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a reader must know, as sentences."""
        return tuple(caveat.text for caveat in self.result.caveats)

    @property
    def evidence_rows(self) -> Iterator[EvidenceRow]:
        """The evidence, row by row."""
        return rows_of(self.result.answers, self.result.derived)

    @property
    def evidence(self) -> pl.DataFrame:
        """The evidence as a frame: the columns of evidence.csv, all of them text."""
        rows = [row.cells() for row in self.evidence_rows]
        return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")

    def to_csv(self, path: Path | str) -> int:
        """Write the evidence as evidence.csv, whole or not at all; return the number of rows.

        Errors: StoreUnusableError where the file cannot be written.
        """
        return write_evidence(path, self.evidence_rows)

    def as_json(self) -> dict[str, Any]:
        """The result as the command line's `--json` writes it."""
        return self.result.as_json()

    @abstractmethod
    def _tables(self) -> Iterator[TextTable]:
        """The result as text tables."""

    def _remarks(self) -> tuple[str, ...]:
        """What stands above the tables."""
        return ()

    def __repr__(self) -> str:
        return as_text(self.pins, self._remarks(), self._tables(), self.result.caveats, _LANGUAGE)

    def _repr_html_(self) -> str:
        return as_html(self.pins, self._remarks(), self._tables(), self.result.caveats, _LANGUAGE)


class ComparisonReading(Reading[Comparison]):
    """What addresses hold of several assets at one block. `reading[address, asset]` is a cell."""

    def __getitem__(self, key: tuple[str, str]) -> Cell:
        address, asset = key
        return _cell(self.result, address, asset)

    def chart(self, asset: str) -> Any:
        """Draw one asset; two assets are never on one axis."""
        return _drawn("balance_panel", self.result, _asset(self.result, asset))

    def charts(self) -> list[Any]:
        """Draw every asset, each on its own axis."""
        return [self.chart(asset) for asset in self.result.assets]

    def _tables(self) -> Iterator[TextTable]:
        return comparison_tables(self.result, _LANGUAGE, {})


class BalanceReading(Reading[Comparison]):
    """What addresses hold of one asset. `reading[address]` has raw_amount, amount and state."""

    def __getitem__(self, address: str) -> Cell:
        return _cell(self.result, address, self.asset)

    @property
    def asset(self) -> str:
        """The token's address, or `native`."""
        return self.result.assets[0]

    def chart(self) -> Any:
        """Draw what each address holds."""
        return _drawn("balance_panel", self.result, self.asset)

    def _tables(self) -> Iterator[TextTable]:
        return comparison_tables(self.result, _LANGUAGE, {})


class DepthReading(Reading[PoolDepth]):
    """How much moves each pool's own rate. `reading[pool]` is one pool's reading."""

    def __getitem__(self, pool: str) -> PoolReading:
        wanted = _checked(pool)
        for reading in self.result.pools:
            if reading.pool == wanted:
                return reading
        raise InvalidArgumentError(f"{wanted} is not among the pools that were read.")

    def chart(self, side: Side = "sell_token0") -> Any:
        """Draw the input that moves each pool's rate. `side` says which token goes in."""
        return _drawn("impact_chart", self.result, side)

    def charts(self) -> list[Any]:
        """Draw both sides."""
        return [self.chart("sell_token0"), self.chart("sell_token1")]

    def _tables(self) -> Iterator[TextTable]:
        return depth_tables(self.result, _LANGUAGE)


class TransfersReading(Reading[TransferList]):
    """Transfers of one address, newest first. Look at `complete` before you count or sum."""

    @property
    def complete(self) -> bool:
        """Whether every block that was asked for was read and nothing was cut."""
        return self.result.complete

    def chart(self) -> Any:
        """Draw how many transfers there were over the blocks."""
        return _drawn("block_chart", self.result)

    def _remarks(self) -> tuple[str, ...]:
        return (completeness(self.result, _LANGUAGE),)

    def _tables(self) -> Iterator[TextTable]:
        return transfer_tables(self.result, _LANGUAGE)


class ChangeReading(Reading[Change]):
    """The same addresses and assets at two blocks. The only reading that holds two pins."""

    @property
    def pins(self) -> tuple[PinnedBlock, ...]:
        """Before and after."""
        return (self.result.before_pinned, self.result.after_pinned)

    def _tables(self) -> Iterator[TextTable]:
        return change_tables(self.result, _LANGUAGE, {})


def change(
    *,
    before: ComparisonReading | BalanceReading,
    after: ComparisonReading | BalanceReading,
) -> ChangeReading:
    """Say what changed between two blocks of one chain.

    Errors: InvalidArgumentError for two chains, other addresses, or blocks the wrong way round.
    """
    for name, reading in (("before", before), ("after", after)):
        if not isinstance(reading, ComparisonReading | BalanceReading):
            raise InvalidArgumentError(
                f"{name} is a {type(reading).__name__}, not a reading of balances.",
                remedy="Give what compare, erc20_balances or native_balances returned.",
            )
    return ChangeReading(change_of(before.result, after.result))


def export(path: Path | str, readings: Sequence[Reading[Any]]) -> int:
    """Write the evidence of readings of one block to one CSV file; return the number of rows.

    A change may be written, alone. Errors: MixedPinsError where two readings stand at different
    blocks; InvalidArgumentError for another kind of file; StoreUnusableError.
    """
    if Path(path).suffix.lower() != ".csv":
        raise InvalidArgumentError(
            f"{Path(path).name} is no CSV file, and bundles come with a later version.",
            remedy="Name a file that ends in .csv.",
        )
    pins = {pinned.pin for reading in readings for pinned in reading.pins}
    if len(pins) > 1 and len(readings) > 1:
        heights = sorted(f"chain {pin.chain_id} block {pin.number}" for pin in pins)
        raise MixedPinsError(
            f"These readings stand at different blocks: {', '.join(heights)}.",
            remedy="Read everything at one block, or export a change by itself.",
        )
    answers = (answer for reading in readings for answer in reading.result.answers)
    derived = (number for reading in readings for number in reading.result.derived)
    return write_evidence(path, rows_of(answers, derived))


def _drawn(draw: str, *arguments: object) -> Any:
    """Draw with one of the chart functions, for a notebook."""
    # Altair takes longer to load than most readings take, and most are never drawn.
    from toolkit import charts  # noqa: PLC0415
    from toolkit.charts.notebook import for_notebook  # noqa: PLC0415

    return for_notebook(getattr(charts, draw)(*arguments))


def _cell(comparison: Comparison, address: str, asset: str) -> Cell:
    wanted = _checked(address)
    if wanted not in comparison.addresses:
        raise InvalidArgumentError(f"{wanted} is not among the addresses that were read.")
    return comparison.cell(wanted, _asset(comparison, asset))


def _asset(comparison: Comparison, asset: str) -> str:
    wanted = asset if asset == NATIVE else _checked(asset)
    if wanted not in comparison.assets:
        raise InvalidArgumentError(
            f"{wanted} is not among the assets that were read.",
            remedy=f"They are: {', '.join(comparison.assets)}.",
        )
    return wanted


def _checked(address: str) -> str:
    try:
        return parse_address(address)
    except ValueError as error:
        raise InvalidArgumentError(str(error)) from None
