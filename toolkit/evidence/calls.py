"""The single call that repeats a read, whatever aggregate carried it."""

from __future__ import annotations

import shlex
from typing import Any

from toolkit.chain.reads import BalanceRead, CallRead, CodeRead, NonceRead, Read
from toolkit.models import Pin
from toolkit.tools import ToolAnswer


def repeat_call(read: Read, pin: Pin) -> tuple[str, list[Any]]:
    """Write a read as one JSON-RPC method and its parameters, at the pin's block hash.

    Source: EIP-1898. The caller and the gas limit are part of a call, so both are stated.
    """
    block = {"blockHash": pin.hash, "requireCanonical": True}
    if isinstance(read, CallRead):
        call = {
            "from": read.caller,
            "to": read.to,
            "gas": hex(read.gas),
            "data": "0x" + read.data.hex(),
        }
        return "eth_call", [call, block]
    if isinstance(read, BalanceRead | NonceRead | CodeRead):
        return read.function, [read.address, block]
    return read.function, [read.address, f"0x{read.slot:064x}", block]


def repeat_line(answer: ToolAnswer) -> str:
    """Write one line for a shell that asks the same again, at the block that was pinned.

    Shape: `toolkit call TOOL --chain-id ... --block 0x...`. Not: a URL, a key.
    """
    arguments = dict(answer.arguments)
    if answer.pinned is not None:
        arguments[answer.tool.block_field] = answer.pinned.pin.hash
    options = (
        f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in arguments.items()
    )
    return " ".join(("toolkit call", answer.tool.name, *options))
