"""The floor under every multicall: the same aggregate3 bytes posted and read, no codec."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

from task import Ask, Round, run

from toolkit.chain.multicall import decode_aggregate
from toolkit.chain.packing import Aggregate, item_call
from toolkit.tools.abi import balance_of


def prepare(task: dict) -> Ask:
    """Write all bodies before the clock runs."""
    connection = http.client.HTTPConnection(urlsplit(task["url"]).netloc)
    bodies = {one["name"]: _bodies(task, one) for one in task["rounds"]}

    def ask(one: Round):
        answers = []
        for _, body in bodies[one["name"]]:
            connection.request("POST", "/", body, {"Content-Type": "application/json"})
            answers.append(connection.getresponse().read())
        counts = [count for count, _ in bodies[one["name"]]]
        return lambda: [n for pair in zip(answers, counts, strict=True) for n in _decode(*pair)]

    return ask


def _bodies(task: dict, one: Round, at_once: int = 1_000) -> list[tuple[int, bytes]]:
    """The requests of one round, each with its number of reads."""
    reads = [balance_of(task["token"], holder).read for holder in one["holders"]]
    chunks = [tuple(reads[n : n + at_once]) for n in range(0, len(reads), at_once)]
    return [(len(chunk), _body(chunk, hex(int(one["block"])))) for chunk in chunks]


def _body(reads: tuple, block: str) -> bytes:
    call = item_call(Aggregate.of(reads), block)
    request = {"jsonrpc": "2.0", "id": 1, "method": call.method, "params": call.params}
    return json.dumps(request).encode()


def _decode(answer: bytes, count: int) -> list[int]:
    _, items = decode_aggregate(bytes.fromhex(json.loads(answer)["result"][2:]), count)
    return [int.from_bytes(value, "big") for _, value in items]


run(prepare, ())
