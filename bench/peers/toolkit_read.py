"""The toolkit's read itself: reads in, facts out. No tools, no store, no pin to find."""

from __future__ import annotations

import time

import task as frame
from endpoint import transport
from task import Ask, Round, run

from toolkit.chain.endpoint import probe
from toolkit.chain.rpc_reader import RpcReader
from toolkit.models import BlockHeight, iso_time
from toolkit.tools.abi import balance_of
from toolkit.workspace.endpoints import limits_of


def prepare(task: dict) -> Ask:
    """Probe the endpoint and pin the blocks before the clock runs."""

    def now() -> str:
        return iso_time(time.time())

    way = transport(task["url"])
    limits = limits_of(probe(way, 1, now=now), way.endpoint_id)
    reader = RpcReader(way, chain_id=1, development=False, now=now, limits=limits)
    blocks = {one["block"] for one in task["rounds"]}
    pins = {block: reader.pin(BlockHeight(number=int(block))).pin for block in blocks}
    reads = {
        one["name"]: [balance_of(*read).read for read in one["reads"]] for one in task["rounds"]
    }

    def ask(one: Round):
        facts = reader.read(pins[one["block"]], reads[one["name"]])
        frame.notes.add(facts[-1].witness.transport)
        return [int.from_bytes(fact.outcome.data, "big") for fact in facts]

    return ask


run(prepare, ("urllib3",))
