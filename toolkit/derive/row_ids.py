"""The names of evidence rows, so that a number anywhere points to the row that proves it.

Shape: `r` and 32 lower-case hex digits. The letter in front keeps a spreadsheet from taking
a digest of digits and one `e` for a number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.models import Pin


def read_row_id(read_id: bytes, field: str) -> str:
    """Name the row of one decoded field of one read (or log)."""
    return _row_id(b"read\0" + read_id + b"\0" + field.encode("ascii"))


def derived_row_id(
    formula: str, derived_from: Sequence[str], pin: Pin, contract: str | None = None
) -> str:
    """Name the row of a formula, with its parameters, over the rows it comes from.

    The token and the block count too: they alone tell one sum of nothing from another.
    """
    stands_for = (formula, str(pin.chain_id), pin.hash, contract or "", *derived_from)
    return _row_id(b"derived\0" + "\0".join(stands_for).encode("ascii"))


def call_row_id(tool_id: str, arguments: Mapping[str, Any], field: str) -> str:
    """Name the row of a call that ended without a read to point to."""
    given = json.dumps(dict(arguments), sort_keys=True, default=str)
    return _row_id(b"call\0" + "\0".join((tool_id, given, field)).encode("ascii"))


def _row_id(content: bytes) -> str:
    return "r" + hashlib.sha256(content).hexdigest()[:32]
