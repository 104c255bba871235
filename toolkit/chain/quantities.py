"""Strict reading of the hex that JSON-RPC carries: nothing is bent into a number."""

from __future__ import annotations

import re
from typing import Any, Final

from toolkit.errors import EndpointMisbehavedError
from toolkit.models import checksummed

_QUANTITY: Final = re.compile(r"0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})")
_DATA: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*")


def parse_quantity(value: Any, bits: int = 256, *, field: str = "quantity") -> int:
    """Read an unsigned integer of at most `bits` bits: 0x, no leading zero, no sign.

    Source: execution-apis, "quantity". Errors: EndpointMisbehavedError naming the field.
    Not: JSON numbers, decimal text, "0x", "0x01", negative numbers.
    """
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        raise _malformed(field, "a hex quantity without leading zeros")
    number = int(value, 16)
    if number >> bits:
        raise _malformed(field, f"a number of at most {bits} bits")
    return number


def parse_bytes(value: Any, size: int | None = None, *, field: str = "data") -> bytes:
    """Read 0x and an even count of hex digits; `size` fixes the number of bytes.

    Errors: EndpointMisbehavedError naming the field.
    """
    if not isinstance(value, str) or not _DATA.fullmatch(value):
        raise _malformed(field, "0x and an even count of hex digits")
    if size is not None and len(value) != 2 + 2 * size:
        raise _malformed(field, f"{size} bytes long")
    return bytes.fromhex(value[2:])


def parse_hash32(value: Any, *, field: str = "hash") -> str:
    """Read a 32-byte hash, and return it as 0x and lower-case hex."""
    return "0x" + parse_bytes(value, 32, field=field).hex()


def parse_address_hex(value: Any, *, field: str = "address") -> str:
    """Read a 20-byte address in any case, and return it checksummed."""
    return checksummed("0x" + parse_bytes(value, 20, field=field).hex())


def _malformed(field: str, wanted: str) -> EndpointMisbehavedError:
    """Say which field is wrong; the endpoint's own text is not repeated."""
    return EndpointMisbehavedError(
        f"The endpoint's answer is malformed: its {field} is not {wanted}.",
        remedy="Ask another endpoint.",
    )
