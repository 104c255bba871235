"""Evidence: what leaves the house, so that a stranger can check every number."""

from toolkit.evidence.calls import repeat_call, repeat_line
from toolkit.evidence.csv_file import (
    csv_lines,
    evidence_bytes,
    read_evidence,
    write_evidence,
    write_table,
)
from toolkit.evidence.layout import LAYOUT, Field, fields_of
from toolkit.evidence.row import ALPHABETS, COLUMNS, EvidenceRow
from toolkit.evidence.rows import asked_cells, rows_of

__all__ = [
    "ALPHABETS",
    "COLUMNS",
    "LAYOUT",
    "EvidenceRow",
    "Field",
    "asked_cells",
    "csv_lines",
    "evidence_bytes",
    "fields_of",
    "read_evidence",
    "repeat_call",
    "repeat_line",
    "rows_of",
    "write_evidence",
    "write_table",
]
