"""cryo: one request for each balance, many at a time, written to Parquet."""

from __future__ import annotations

import tempfile
from pathlib import Path

import cryo
import pyarrow.parquet as pq
from task import Ask, Round, run


def prepare(task: dict) -> Ask:
    """Nothing is prepared: cryo opens its own connections for each job."""

    def ask(one: Round):
        folder = Path(tempfile.mkdtemp(dir=task["store"]))
        block = int(one["block"])
        cryo.freeze(
            "erc20_balances",
            rpc=task["url"],
            blocks=[f"{block}:{block + 1}"],
            contract=[one["reads"][0][0]],
            address=[holder for _, holder in one["reads"]],
            u256_types=["binary"],
            output_dir=str(folder),
            no_report=True,
            verbose=False,
        )
        return lambda: _values(folder, one)

    return ask


def _values(folder: Path, one: Round) -> list[int]:
    (file,) = folder.glob("*.parquet")
    rows = pq.read_table(file, columns=["address", "balance_binary"]).to_pylist()
    found = {row["address"]: int.from_bytes(row["balance_binary"], "big") for row in rows}
    return [found[bytes.fromhex(holder[2:])] for _, holder in one["reads"]]


run(prepare, ("cryo", "pyarrow"))
