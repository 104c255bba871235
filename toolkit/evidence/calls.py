"""The single call that repeats a read, whatever aggregate carried it."""

from __future__ import annotations

import shlex
from typing import Any

from toolkit.chain.packing import hash_block, single_call
from toolkit.chain.reads import Read
from toolkit.models import Pin
from toolkit.tools import ToolAnswer


def repeat_call(read: Read, pin: Pin) -> tuple[str, list[Any]]:
    """Write a read as one JSON-RPC method and its parameters, at the pin's block hash.

    Source: EIP-1898. The caller and the gas limit are part of a call, so both are stated.
    """
    call = single_call(read, hash_block(pin))
    return call.method, list(call.params)


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
