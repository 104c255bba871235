"""The words everything else is written in: chain ids, addresses, hashes, raw integers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
)

from toolkit.models.keccak import keccak

UINT256_MAX: Final = 2**256 - 1

_HEX_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")
_HEX_HASH = re.compile(r"0[xX][0-9a-fA-F]{64}")
_CASE_BIT_OF_HIGH = bytes(0x20 if chr(code) in "89abcdef" else 0 for code in range(256))
_CANONICAL_INT = re.compile(r"0|[1-9][0-9]{0,77}")
_TICKER = re.compile(r"[A-Za-z$][A-Za-z0-9$]{0,14}")
_MANY_DIGITS = re.compile(r"[1-9][0-9]*")
_TOO_LARGE: Final = "A raw amount of this size does not fit into 256 bits. Write at most 2^256-1."


class Frozen(BaseModel):
    """A value: cannot change, holds no name that its class does not declare."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@lru_cache(maxsize=200_000)
def checksummed(address_hex: str) -> str:
    """Write 40 hex digits (with 0x, any case) with the EIP-55 checksum.

    Source: EIP-55. Not: a check that anything stands at the address.
    """
    return "0x" + _checksum(address_hex[2:].lower())


def _checksum(lower: str) -> str:
    """Give forty lower-case hex digits their capitals."""
    digits = lower.encode("ascii")
    high = keccak(digits)[:20].hex().encode("ascii").translate(_CASE_BIT_OF_HIGH)
    # One bit (0x20) tells a capital, and the one above it a letter from a digit: all forty
    # are turned at once, as one number.
    number = int.from_bytes(digits)
    return (number ^ (int.from_bytes(high) & (number >> 1))).to_bytes(40).decode("ascii")


@lru_cache(maxsize=200_000)
def parse_address(text: str, noun: str = "address") -> str:
    """Accept an address in one case or with a right checksum, and return it checksummed.

    `noun` says in a refusal whose address was wanted: token, holder, pool.
    Source: EIP-55. Errors: ValueError, with the right form where only the checksum is wrong.
    Not: name resolution; an ENS name or a ticker is refused.
    """
    stripped = text.strip()
    if not _HEX_ADDRESS.fullmatch(stripped):
        raise ValueError(_address_remedy(stripped, noun))
    digits = stripped[2:]
    lower = digits.lower()
    right = _checksum(lower)
    if digits not in (lower, right) and digits != digits.upper():
        raise ValueError(
            f"{stripped} has a wrong EIP-55 checksum: a digit may be mistyped. "
            f"If the digits are right, write it as 0x{right}."
        )
    return "0x" + right


def _address_remedy(text: str, noun: str) -> str:
    """Say why this is not an address, and what to write."""
    shown = repr(text[:60])
    if noun == "token" and _TICKER.fullmatch(text):
        return (
            f"{shown} looks like a ticker. Many tokens share one symbol: "
            "write the token contract's 0x address."
        )
    wanted = _WANTED.get(noun, "the 0x address that the name stands for")
    if "." in text:
        return (
            f"{shown} is a name, not an address, and names are not resolved by guess. "
            f"Write {wanted}."
        )
    if _TICKER.fullmatch(text):
        return (
            f"{shown} is a name or a ticker, not an address, and neither is resolved by guess. "
            f"Write {wanted}."
        )
    return f"{shown} is not an address. Write 0x and 40 hex digits."


_WANTED: Final = {
    "holder": "the holder's 0x address",
    "pool": "the pool contract's 0x address",
    "token": "the token contract's 0x address",
}


def _address_of_field(text: str, field: ValidationInfo) -> str:
    """Check an address, and speak of the field that it was written in where it is none."""
    try:
        return parse_address(text)
    except ValueError:
        return parse_address(text, field.field_name or "address")


def parse_hash(text: str) -> str:
    """Accept 0x and 64 hex digits, and return them in lower case."""
    if not _HEX_HASH.fullmatch(text):
        raise ValueError(f"{text[:80]!r} is not a 32-byte hash. Write 0x and 64 hex digits.")
    return "0x" + text[2:].lower()


def parse_raw_int(value: Any) -> int:
    """Accept an int, or its canonical decimal text, within 256 bits."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("A raw amount is an integer or its decimal text; no float, no boolean.")
    # Ahead of int(), which takes long for a text of a million digits.
    if isinstance(value, str) and len(value) > 78 and _MANY_DIGITS.fullmatch(value):
        raise ValueError(_TOO_LARGE)
    if isinstance(value, str) and not _CANONICAL_INT.fullmatch(value):
        raise ValueError(
            f"{value[:90]!r} is not a canonical integer. Write digits only: "
            "no sign, point, exponent, separator or leading zero."
        )
    number = int(value)
    if number > UINT256_MAX:
        raise ValueError(_TOO_LARGE)
    if number < 0:
        raise ValueError("A raw amount lies between 0 and 2^256-1.")
    return number


def _parse_chain_id(value: Any) -> Any:
    """Let a decimal text stand for a chain id; nothing else is bent into one."""
    if isinstance(value, bool):
        raise ValueError("A chain id is an integer such as 1.")
    if isinstance(value, str):
        if not re.fullmatch(r"[1-9][0-9]{0,18}", value):
            raise ValueError(f"{value[:40]!r} is not a chain id. Write its decimal number.")
        return int(value)
    return value


ChainId = Annotated[
    int,
    Field(ge=1, le=2**63 - 1, strict=True),
    BeforeValidator(_parse_chain_id),
]
"""An EIP-155 chain id. There is no default chain."""

Address = Annotated[
    str,
    Field(strict=True),
    AfterValidator(_address_of_field),
    WithJsonSchema({"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"}),
]
"""An EIP-55 checksummed address."""

Hash32 = Annotated[
    str,
    Field(strict=True),
    AfterValidator(parse_hash),
    WithJsonSchema({"type": "string", "pattern": "^0x[0-9a-f]{64}$"}),
]
"""A 32-byte hash in lower-case hex."""

RawInt = Annotated[
    int,
    BeforeValidator(parse_raw_int),
    PlainSerializer(str, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "pattern": "^(0|[1-9][0-9]{0,77})$"}),
]
"""An unsigned 256-bit integer: a Python int inside, canonical decimal text in JSON."""

Decimals = Annotated[int, Field(ge=0, le=255, strict=True)]
"""How many decimal places a token declares. Never assumed."""
