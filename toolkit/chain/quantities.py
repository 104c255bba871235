"""Strict reading of the hex that JSON-RPC carries: nothing is bent into a number."""

from __future__ import annotations

import re
from typing import Any, Final

from toolkit.errors import EndpointMisbehavedError
from toolkit.models import checksummed

_QUANTITY: Final = re.compile(r"0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})")


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
    data = _unhexed(value)
    if data is None:
        raise _malformed(field, "0x and an even count of hex digits")
    if size is not None and len(data) != size:
        raise _malformed(field, f"{size} bytes long")
    return data


def _unhexed(value: Any) -> bytes | None:
    """Turn 0x and pairs of hex digits into bytes; None where it is anything else."""
    if not isinstance(value, str) or not value.startswith("0x"):
        return None
    try:
        data = bytes.fromhex(value[2:])
    except ValueError:
        return None
    # fromhex skips spaces between pairs; then there are fewer bytes than pairs of characters.
    return data if 2 + 2 * len(data) == len(value) else None


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
