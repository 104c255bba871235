"""Event logs as rows: how they are laid out for DuckDB, asked for, and read back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pyarrow as pa

from toolkit.chain.logs import Log, LogScan, Topics
from toolkit.models import checksummed
from toolkit.store.columns import binary_column, integer_column, table

COLUMNS: Final = (
    "block_number, block_hash, log_index, transaction_hash, address, "
    "topic0, topic1, topic2, topic3, data"
)
_TOPICS: Final = 4
_DIFFERS: Final = " OR ".join(
    f"l.{name} <> i.{name}" for name in COLUMNS.split(", ") if name not in {"block_hash"}
)

KEEP: Final = f"""
    INSERT INTO logs
    SELECT $chain_id, {COLUMNS} FROM incoming i
    ANTI JOIN (SELECT block_hash, log_index FROM logs
          WHERE chain_id = $chain_id AND block_number BETWEEN $foot AND $top) l
      USING (block_hash, log_index)"""  # noqa: S608  # names of our own columns

# A log that was told differently before: neither is taken for the truth, and both are kept.
DISPUTE: Final = f"""
    INSERT INTO log_disputes
    SELECT $chain_id, {", ".join(f"i.{name}" for name in COLUMNS.split(", "))} FROM incoming i
    JOIN (SELECT * FROM logs
          WHERE chain_id = $chain_id AND block_number BETWEEN $foot AND $top) l
      ON l.block_hash = i.block_hash AND l.log_index = i.log_index
    WHERE {_DIFFERS} RETURNING block_number"""  # noqa: S608


def filter_digest(scan: LogScan) -> bytes:
    """Name what a scan looks for, apart from where and how much of it.

    Shape: SHA-256; the order of filters, of alternatives and of addresses does not matter.
    """
    filters = sorted(b"\x00".join(map(_packed, topics)) for topics in scan.filters)
    addresses = sorted(bytes.fromhex(address[2:]) for address in scan.addresses)
    digest = hashlib.sha256(b"log filter 1")
    for part in (*filters, b"addresses", *addresses):
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.digest()


def _packed(topic: bytes | tuple[bytes, ...] | None) -> bytes:
    values = () if topic is None else (topic,) if isinstance(topic, bytes) else topic
    kind = b"any" if topic is None else b"one"
    return kind + b"".join(sorted(values))


def incoming(logs: Sequence[Log]) -> pa.Table:
    """Lay logs out as the columns that an insert takes."""
    columns = {
        "block_number": integer_column([log.block_number for log in logs]),
        "block_hash": _unhexed([log.block_hash for log in logs]),
        "log_index": integer_column([log.log_index for log in logs]),
        "transaction_hash": _unhexed([log.transaction_hash for log in logs]),
        "address": _unhexed([log.address for log in logs]),
    }
    for place in range(_TOPICS):
        columns[f"topic{place}"] = binary_column(
            [log.topics[place] if place < len(log.topics) else b"" for log in logs]
        )
    return table(columns | {"data": binary_column([log.data for log in logs])})


def _unhexed(texts: Sequence[str]) -> pa.Array:
    """Pack hex texts, of which few differ."""
    known = {text: bytes.fromhex(text[2:]) for text in set(texts)}
    return binary_column([known[text] for text in texts])


def as_logs(rows: Iterable[tuple[Any, ...]]) -> list[Log]:
    """Read rows back, in the order of COLUMNS."""
    return [
        Log(
            number,
            "0x" + block_hash.hex(),
            index,
            "0x" + transaction.hex(),
            checksummed("0x" + address.hex()),
            tuple([topic for topic in topics if topic]),
            data,
        )
        for number, block_hash, index, transaction, address, *topics, data in rows
    ]


def condition(scan: LogScan) -> tuple[str, dict[str, Any]]:
    """Write what a scan looks for as SQL, with its values as parameters."""
    values: dict[str, Any] = {}
    either = " OR ".join(
        f"({_filter_sql(number, topics, values)})" for number, topics in enumerate(scan.filters)
    )
    sql = f"({either or 'false'})"
    if scan.addresses:
        values["addresses"] = [bytes.fromhex(address[2:]) for address in scan.addresses]
        sql += " AND list_contains($addresses, address)"
    return sql, values


def _filter_sql(number: int, topics: Topics, values: dict[str, Any]) -> str:
    """One filter's positions; the last one must be there even where anything will do."""
    wanted = ["true"]
    for place, topic in enumerate(topics):
        if topic is None:
            wanted.append(f"topic{place} <> ''::BLOB")
            continue
        name = f"f{number}_{place}"
        values[name] = [topic] if isinstance(topic, bytes) else list(topic)
        wanted.append(f"list_contains(${name}, topic{place})")
    return " AND ".join(wanted)
