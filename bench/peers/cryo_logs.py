"""cryo's erc20_transfers: logs fetched, decoded and written to Parquet."""

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
        cryo.freeze(
            "erc20_transfers",
            rpc=task["url"],
            blocks=[f"{one['first']}:{one['last'] + 1}"],
            contract=[one["token"]],
            from_address=[one["sender"]],
            u256_types=["binary"],
            inner_request_size=1_000,
            output_dir=str(folder),
            no_report=True,
            verbose=False,
        )
        return lambda: _texts(folder)

    return ask


def _texts(folder: Path) -> list[str]:
    (file,) = folder.glob("*.parquet")
    rows = pq.read_table(file).to_pylist()
    rows.sort(key=lambda row: (row["block_number"], row["log_index"]))
    return [
        f"{row['block_number']}:{row['log_index']}:0x{row['from_address'].hex()}:"
        f"0x{row['to_address'].hex()}:{int.from_bytes(row['value_binary'], 'big')}"
        for row in rows
    ]


run(prepare, ("cryo", "pyarrow"))
