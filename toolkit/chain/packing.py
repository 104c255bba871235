"""Puts reads into as few requests as an endpoint's limits allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from toolkit.chain.aggregate import Aggregate, Form, Mergeable
from toolkit.chain.limits import Limits
from toolkit.chain.reads import (
    CALL_GAS,
    READER_CALLER,
    BalanceRead,
    CallRead,
    CodeRead,
    NonceRead,
    Read,
    StorageRead,
)
from toolkit.chain.transport import RpcCall
from toolkit.models import Pin

WORTH_AGGREGATING: Final = 4
"""Fewer reads than this travel as calls of their own."""

_CALL_OVERHEAD: Final = 400


@dataclass(frozen=True, slots=True)
class Single:
    """A read that travels as a call of its own."""

    read: Read


Item: TypeAlias = Single | Aggregate


def single_call(read: Read, block: Any) -> RpcCall:
    """Write the one JSON-RPC call that repeats a read. `block` is the block parameter."""
    if isinstance(read, BalanceRead):
        return RpcCall("eth_getBalance", (read.address, block))
    if isinstance(read, NonceRead):
        return RpcCall("eth_getTransactionCount", (read.address, block))
    if isinstance(read, CodeRead):
        return RpcCall("eth_getCode", (read.address, block))
    if isinstance(read, StorageRead):
        return RpcCall("eth_getStorageAt", (read.address, f"0x{read.slot:064x}", block))
    call = {
        "from": read.caller,
        "to": read.to,
        "gas": hex(read.gas),
        "data": "0x" + read.data.hex(),
    }
    return RpcCall("eth_call", (call, block))


def hash_block(pin: Pin) -> dict[str, Any]:
    """The EIP-1898 block parameter: this very block, and only while it is canonical."""
    return {"blockHash": pin.hash, "requireCanonical": True}


def item_call(item: Item, block: Any, limits: Limits) -> RpcCall:
    """Write the JSON-RPC call that carries an item."""
    if isinstance(item, Single):
        return single_call(item.read, block)
    return item.form.call(item, block, gas=limits.gas)


def plan(reads: Sequence[Read], limits: Limits, form: Form | None) -> list[Item]:
    """Choose which reads travel together, in this form if in any, and which alone."""
    if form is None or len(reads) < WORTH_AGGREGATING:
        return [Single(read) for read in reads]
    longest = limits.body_bytes // 4
    mergeable: list[Mergeable] = []
    alone: list[Item] = []
    for read in reads:
        if isinstance(read, CallRead):
            # Only a call from the aggregator's own address means the same inside the aggregate.
            usual = read.caller == READER_CALLER and read.gas == CALL_GAS
            if usual and not read.often_refused and len(read.data) < longest and form.takes(read):
                mergeable.append(read)
                continue
        elif isinstance(read, BalanceRead):
            mergeable.append(read)
            continue
        alone.append(Single(read))
    if len(mergeable) < WORTH_AGGREGATING:
        return [Single(read) for read in reads]
    return [*aggregates(mergeable, limits, form), *alone]


def aggregates(reads: Sequence[Mergeable], limits: Limits, form: Form) -> list[Aggregate]:
    """Put reads into aggregates that fit the endpoint's body; hex doubles every byte."""
    return form.aggregates(reads, room=limits.body_bytes // 2, gas=limits.gas)


def pack(items: Sequence[Item], limits: Limits, *, riding: int = 0) -> list[list[Item]]:
    """Put items into requests, by the count and the bytes that the endpoint takes.

    The first request leaves room for calls that ride with it.
    """
    packs: list[list[Item]] = []
    size = 0
    for item in items:
        needed = body_bytes(item)
        room = limits.batch if len(packs) > 1 else max(limits.batch - riding, 1)
        full = packs and (len(packs[-1]) >= room or size + needed > limits.body_bytes)
        if not packs or full:
            packs.append([])
            size = 0
        packs[-1].append(item)
        size += needed
    return packs


def body_bytes(item: Item) -> int:
    """About how much an item adds to a request's body."""
    if isinstance(item, Aggregate):
        return 2 * item.size
    return _CALL_OVERHEAD + 2 * len(getattr(item.read, "data", b""))
