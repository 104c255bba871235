"""Call data from a function's signature, for tests: independent of the toolkit's own codec."""

from __future__ import annotations

from typing import Any

from eth_abi.abi import encode
from eth_hash.auto import keccak


def calldata(signature: str, *args: Any) -> str:
    """Encode a call as 0x hex. `signature` is such as `transfer(address,uint256)`; no tuples."""
    return "0x" + (keccak(signature.encode())[:4] + constructor(signature, *args)).hex()


def constructor(signature: str, *args: Any) -> bytes:
    """Encode arguments alone, as a constructor takes them. `signature` is such as `(address)`."""
    types = signature[signature.index("(") + 1 : -1]
    return encode(types.split(","), args) if types else b""
