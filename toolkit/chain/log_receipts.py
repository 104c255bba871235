"""The logs of one block as its receipts hold them: a second list, made another way."""

from __future__ import annotations

from typing import Any

from toolkit.chain.log_parsing import LogReading, matches
from toolkit.chain.logs import Log, LogScan
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import EndpointMisbehavedError, MethodUnsupportedError, ReadError, ReorgedError


def receipts_call(block_number: int) -> RpcCall:
    """Ask for all receipts of a block. Source: eth_getBlockReceipts."""
    return RpcCall("eth_getBlockReceipts", (hex(block_number),))


def logs_by_receipts(
    transport: Transport, scan: LogScan, block_number: int, block_hash: str
) -> dict[tuple[str, int], Log] | None:
    """Read a block's receipts for what a scan asks; None where the endpoint offers none.

    Errors: ReorgedError; what the endpoint answered instead.
    """
    (answer,) = transport.send([receipts_call(block_number)])
    if answer is None or isinstance(answer, MethodUnsupportedError):
        return None
    return parse_receipts(answer, scan, block_number, block_hash)


def parse_receipts(
    answer: Any, scan: LogScan, block_number: int, block_hash: str
) -> dict[tuple[str, int], Log]:
    """Pick the logs that a scan asks for out of a block's receipts, by their identity.

    Errors: ReorgedError where they are of another block; EndpointMisbehavedError.
    """
    if isinstance(answer, ReadError):
        raise answer
    if not isinstance(answer, list):
        raise EndpointMisbehavedError("The endpoint's receipts are not a list.")
    reading = LogReading()
    found: dict[tuple[str, int], Log] = {}
    for receipt in answer:
        items = receipt.get("logs") if isinstance(receipt, dict) else None
        if not isinstance(items, list):
            raise EndpointMisbehavedError("The endpoint's receipt is not an object with logs.")
        for log in reading.logs(items):
            if (log.block_number, log.block_hash) != (block_number, block_hash):
                raise ReorgedError(
                    f"Block {block_number} was replaced while its logs were read.",
                    remedy="Ask again, or end the range at a finalized block.",
                )
            if matches(scan, log):
                found[log.block_hash, log.log_index] = log
    return found
