"""Readings as plain tables of exact text: what a terminal and a notebook show alike.

Text from a chain comes through `for_page` only; whoever shows a table escapes it for its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from toolkit.analysis.addresses import Comparison
from toolkit.analysis.caveats import Caveat
from toolkit.analysis.cell import NATIVE, Cell
from toolkit.analysis.change import Change
from toolkit.analysis.transfers import TransferList
from toolkit.chain.log_check import LogCheck
from toolkit.chain.reader import PinnedBlock
from toolkit.config import DEMO_CHAIN_ID
from toolkit.derive import Derived
from toolkit.i18n import text
from toolkit.models import Pin, Unknown, scale
from toolkit.tools.list_recent_transfers import Transfer
from toolkit.untrusted import UntrustedText
from toolkit.workspace.finality import finality_words

Row: TypeAlias = tuple[str, ...]

_SUBJECTS_SHOWN = 3
_LONG_HEX = re.compile(r"0x[0-9a-fA-F]{40,}")


@dataclass(frozen=True, slots=True)
class TextTable:
    """A heading, column heads, rows of text, and remarks below them. No cell is shortened."""

    title: str
    headers: Row
    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()


def pin_line(pinned: PinnedBlock, language: str) -> str:
    """Name the block, its time, its finality and the endpoint, on one line."""
    pin = pinned.pin
    return " \u00b7 ".join(
        (
            place_of(pin, language),
            pin.time,
            finality_words(pinned.finality, language),
            f"{text(language, 'strip.endpoint')} {pinned.endpoint_id}",
            text(language, "strip.price_free"),
        )
    )


def place_of(pin: Pin, language: str) -> str:
    """Name chain and height in the words of the pin strip."""
    chain, block = text(language, "strip.chain"), text(language, "strip.block")
    demo = f"{text(language, 'strip.demo')} \u00b7 " if pin.chain_id == DEMO_CHAIN_ID else ""
    return f"{demo}{chain} {pin.chain_id} \u00b7 {block} {pin.number}"


def hash_line(pin: Pin, language: str) -> str:
    """The block's whole hash, which is what a pin is."""
    return f"{text(language, 'strip.hash')} {pin.hash}"


def caveat_lines(caveats: Sequence[Caveat], language: str) -> tuple[str, ...]:
    """Each caveat as a sentence, with what it is about where that is not much."""
    lines = []
    for caveat in caveats:
        subjects = caveat.subjects if len(caveat.subjects) <= _SUBJECTS_SHOWN else ()
        about = f" ({', '.join(subjects)})" if subjects else ""
        lines.append(text(language, f"caveat.{caveat.code}") + about)
    return tuple(dict.fromkeys(lines))


def comparison_tables(
    comparison: Comparison, language: str, labels: Mapping[str, str]
) -> Iterator[TextTable]:
    """Per asset its amounts and what follows from them, for two assets are never on one scale."""
    for asset in comparison.assets:
        yield _asset_table(comparison, asset, language, labels)
        if any(_asset_of(number) == asset for number in comparison.derived):
            yield _relations_table(comparison, asset, language)


def _asset_table(
    comparison: Comparison, asset: str, language: str, labels: Mapping[str, str]
) -> TextTable:
    cells = comparison.cells_of(asset)
    columns = {
        "": [f"#{number}" for number in range(1, len(cells) + 1)],
        text(language, "compare.address"): [cell.address for cell in cells],
        text(language, "compare.label"): [labels.get(cell.address, "") for cell in cells],
        text(language, "cli.amount"): [_amount(cell) for cell in cells],
        text(language, "cli.note"): [_note(cell, language) for cell in cells],
    }
    shown = {head: column for head, column in columns.items() if any(column)}
    return TextTable(
        asset_title(comparison, asset, language),
        tuple(shown),
        tuple(zip(*shown.values(), strict=True)),
        (
            *_oddities(comparison, asset, language, labels),
            *_reasons([cell for cell in cells if cell.failed], language),
        ),
    )


def _oddities(
    comparison: Comparison, asset: str, language: str, labels: Mapping[str, str]
) -> Iterator[str]:
    """What is odd about what a token calls itself, and whose label of the analyst it looks like."""
    symbol = comparison.symbol_of(asset)
    if not isinstance(symbol, UntrustedText):
        return
    if symbol.traits:
        named = (text(language, f"trait.{trait}") for trait in symbol.traits)
        yield text(language, "words.traits", traits=", ".join(named))
    for label in symbol.resembles(label for at, label in labels.items() if at != asset):
        yield text(language, "words.resembles", label=label)


def _amount(cell: Cell) -> str:
    """An amount as it is, or the code that stands in its place."""
    if cell.raw_amount is None:
        return f"\u2715 {cell.state}"
    return str(cell.raw_amount) if cell.amount is None else cell.amount


def _note(cell: Cell, language: str) -> str:
    is_raw = cell.raw_amount is not None and cell.amount is None
    return text(language, "state.raw") if is_raw else ""


def _reasons(failed: Sequence[Cell], language: str) -> tuple[str, ...]:
    """Why there are no amounts: each sentence once, those that differ by an address counted."""
    kinds: dict[str, list[str]] = {}
    for cell in failed:
        said = f"\u2715 {cell.state}: {cell.error.message if cell.error else ''}"
        kinds.setdefault(_LONG_HEX.sub("", said), []).append(said)
    return tuple(
        said[0] if len(said) == 1 else f"{said[0]} {text(language, 'cli.alike', count=len(said))}"
        for said in kinds.values()
    )


def asset_title(comparison: Comparison, asset: str, language: str) -> str:
    """An asset by its address; what it calls itself stands beside it as untrusted text."""
    symbol = comparison.symbol_of(asset)
    if asset == NATIVE:
        if isinstance(symbol, str):
            return text(language, "compare.coin_named", symbol=symbol)
        return text(language, "compare.coin_plain")
    if not isinstance(symbol, UntrustedText):
        return asset
    return text(language, "cli.calls_itself", asset=asset, symbol=symbol.for_page())


def _asset_of(number: Derived) -> str:
    return number.contract or NATIVE


def _relations_table(comparison: Comparison, asset: str, language: str) -> TextTable:
    cells = comparison.cells_of(asset)
    places = {cell.row_id: f"#{place}" for place, cell in enumerate(cells, start=1)}
    rows = tuple(
        (
            _relation(number, places, language),
            value_of(number, language),
            _exactness(number, language),
        )
        for number in comparison.derived
        if _asset_of(number) == asset
    )
    heads = ("compare.relation", "compare.value", "compare.exact")
    return TextTable(
        text(language, "compare.relations"), tuple(text(language, head) for head in heads), rows
    )


def _exactness(number: Derived, language: str) -> str:
    if number.text is None:
        return ""
    return text(language, "compare.exact_yes" if number.exact else "compare.exact_no")


def _relation(number: Derived, numbers: Mapping[str, str], language: str) -> str:
    """A derived number in words, its addresses by their places in the tables above."""
    places = [numbers[row] for row in number.derived_from if row in numbers]
    name = number.formula.partition("@")[0]
    if name == "share_of_supply":
        return text(language, "compare.share", first=places[0])
    second = places[1] if len(places) > 1 else places[0]
    key = "compare.ratio" if name == "ratio" else "compare.difference"
    return text(language, key, first=places[0], second=second)


def value_of(number: Derived, language: str) -> str:
    """A derived number as exact text: whole tokens where it can be scaled, else as it is."""
    if isinstance(number.value, Unknown):
        if number.value.code == "ratio_undefined":
            return f"\u2715 {text(language, 'cli.ratio_undefined')}"
        return f"\u2715 {number.value.code}"
    return number.amount or number.text or ""


def change_tables(change: Change, language: str, labels: Mapping[str, str]) -> Iterator[TextTable]:
    """One table per asset with both amounts and the exact change."""
    for asset in change.after.assets:
        rows = tuple(
            (
                labels.get(cell.after.address, cell.after.address),
                _amount(cell.before),
                _amount(cell.after),
                "" if cell.change is None else value_of(cell.change, language),
            )
            for cell in change.cells
            if cell.after.asset == asset
        )
        heads = ("compare.address", "compare.when_before", "compare.when_after",
                 "compare.when_change")  # fmt: skip
        yield TextTable(
            asset_title(change.after, asset, language),
            tuple(text(language, head) for head in heads),
            rows,
            _reasons(
                [
                    side
                    for cell in change.cells
                    for side in (cell.before, cell.after)
                    if side.failed and side.asset == asset
                ],
                language,
            ),
        )


def transfer_tables(transfers: TransferList, language: str) -> Iterator[TextTable]:
    """The list newest first, then sent, received and net per token where nothing is missing."""
    rows = tuple(
        (
            str(row.block_number),
            str(row.log_index),
            row.sender,
            row.receiver,
            *_moved(row, language),
            row.token,
            row.standard,
        )
        for row in transfers.rows
    )
    heads: Row = (
        *("cli.block", "cli.log", "cli.from", "cli.to"),
        *("cli.amount", "cli.note", "depth.token", "cli.standard"),
    )
    yield TextTable(
        text(language, "cli.transfers", count=len(rows)),
        tuple(text(language, head) for head in heads),
        rows,
    )
    if isinstance(transfers.net, Unknown) or not transfers.net:
        return
    nets = tuple(
        (net.token, *(value_of(sum_, language) for sum_ in (net.received, net.sent, net.net)))
        for net in transfers.net
    )
    heads = ("depth.token", "cli.received", "cli.sent", "cli.net")
    yield TextTable(text(language, "cli.nets"), tuple(text(language, h) for h in heads), nets)


def _moved(row: Transfer, language: str) -> Row:
    """What one transfer moved, and what to know of it. A token id is never an amount."""
    if row.raw_units is not None:
        return "", text(language, "cli.units", token_id=row.token_id, units=row.raw_units)
    if row.token_id is not None:
        return "", text(language, "cli.token_id", token_id=row.token_id)
    if row.raw_amount is None:
        return "", text(language, "cli.not_decoded")
    if not isinstance(row.decimals, int):
        return str(row.raw_amount), text(language, "state.raw")
    return scale(row.raw_amount, row.decimals), ""


def check_line(check: LogCheck, language: str) -> str:
    """Say how a list holds against its blocks."""
    key = "cli.check_differs" if check.error else "cli.check_holds"
    if check.error is None and check.unchecked:
        key = "cli.check_open"
    return text(
        language,
        key,
        lowest=check.from_block,
        highest=check.to_block,
        ruled_out=check.ruled_out,
        compared=check.compared,
        unchecked=check.unchecked,
        reason=check.error.code if check.error else "",
    )


def completeness(transfers: TransferList, language: str) -> str:
    """Say first how much of the question the list answers."""
    covered = transfers.covered
    if covered is None:
        return text(language, "cli.covered_none", reason=transfers.stopped_because or "")
    lowest, highest = covered
    if transfers.complete:
        return text(language, "cli.complete", lowest=lowest, highest=highest)
    return text(
        language,
        "cli.incomplete",
        lowest=lowest,
        highest=highest,
        reason=transfers.stopped_because or "",
    )
