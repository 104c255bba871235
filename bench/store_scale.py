"""Measures how a look-up and the file grow with what is kept: 10 thousand to 20 million facts.

Facts are made by DuckDB itself, in the order in which a life of reading would add them: blocks of
five chains in turn, a thousand balances each, random ids, values of up to 16 bytes that count.
Each look-up asks a block that was not looked at before, so nothing is answered from memory.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from toolkit.models import Pin
from toolkit.store import Database, Facts, compact

SIZES: Final = (10_000, 1_000_000, 20_000_000)
A_BLOCK: Final = 1_000
CHAINS: Final = (1, 10, 8453, 42161, 137)
ROUNDS: Final = 10
_FIRST_BLOCK: Final = 20_000_000
_AT_ONCE: Final = 1_000_000

_FILL: Final = f"""
    INSERT INTO facts
    SELECT {list(CHAINS)}[1 + (i // {A_BLOCK}) % {len(CHAINS)}], {_FIRST_BLOCK} + i // {A_BLOCK},
           unhex(sha256('block ' || (i // {A_BLOCK})::VARCHAR)), unhex(sha256(i::VARCHAR)), 0,
           unhex(lpad(substr(md5(i::VARCHAR), 1, 2 * (hash(i) % 17)::INTEGER), 64, '0')),
           i // {A_BLOCK}
    FROM range($first, $last) numbers(i)"""

_BATCHES: Final = f"""
    INSERT INTO batches
    SELECT i, 'primary', '2026-03-01T08:14:12Z', 'multicall3', 'single', 'rpc'
    FROM range($first // {A_BLOCK}, $last // {A_BLOCK}) numbers(i)"""


def measure_store(folder: Path, sizes: Sequence[int] = SIZES) -> list[dict[str, str]]:
    """Fill a store of each size, and measure it as filled and compacted."""
    rows: list[dict[str, str]] = []
    smallest: dict[str, float] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            database = Database(Path(place), wait_seconds=60)
            fill_seconds = _fill(database, size)
            rows.append(_row(database, size, "as filled", fill_seconds, smallest))
            start = perf_counter()
            compact(database)
            rows.append(_row(database, size, "compacted", perf_counter() - start, smallest))
            database.close()
    return rows


def _fill(database: Database, size: int) -> float:
    start = perf_counter()
    for first in range(0, size, _AT_ONCE):
        between = {"first": first, "last": min(size, first + _AT_ONCE)}
        with database.transaction() as cursor:
            cursor.execute(_FILL, between)
            cursor.execute(_BATCHES, between)
    database.close()
    return perf_counter() - start


def _row(
    database: Database, size: int, state: str, seconds: float, smallest: dict[str, float]
) -> dict[str, str]:
    database.close()
    each = database.size_bytes() / size
    held, anew = _times(database, size, reopen=False), _times(database, size, reopen=True)
    first = smallest.setdefault("held", min(held)), smallest.setdefault("anew", min(anew))
    return {
        "facts": f"{size:,}",
        "file": state,
        "seconds to write": f"{seconds:.1f}",
        "bytes a fact": f"{each:.0f}",
        "1,000 held open, min ms": _ms(min(held)),
        "median": _ms(median(held)),
        "x smallest": f"{min(held) / first[0]:.2f}",
        "opened and closed, min ms": _ms(min(anew)),
        "median ": _ms(median(anew)),
        "x smallest ": f"{min(anew) / first[1]:.2f}",
    }


def _times(database: Database, size: int, *, reopen: bool) -> list[float]:
    """Look a thousand facts up at each of a few blocks that lie far apart."""
    blocks = size // A_BLOCK
    times = []
    for number in range(ROUNDS + 1):
        if reopen:
            database.close()
        block = number * blocks // (ROUNDS + 1)
        ids = _ids(block)
        start = perf_counter()
        _ask(database, block, ids)
        if reopen:
            database.close()
        times.append(perf_counter() - start)
        with database.lease():
            database.forget()
    return times[1:]


def _ask(database: Database, block: int, ids: list[bytes]) -> None:
    block_hash = "0x" + sha256(f"block {block}".encode()).hexdigest()
    chain_id = CHAINS[block % len(CHAINS)]
    pin = Pin(chain_id, _FIRST_BLOCK + block, block_hash, block_hash, 1_700_000_000, block_hash)
    if len(Facts(database, chain_id).look_up(pin, ids)) != A_BLOCK:
        raise RuntimeError("The store does not hold what was put into it.")


def _ids(block: int) -> list[bytes]:
    first = block * A_BLOCK
    return [sha256(str(number).encode()).digest() for number in range(first, first + A_BLOCK)]


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f}"


def _print(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        print(" | ".join(f"{name.strip()} {value}" for name, value in row.items()), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as here:
        _print(measure_store(Path(here), [int(text) for text in sys.argv[1:]] or SIZES))
