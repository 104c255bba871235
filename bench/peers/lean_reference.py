"""The leanest honest way: pin, look up, read by one aggregate, keep, re-check. By hand.

No models, no provenance, no limits, no second form, no retries: what is left of the toolkit's
job when everything but its promise of numbers is taken away.
"""

from __future__ import annotations

import http.client
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import pyarrow as pa
from task import Ask, Round, run

from toolkit.chain.injected import AGGREGATOR_CODE  # The same code on both sides of the ratio.

_MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
_GAS = hex(50_000_000)
_BALANCE_OF = bytes.fromhex("70a08231")
_HEAD = bytes.fromhex("82ad56cb") + (32).to_bytes(32, "big")
_BEFORE = (1).to_bytes(32, "big") + (96).to_bytes(32, "big") + (36).to_bytes(32, "big")
_BEFORE += _BALANCE_OF + bytes(12)
_PART = 32 * 6  # address, flag, offset, length, and 36 bytes in two words
_LOOK_UP = """
    SELECT f.holder, f.value FROM facts f JOIN wanted w ON w.holder = f.holder
    WHERE f.hash = ? AND f.token = ?"""


class Packed:
    """The injected aggregator's form: the token once, the holders side by side."""

    @staticmethod
    def params(token: bytes, holders: list[bytes], block: dict) -> list:
        """Write the eth_call."""
        head = (200_000).to_bytes(4, "big") + b"\x02" + len(holders).to_bytes(2, "big")
        data = head + token + _BALANCE_OF + b"".join(holders)
        call = {"to": _MULTICALL3, "from": _MULTICALL3, "gas": _GAS, "data": "0x" + data.hex()}
        return [call, block, {_MULTICALL3: {"code": AGGREGATOR_CODE}}]

    @staticmethod
    def values(data: bytes, count: int) -> list[bytes]:
        """Read the words behind the five of the head and one status each."""
        if data[160 : 160 + count] != b"\x01" * count:
            raise SystemExit("A call failed.")
        start = 160 + count
        return [data[at : at + 32] for at in range(start, start + 32 * count, 32)]


class Aggregate3:
    """Multicall3's form: target, flag, offset and length for each call."""

    @staticmethod
    def params(token: bytes, holders: list[bytes], block: dict) -> list:
        """Write the eth_call."""
        count, before = len(holders), bytes(12) + token + _BEFORE
        offsets = [(32 * count + _PART * n).to_bytes(32, "big") for n in range(count)]
        tail = bytes(28)
        parts = [before + holder + tail for holder in holders]
        data = b"".join((_HEAD, count.to_bytes(32, "big"), *offsets, *parts))
        return [{"to": _MULTICALL3, "gas": _GAS, "data": "0x" + data.hex()}, block]

    @staticmethod
    def values(data: bytes, count: int) -> list[bytes]:
        """Read one word of each item; all of them are of one shape."""
        items = 64 + 32 * count
        return [data[at + 96 : at + 128] for at in range(items, items + 128 * count, 128)]


class Lean:
    """One connection and one file, both kept open."""

    def __init__(self, form: type[Packed] | type[Aggregate3], task: dict) -> None:
        self._form = form
        self._connection = http.client.HTTPConnection(urlsplit(task["url"]).netloc)
        self._store = duckdb.connect(str(Path(task["store"]) / "lean.duckdb"))
        self._store.execute("CREATE TABLE blocks (number BIGINT, hash VARCHAR, final BOOLEAN)")
        self._store.execute(
            "CREATE TABLE facts (number BIGINT, hash VARCHAR, token BLOB, holder BLOB, value BLOB)"
        )

    def ask(self, one: Round) -> list[int]:
        """Pin, look up, read what is missing, keep it, and see that the block still stands."""
        number, token = int(one["block"]), bytes.fromhex(one["reads"][0][0][2:])
        holders = [bytes.fromhex(holder[2:]) for _, holder in one["reads"]]
        block_hash, final = self._pin(number)
        self._store.register("wanted", pa.table({"holder": holders}))
        known = dict(self._store.execute(_LOOK_UP, [block_hash, token]).fetchall())
        missing = [holder for holder in holders if holder not in known]
        if missing:
            block = {"blockHash": block_hash, "requireCanonical": True}
            calls = [("eth_call", self._form.params(token, missing, block))]
            if not final:
                calls.append(("eth_getBlockByNumber", [hex(number), False]))
            result, *header = self._post(*calls)
            if header and header[0]["hash"] != block_hash:
                raise SystemExit("The block was replaced.")
            values = self._form.values(bytes.fromhex(result[2:]), len(missing))
            self._keep([number, block_hash, token], missing, values)
            known |= dict(zip(missing, values, strict=True))
        return [int.from_bytes(known[holder], "big") for holder in holders]

    def _pin(self, number: int) -> tuple[str, bool]:
        known = self._store.execute("SELECT hash, final FROM blocks WHERE number = ?", [number])
        found = known.fetchall()
        if found:
            return found[0]
        header, final = self._post(
            ("eth_getBlockByNumber", [hex(number), False]),
            ("eth_getBlockByNumber", ["finalized", False]),
        )
        row = (header["hash"], number <= int(final["number"], 16))
        self._store.execute("INSERT INTO blocks VALUES (?, ?, ?)", [number, *row])
        return row

    def _post(self, *calls: tuple[str, list]) -> list:
        body = [
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            for number, (method, params) in enumerate(calls)
        ]
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", "/", json.dumps(body), headers)
        answers = json.loads(self._connection.getresponse().read())
        return [one["result"] for one in sorted(answers, key=lambda one: one["id"])]

    def _keep(self, where: list, missing: list[bytes], values: list[bytes]) -> None:
        self._store.register("fresh", pa.table({"holder": missing, "value": values}))
        self._store.execute("INSERT INTO facts SELECT ?, ?, ?, holder, value FROM fresh", where)


def prepare(task: dict) -> Ask:
    """Open the file and the connection, in the form that the arguments want."""
    return Lean(Aggregate3 if "aggregate3" in sys.argv else Packed, task).ask


run(prepare, ("duckdb", "pyarrow"))
