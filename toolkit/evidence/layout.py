"""Which bytes of an answer are which field: the way back from result_hex to every number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from toolkit.tools.abi import decode_text
from toolkit.untrusted import UntrustedText

Kind: TypeAlias = Literal["uint", "address", "text", "bytes"]


@dataclass(frozen=True, slots=True)
class Field:
    """One value inside an answer. `word` counts 32-byte words from the start."""

    name: str
    kind: Kind
    word: int = 0

    def bytes_of(self, data: bytes) -> bytes:
        """Cut this field's bytes out of an answer: 32 for a uint, 20 for an address."""
        if self.kind == "bytes":
            return data
        if self.kind == "text":
            return decode_text(data).raw
        word = data[self.word * 32 : self.word * 32 + 32]
        return word[12:] if self.kind == "address" else word

    def int_of(self, data: bytes) -> int | None:
        """Read the field as an unsigned integer, where it is one."""
        return int.from_bytes(self.bytes_of(data), "big") if self.kind == "uint" else None

    def text_of(self, data: bytes) -> UntrustedText | None:
        """Read the field as untrusted text, where it is text."""
        return decode_text(data) if self.kind == "text" else None


LAYOUT: Final[Mapping[str, tuple[Field, ...]]] = MappingProxyType(
    {
        "eth_getBalance": (Field("raw_amount", "uint"),),
        "eth_getTransactionCount": (Field("nonce", "uint"),),
        "eth_getCode": (Field("code", "bytes"),),
        "eth_getStorageAt": (Field("storage_word", "bytes"),),
        "balanceOf(address)": (Field("raw_amount", "uint"),),
        "totalSupply()": (Field("raw_total_supply", "uint"),),
        "decimals()": (Field("decimals", "uint"),),
        "name()": (Field("name", "text"),),
        "symbol()": (Field("symbol", "text"),),
        "getReserves()": (
            Field("raw_reserve0", "uint", 0),
            Field("raw_reserve1", "uint", 1),
            Field("timestamp_last", "uint", 2),
        ),
        "token0()": (Field("token0", "address"),),
        "token1()": (Field("token1", "address"),),
        "factory()": (Field("factory", "address"),),
        "fee()": (Field("fee", "uint"),),
        "stable()": (Field("stable", "uint"),),
    }
)
"""The fields of each function's answer. A function that is not here has one: its bytes."""

WHOLE: Final = (Field("result", "bytes"),)


def fields_of(function: str) -> tuple[Field, ...]:
    """The fields in a function's answer."""
    return LAYOUT.get(function, WHOLE)
