"""The ABI shapes of ERC-20 tokens and constant-product pairs: fixed words, read by hand.

Answers are decoded strictly: a wrong length, a dirty upper half or an absurd number is an
error with a name, never a best effort. Source: the Solidity ABI specification, EIP-20.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from toolkit.chain.reads import BalanceRead, CallRead, CodeRead, StorageRead
from toolkit.errors import AbnormalAnswerError, DecodeFailedError
from toolkit.models import Unknown, checksummed, keccak
from toolkit.tools.asks import Ask
from toolkit.untrusted import UntrustedText

MAX_TEXT_BYTES: Final = 1_048_576 + 1_024
"""A name longer than this is refused as abnormal; anything shorter is kept whole."""

EIP1967_IMPLEMENTATION: Final = int.from_bytes(
    bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"), "big"
)

TRANSFER_TOPIC: Final = keccak(b"Transfer(address,address,uint256)")


def selector(signature: str) -> bytes:
    """The first four bytes of the signature's keccak."""
    return keccak(signature.encode("ascii"))[:4]


_BALANCE_OF: Final = selector("balanceOf(address)")
_DECIMALS: Final = selector("decimals()")
_NAME: Final = selector("name()")
_SYMBOL: Final = selector("symbol()")
_TOTAL_SUPPLY: Final = selector("totalSupply()")


def address_word(address: str) -> bytes:
    """An address as a left-padded 32-byte word."""
    return bytes(12) + bytes.fromhex(address[2:])


def decode_uint(data: bytes) -> int:
    """Read one 256-bit unsigned integer: the first word, where at least one was returned."""
    if len(data) < 32:
        raise DecodeFailedError(
            f"The contract returned {len(data)} bytes where a 32-byte integer belongs.",
            remedy="Check that the address is the contract you mean.",
        )
    return int.from_bytes(data[:32], "big")


def decode_decimals(data: bytes) -> int:
    """Read a token's decimals from any uint width; above 255 is absurd."""
    decimals = decode_uint(data)
    if decimals > 255:
        raise AbnormalAnswerError(
            f"The token declares {decimals if decimals < 10**12 else 'over 10^12'} decimals; "
            "EIP-20 allows at most 255.",
            remedy="Use the raw amount only.",
        )
    return decimals


def decode_address(data: bytes) -> str:
    """Read one address; the twelve bytes before it must be zero."""
    if len(data) < 32 or any(data[:12]):
        raise DecodeFailedError(
            "The contract did not return an address.",
            remedy="Check that the address is the contract you mean.",
        )
    return checksummed("0x" + data[12:32].hex())


def decode_text(data: bytes) -> UntrustedText:
    """Read a name or symbol: an ABI string, else a bytes32, as EIP-20 tokens give either."""
    if len(data) == 32:
        return UntrustedText.from_bytes32(data)
    if len(data) < 64:
        raise DecodeFailedError(f"The contract returned {len(data)} bytes where text belongs.")
    offset = int.from_bytes(data[:32], "big")
    if offset + 32 > len(data):
        raise DecodeFailedError("The text's offset points outside the answer.")
    length = int.from_bytes(data[offset : offset + 32], "big")
    if length > MAX_TEXT_BYTES:
        raise AbnormalAnswerError("The text claims to be longer than a megabyte.")
    if offset + 32 + length > len(data):
        raise DecodeFailedError("The text is shorter than it claims to be.")
    return UntrustedText.from_string(data[offset + 32 : offset + 32 + length])


def native_balance_of(address: str, field: str = "raw_amount") -> Ask[int]:
    """Ask for a native balance. Unit: wei."""
    return Ask(BalanceRead(address), decode_uint, field)


def code_of(address: str, field: str = "code") -> Ask[bytes]:
    """Ask for the code at an address; empty bytes mean there is none."""
    return Ask(CodeRead(address), bytes, field)


def balance_of(token: str, holder: str, field: str = "raw_amount") -> Ask[int]:
    """Ask for an ERC-20 balance. Unit: the token's smallest unit."""
    data = _BALANCE_OF + address_word(holder)
    return Ask(CallRead(token, data, function="balanceOf(address)"), decode_uint, field)


@lru_cache(maxsize=4_096)
def decimals_of(token: str, field: str = "decimals") -> Ask[int]:
    """Ask for a token's decimals."""
    return Ask(CallRead(token, _DECIMALS, function="decimals()"), decode_decimals, field)


@lru_cache(maxsize=4_096)
def decimals_if_told(token: str) -> Ask[int | Unknown]:
    """Ask for a token's decimals, which EIP-20 leaves optional."""
    return decimals_of(token).optional()


def name_of(token: str, field: str = "name") -> Ask[UntrustedText]:
    """Ask for a token's name, which is untrusted text."""
    return Ask(CallRead(token, _NAME, function="name()"), decode_text, field)


def symbol_of(token: str, field: str = "symbol") -> Ask[UntrustedText]:
    """Ask for a token's symbol, which is untrusted text and no identity."""
    return Ask(CallRead(token, _SYMBOL, function="symbol()"), decode_text, field)


def total_supply_of(token: str, field: str = "raw_total_supply") -> Ask[int]:
    """Ask for a token's total supply. Unit: the token's smallest unit. Not: circulating supply."""
    return Ask(CallRead(token, _TOTAL_SUPPLY, function="totalSupply()"), decode_uint, field)


def implementation_of(proxy: str, field: str = "implementation") -> Ask[str | None]:
    """Ask for the EIP-1967 implementation; None where the slot is empty."""
    return Ask(StorageRead(proxy, EIP1967_IMPLEMENTATION), _decode_slot_address, field)


def _decode_slot_address(word: bytes) -> str | None:
    """An empty slot is no proxy of this kind."""
    return None if not any(word) else decode_address(word)
