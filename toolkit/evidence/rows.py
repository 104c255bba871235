"""Turns answers and derived numbers into evidence rows: every field of every read, once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolkit.chain.facts import Fact, Failure, NoCode
from toolkit.chain.reads import CallRead, Read, StorageRead
from toolkit.derive import Derived, Ratio
from toolkit.evidence.layout import Field, fields_of
from toolkit.evidence.log_rows import rows_of_page
from toolkit.evidence.row import EvidenceRow
from toolkit.models import Pin, Unknown, scale
from toolkit.tools import Observation, ToolAnswer
from toolkit.tools.row_ids import (
    error_field,
    failed_observation,
    failure_row_id,
    is_unconfirmed,
    observed_row_id,
)
from toolkit.untrusted import UntrustedText

_CELL_BYTES: Final = 16_000
"""Longer bytes stand as their digest: a spreadsheet's cell ends at 32,767 characters."""

_CELL_ROWS: Final = 900
"""More row ids than this stand as the digest of their list, for the same reason."""


def rows_of(
    answers: Iterable[ToolAnswer], derived: Iterable[Derived] = ()
) -> Iterator[EvidenceRow]:
    """Write every observation of every answer, then every derived number, each row once.

    A failed read, and a call that ended before any read, has its row too.
    """
    written: set[str] = set()
    for row in _all_rows(answers, derived):
        if row.row_id not in written:
            written.add(row.row_id)
            yield row


def _all_rows(answers: Iterable[ToolAnswer], derived: Iterable[Derived]) -> Iterator[EvidenceRow]:
    for answer in answers:
        yield from _rows_of_answer(answer)
    for number in derived:
        yield derived_row(number)


def _rows_of_answer(answer: ToolAnswer) -> Iterator[EvidenceRow]:
    """Where the block was never confirmed nothing seen counts: only the failure is evidence."""
    if not is_unconfirmed(answer):
        units = _Units(answer)
        for seen in answer.observations:
            yield from _rows_of_observation(answer, seen, units)
    if answer.error is not None and failed_observation(answer) is None:
        yield EvidenceRow(
            row_id=failure_row_id(answer),
            field=error_field(answer.error.code),
            source="none",
            **_pinned_cells(answer),
        )


def _rows_of_observation(
    answer: ToolAnswer, seen: Observation, units: _Units
) -> Iterator[EvidenceRow]:
    if not isinstance(seen.answer, Fact | Failure):
        yield from rows_of_page(answer, seen.answer, units.of)
        return
    common = _pinned_cells(answer) | _read_cells(seen.answer)
    if isinstance(seen.value, Unknown):
        row_id = observed_row_id(answer, seen, "")
        yield EvidenceRow(row_id=row_id, field=error_field(seen.value.code), **common)
        return
    data: bytes = seen.answer.outcome.data  # type: ignore[union-attr]  # a value came of it
    for field in fields_of(seen.answer.read.function):
        row_id = observed_row_id(answer, seen, field.name)
        decoded = _field_cells(field, data) | units.cells(seen.answer.read, field, data)
        yield EvidenceRow(row_id=row_id, field=field.name, **common, **decoded)


def _pinned_cells(answer: ToolAnswer) -> dict[str, str]:
    """The tool and the pin; where no block was resolved, the chain that was asked for."""
    if answer.pinned is None:
        chain_id = getattr(answer.args, "chain_id", "")
        return {"tool": answer.tool.id, "chain_id": str(chain_id)}
    return {"tool": answer.tool.id, **pin_cells(answer.pinned.pin)}


def pin_cells(pin: Pin) -> dict[str, str]:
    """The columns that name a block."""
    return {
        "chain_id": str(pin.chain_id),
        "block_number": str(pin.number),
        "block_hash": pin.hash,
        "block_timestamp": pin.time,
    }


def _read_cells(answer: Fact | Failure) -> dict[str, str]:
    """What was asked, what came back, and who said so."""
    asked = asked_cells(answer.read)
    if isinstance(answer, Failure):
        return asked | {"source": "none"}
    witness = answer.witness
    said = "" if isinstance(answer.outcome, NoCode) else bytes_cell(answer.outcome.data)
    return asked | {
        "result_hex": said,
        "source": witness.source,
        "endpoint_id": witness.endpoint_id,
        "transport": witness.transport,
        "assurance": witness.assurance,
        "read_at": witness.read_at,
    }


def asked_cells(read: Read) -> dict[str, str]:
    """The columns that tell one read from every other at its block."""
    if isinstance(read, CallRead):
        return {
            "function": read.function,
            "contract": read.to,
            "calldata": bytes_cell(read.data),
            "caller": read.caller,
        }
    asked = {"function": read.function, "contract": read.address}
    if isinstance(read, StorageRead):
        asked["calldata"] = hex_cell(read.slot)
    return asked


def _field_cells(field: Field, data: bytes) -> dict[str, str]:
    """One field as hex and, by its kind, as an integer or as untrusted text."""
    cells = {"raw_hex": bytes_cell(field.bytes_of(data))}
    number, text = field.int_of(data), field.text_of(data)
    if number is not None:
        cells |= {"sign": "plus", "raw_amount": str(number)}
    if text is not None:
        cells["untrusted_text_json"] = _text_cell(text)
    return cells


def bytes_cell(data: bytes) -> str:
    """Write bytes as hex, or as their digest where a cell could not hold them."""
    if len(data) > _CELL_BYTES:
        return "sha256:" + hashlib.sha256(data).hexdigest()
    return "0x" + data.hex()


def _text_cell(text: UntrustedText) -> str:
    """Write the whole text as a JSON literal; a giant one as its bounded view, which says so."""
    whole = text.for_csv()
    return whole if len(whole) <= 2 * _CELL_BYTES else json.dumps(text.for_page())


class _Units:
    """The decimals that one answer learned, by token, for the amounts in the same answer."""

    def __init__(self, answer: ToolAnswer) -> None:
        self._answer = answer
        self._by_token: dict[str, tuple[int, str]] = {}
        self._reserve_tokens: dict[str, str] = {}
        for seen in answer.observations:
            if isinstance(seen.value, Unknown) or not isinstance(seen.answer, Fact):
                continue
            read = seen.answer.read
            if read.function == "decimals()" and isinstance(read, CallRead):
                row_id = observed_row_id(answer, seen, "decimals")
                self._by_token[read.to] = (seen.value, row_id)
            elif read.function in {"token0()", "token1()"}:
                self._reserve_tokens["raw_reserve" + read.function[5]] = seen.value

    def of(self, token: str) -> tuple[int, str] | None:
        """A token's decimals and the row that proves them."""
        return self._by_token.get(token)

    def cells(self, read: Read, field: Field, data: bytes) -> dict[str, str]:
        """The scaled amount of a field that counts a token or the coin, where it can be scaled."""
        unit = self._unit_of(read, field)
        number = field.int_of(data)
        return {} if unit is None or number is None else amount_cells(number, *unit)

    def _unit_of(self, read: Read, field: Field) -> tuple[int, str] | None:
        if field.name.startswith("raw_reserve"):
            return self.of(self._reserve_tokens.get(field.name, ""))
        if read.function == "eth_getBalance":
            decimals: Any = getattr(self._answer.data, "decimals", None)
            return (decimals, "") if isinstance(decimals, int) else None
        if field.name in {"raw_amount", "raw_total_supply"} and isinstance(read, CallRead):
            return self.of(read.to)
        return None


def amount_cells(number: int, decimals: int, decimals_row_id: str) -> dict[str, str]:
    """A raw integer scaled, with the row that its decimals come from."""
    return {
        "decimals": str(decimals),
        "decimals_row_id": decimals_row_id,
        "amount": scale(abs(number), decimals),
    }


def derived_row(number: Derived) -> EvidenceRow:
    """Write a derived number: an integer with its sign, or a quotient's decimal text."""
    value, cells = number.value, dict[str, str]()
    if isinstance(value, int):
        sign = "minus" if value < 0 else "plus"
        cells = {"sign": sign, "raw_amount": str(abs(value)), "raw_hex": hex_cell(abs(value))}
        if number.decimals is not None:
            cells |= amount_cells(value, number.decimals, number.decimals_row_id or "")
    elif isinstance(value, Ratio):
        sign = "minus" if value.numerator < 0 else "plus"
        cells = {"sign": sign, "amount": value.text.lstrip("-")}
    return EvidenceRow(
        row_id=number.row_id,
        field=error_field(value.code) if isinstance(value, Unknown) else "value",
        contract=number.contract or "",
        source="derived",
        derived_from=_row_list(number.derived_from),
        formula=number.formula,
        **pin_cells(number.pin),
        **cells,
    )


def hex_cell(number: int) -> str:
    """An integer as 0x and 64 hex digits; a product that needs more bytes has more."""
    digits = f"{number:064x}"
    return "0x" + digits.rjust(len(digits) + len(digits) % 2, "0")


def _row_list(rows: tuple[str, ...]) -> str:
    joined = " ".join(rows)
    if len(rows) <= _CELL_ROWS:
        return joined
    return "sha256:" + hashlib.sha256(joined.encode("ascii")).hexdigest()
