"""Evidence rows of a scan: each event log, and how much of the asked range was really read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from toolkit.chain.facts import Witness
from toolkit.chain.logs import Log, LogPage
from toolkit.chain.reads import ReadIds
from toolkit.derive import call_row_id, read_row_id
from toolkit.evidence.row import EvidenceRow
from toolkit.models import scale
from toolkit.tools import ToolAnswer
from toolkit.tools.transfer_events import event_of, is_multi_token

UnitOf: TypeAlias = Callable[[str], tuple[int, str] | None]


def rows_of_page(answer: ToolAnswer, page: LogPage, unit_of: UnitOf) -> Iterator[EvidenceRow]:
    """Write a page's coverage first, then one row per log, in the page's order.

    Shape: a log's row names the log's own block; `calldata` holds its topics in order,
    `result_hex` its data; the row's id is that of (block hash, log index).
    """
    yield from _coverage_rows(answer, page)
    ids = ReadIds(page.pin)
    for log in page.logs:
        yield _log_row(answer, page, log, ids, unit_of)


def _coverage_rows(answer: ToolAnswer, page: LogPage) -> Iterator[EvidenceRow]:
    """Whether the scan was complete (1 or 0) and its lowest and highest height read."""
    covered = {
        "complete": int(page.complete),
        "covered_from": page.covered_from,
        "covered_to": page.covered_to,
    }
    for field, number in covered.items():
        if number is not None:
            yield EvidenceRow(
                row_id=call_row_id(answer.tool.id, answer.arguments, field),
                field=field,
                chain_id=str(page.pin.chain_id),
                block_number=str(page.pin.number),
                block_hash=page.pin.hash,
                block_timestamp=page.pin.time,
                function="eth_getLogs",
                raw_hex=f"0x{number:064x}",
                sign="plus",
                raw_amount=str(number),
                **_witness_cells(answer, page.witness),
            )


def _log_row(
    answer: ToolAnswer, page: LogPage, log: Log, ids: ReadIds, unit_of: UnitOf
) -> EvidenceRow:
    field, word = _field_of(log)
    cells = {"raw_hex": "0x" + word.hex()}
    if field != "log_data":
        number = int.from_bytes(word, "big")
        cells |= {"sign": "plus", "raw_amount": str(number)}
        unit = unit_of(log.address) if field == "raw_amount" else None
        if unit is not None:
            cells |= {
                "decimals": str(unit[0]),
                "decimals_row_id": unit[1],
                "amount": scale(number, unit[0]),
            }
    return EvidenceRow(
        row_id=read_row_id(ids.of_log(log.block_hash, log.log_index), field),
        field=field,
        chain_id=str(page.pin.chain_id),
        block_number=str(log.block_number),
        block_hash=log.block_hash,
        contract=log.address,
        function=event_of(log),
        calldata="0x" + b"".join(log.topics).hex(),
        result_hex="0x" + log.data.hex(),
        **cells,
        **_witness_cells(answer, page.witness_of(log.block_number)),
    )


def _field_of(log: Log) -> tuple[str, bytes]:
    """An ERC-20 log holds an amount, an ERC-721 log an id; any other is left as bytes."""
    if is_multi_token(log):
        return "log_data", log.data
    if len(log.topics) == 3 and len(log.data) == 32:
        return "raw_amount", log.data
    if len(log.topics) == 4 and not log.data:
        return "token_id", log.topics[3]
    return "log_data", log.data


def _witness_cells(answer: ToolAnswer, witness: Witness) -> dict[str, str]:
    return {
        "tool": answer.tool.id,
        "source": witness.source,
        "endpoint_id": witness.endpoint_id,
        "transport": witness.transport,
        "assurance": witness.assurance,
        "read_at": witness.read_at,
    }
