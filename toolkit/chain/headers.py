"""Block headers as an endpoint tells them, read strictly into pins."""

from __future__ import annotations

from typing import Any

from toolkit.chain.quantities import parse_hash32, parse_quantity
from toolkit.chain.transport import RpcCall
from toolkit.errors import EndpointMisbehavedError
from toolkit.models import BlockHash, BlockHeight, BlockTag, Pin, iso_time


def header_call(block: BlockHeight | BlockHash | BlockTag) -> RpcCall:
    """Ask for one header, without its transactions. Source: eth_getBlockBy{Number,Hash}."""
    if isinstance(block, BlockHash):
        return RpcCall("eth_getBlockByHash", (block.hash, False))
    name = block.tag if isinstance(block, BlockTag) else hex(block.number)
    return RpcCall("eth_getBlockByNumber", (name, False))


def parse_header(chain_id: int, header: Any, lineage: str | None) -> Pin:
    """Read a header into a pin.

    Errors: EndpointMisbehavedError for a missing field, a bad quantity or an impossible time.
    """
    if not isinstance(header, dict):
        raise EndpointMisbehavedError("The endpoint's block header is not an object.")
    missing = [
        name
        for name in ("number", "hash", "parentHash", "timestamp", "stateRoot")
        if not isinstance(header.get(name), str)
    ]
    if missing:
        raise EndpointMisbehavedError(f"The block header lacks {', '.join(missing)}.")
    timestamp = parse_quantity(header["timestamp"], bits=64)
    try:
        iso_time(timestamp)
    except ValueError:
        raise EndpointMisbehavedError(
            "The block's timestamp is not in seconds.",
            remedy="This chain's endpoint counts time in another unit; it cannot be pinned.",
        ) from None
    return Pin(
        chain_id=chain_id,
        number=parse_quantity(header["number"], bits=63),
        hash=parse_hash32(header["hash"]),
        parent_hash=parse_hash32(header["parentHash"]),
        timestamp=timestamp,
        state_root=parse_hash32(header["stateRoot"]),
        lineage=lineage,
    )
