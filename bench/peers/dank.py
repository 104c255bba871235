"""dank_mids: many coroutines, which it gathers into multicalls by itself."""

from __future__ import annotations

import asyncio
import os
import sys

os.environ["TYPEDENVS_SHUTUP"] = "1"  # It would list its settings.
os.environ["DANKMIDS_REQUESTS_PER_SECOND"] = "100000"  # Its pace for shared endpoints.

from dank_mids import setup_dank_w3_from_sync
from task import Ask, Round, run
from web3 import HTTPProvider, Web3
from web3_one_by_one import contracts_of

_SELECTOR = "0x70a08231000000000000000000000000"


def prepare(task: dict) -> Ask:
    """Make the client, and the contract objects where those are asked for."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    web3 = setup_dank_w3_from_sync(Web3(HTTPProvider(task["url"])))
    contracts = contracts_of(web3, task)

    async def by_contract(one: Round) -> list[int]:
        block = int(one["block"])
        calls = [
            contracts[token].functions.balanceOf(holder).call(block_identifier=block)
            for token, holder in one["reads"]
        ]
        return await asyncio.gather(*calls)

    async def by_hand(one: Round) -> list[int]:
        block = int(one["block"])
        calls = [
            web3.eth.call({"to": token, "data": _SELECTOR + holder[2:]}, block)
            for token, holder in one["reads"]
        ]
        return [int.from_bytes(word, "big") for word in await asyncio.gather(*calls)]

    gather = by_hand if "--by-hand" in sys.argv else by_contract
    return lambda one: loop.run_until_complete(gather(one))


run(prepare, ("dank_mids", "web3"))
