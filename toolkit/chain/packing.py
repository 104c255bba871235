"""Puts reads into as few requests as an endpoint's limits allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from toolkit.chain.limits import Limits
from toolkit.chain.multicall import AGGREGATE_GAS, MULTICALL3, call_size, encode_aggregate
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
_AGGREGATE_OVERHEAD: Final = 1_024


@dataclass(frozen=True, slots=True)
class Single:
    """A read that travels as a call of its own."""

    read: Read


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Reads that travel inside one aggregate3 call. Unit: `size` in bytes of its calldata."""

    reads: tuple[CallRead | BalanceRead, ...]
    size: int

    @staticmethod
    def of(reads: tuple[CallRead | BalanceRead, ...]) -> Aggregate:
        """Put reads together and measure them."""
        return Aggregate(reads, sum(call_size(read) for read in reads))


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


def item_call(item: Item, block: Any) -> RpcCall:
    """Write the JSON-RPC call that carries an item."""
    if isinstance(item, Single):
        return single_call(item.read, block)
    call = {
        "from": READER_CALLER,
        "to": MULTICALL3,
        "gas": hex(AGGREGATE_GAS),
        "data": "0x" + encode_aggregate(item.reads).hex(),
    }
    return RpcCall("eth_call", (call, block))


def plan(reads: Sequence[Read], limits: Limits, *, aggregator: bool) -> list[Item]:
    """Choose which reads travel together and which alone."""
    longest = limits.body_bytes // 4
    mergeable: list[CallRead | BalanceRead] = []
    alone: list[Item] = []
    for read in reads:
        if isinstance(read, CallRead):
            # Only a call from the aggregator's own address means the same inside the aggregate.
            usual = read.caller == READER_CALLER and read.gas == CALL_GAS
            if usual and len(read.data) < longest:
                mergeable.append(read)
                continue
        elif isinstance(read, BalanceRead):
            mergeable.append(read)
            continue
        alone.append(Single(read))
    if not aggregator or len(mergeable) < WORTH_AGGREGATING:
        return [Single(read) for read in reads]
    return [*_aggregates(_by_function(mergeable), limits), *alone]


def _by_function(reads: Sequence[CallRead | BalanceRead]) -> list[CallRead | BalanceRead]:
    """Put like calls beside each other, in the order in which they were first asked.

    What a contract may not have (slot0 of a pair) then stands behind what it has, so that a
    failure starves nothing that would have to be asked again.
    """
    groups: dict[bytes, list[CallRead | BalanceRead]] = {}
    for read in reads:
        function = read.data[:4] if isinstance(read, CallRead) else b""
        groups.setdefault(function, []).append(read)
    return [read for group in groups.values() for read in group]


def _aggregates(reads: Sequence[CallRead | BalanceRead], limits: Limits) -> list[Item]:
    """Cut reads into aggregates that fit the body limit; hex doubles every byte."""
    room = limits.body_bytes // 2 - _AGGREGATE_OVERHEAD
    items: list[Item] = []
    chunk: list[CallRead | BalanceRead] = []
    size = 0
    for read in reads:
        needed = call_size(read)
        if chunk and size + needed > room:
            items.append(Aggregate(tuple(chunk), size))
            chunk, size = [], 0
        chunk.append(read)
        size += needed
    items.append(Aggregate(tuple(chunk), size))
    return items


def pack(items: Sequence[Item], limits: Limits, *, riding: int = 0) -> list[list[Item]]:
    """Put items into requests, by the count and the bytes that the endpoint takes.

    The first request leaves room for calls that ride with it.
    """
    packs: list[list[Item]] = []
    size = 0
    for item in items:
        needed = _body_bytes(item)
        room = limits.batch if len(packs) > 1 else max(limits.batch - riding, 1)
        full = packs and (len(packs[-1]) >= room or size + needed > limits.body_bytes)
        if not packs or full:
            packs.append([])
            size = 0
        packs[-1].append(item)
        size += needed
    return packs


def _body_bytes(item: Item) -> int:
    """About how much an item adds to a request's body."""
    if isinstance(item, Aggregate):
        return 2 * item.size
    return _CALL_OVERHEAD + 2 * len(getattr(item.read, "data", b""))
