"""One line of evidence.csv: its columns, the closed alphabet of each, and its digest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from toolkit.errors import InvalidArgumentError


class EvidenceRow(NamedTuple):
    """One number, or the reason why there is none, with all that proves it.

    Shape: text in every column; an empty text means that the column does not apply. A failed
    read keeps its row: `field` is `error:<code>` and no amount is there. `sign` belongs to
    raw_amount or amount. `calldata` is a call's input, a storage read's slot, or a log's topics;
    `caller` is the `from` that a call was made with, which a contract may answer by. Bytes too
    long for a spreadsheet's cell stand as their sha256.
    """

    row_id: str
    field: str
    tool: str = ""
    chain_id: str = ""
    block_number: str = ""
    block_hash: str = ""
    block_timestamp: str = ""
    contract: str = ""
    function: str = ""
    calldata: str = ""
    caller: str = ""
    result_hex: str = ""
    raw_hex: str = ""
    sign: str = ""
    raw_amount: str = ""
    decimals: str = ""
    decimals_row_id: str = ""
    amount: str = ""
    source: str = ""
    endpoint_id: str = ""
    transport: str = ""
    assurance: str = ""
    untrusted_text_json: str = ""
    derived_from: str = ""
    formula: str = ""
    read_at: str = ""

    @property
    def digest(self) -> str:
        """`sha256:` and hex over the row's canonical JSON, its digest left out."""
        canonical = json.dumps(self._asdict(), sort_keys=True, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def cells(self) -> tuple[str, ...]:
        """The row's cells in the order of COLUMNS.

        Errors: InvalidArgumentError where a cell breaks its column's alphabet.
        """
        cells = (*(getattr(self, column) for column in COLUMNS[:-1]), self.digest)
        column = foreign_column(cells)
        if column is not None:
            cell = cells[COLUMNS.index(column)]
            raise InvalidArgumentError(
                f"{cell[:60]!a} cannot stand in the column {column} of an evidence file.",
                remedy=_remedy(column),
            )
        return cells


COLUMNS: Final = (
    "row_id",
    "tool",
    "chain_id",
    "block_number",
    "block_hash",
    "block_timestamp",
    "contract",
    "function",
    "calldata",
    "caller",
    "result_hex",
    "field",
    "raw_hex",
    "sign",
    "raw_amount",
    "decimals",
    "decimals_row_id",
    "amount",
    "source",
    "endpoint_id",
    "transport",
    "assurance",
    "untrusted_text_json",
    "derived_from",
    "formula",
    "read_at",
    "row_digest",
)
"""The header of evidence.csv."""

_INTEGER: Final = r"(0|[1-9][0-9]*)?"
_HASH: Final = r"(0x[0-9a-f]{64})?"
_ADDRESS: Final = r"(0x[0-9a-fA-F]{40})?"
_TIME: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z)?"
_BYTES: Final = r"(0x([0-9a-f]{2})*|sha256:[0-9a-f]{64})?"
_ROW: Final = r"r[0-9a-f]{32}"

ALPHABETS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "row_id": _ROW,
        "tool": r"([a-z][a-z0-9_]*@[0-9]+\.[0-9]+\.[0-9]+)?",
        "chain_id": _INTEGER,
        "block_number": _INTEGER,
        "block_hash": _HASH,
        "block_timestamp": _TIME,
        "contract": _ADDRESS,
        "function": r"([A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_,()\[\]]*\))?)?",
        "calldata": _BYTES,
        "caller": _ADDRESS,
        "result_hex": _BYTES,
        "field": r"[a-z][a-z0-9_]*([.:][a-z][a-z0-9_]*)*",
        "raw_hex": _BYTES,
        "sign": r"(plus|minus)?",
        "raw_amount": _INTEGER,
        "decimals": _INTEGER,
        "decimals_row_id": rf"({_ROW})?",
        "amount": r"((0|[1-9][0-9]*)(\.[0-9]+)?)?",
        "source": r"(rpc|recording|derived|none)",
        "endpoint_id": r"([A-Za-z][A-Za-z0-9._-]*)?",
        "transport": r"([a-z][a-z0-9_]*)?",
        "assurance": r"(single|quorum|proven)?",
        "untrusted_text_json": r'("[ !#-\[\]-~\\"]*")?',
        "derived_from": rf"({_ROW}( {_ROW})*|sha256:[0-9a-f]{{64}})?",
        "formula": r"([a-z][a-z0-9_]*@[0-9]+(\([a-z0-9_=.;]*\))?)?",
        "read_at": _TIME,
        "row_digest": r"sha256:[0-9a-f]{64}",
    }
)
"""What each column's cells are made of. None can start a spreadsheet formula."""

_PATTERNS: Final = tuple(re.compile(ALPHABETS[column]) for column in COLUMNS)


def foreign_column(cells: Sequence[str]) -> str | None:
    """Name the first column whose cell breaks its alphabet. Shape: one cell for each column."""
    for column, pattern, cell in zip(COLUMNS, _PATTERNS, cells, strict=True):
        if not pattern.fullmatch(cell):
            return column
    return None


def _remedy(column: str) -> str:
    """Tell the way out where it is the analyst's own word that does not fit."""
    if column == "endpoint_id":
        return "Name the endpoint with a letter first, then letters, digits, dots and dashes."
    return "Nothing was written. This is a fault of the toolkit; please report it."
