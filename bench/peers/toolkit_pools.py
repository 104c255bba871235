"""The toolkit's pool depth: all pools at one block; then the curves alone, by two ways."""

from __future__ import annotations

from endpoint import opened
from task import Ask, Ready, Round, run

from toolkit.derive.constant_product import move


def prepare(task: dict) -> tuple[Ready, Ask]:
    """Open a workspace whose store is a folder of this run."""
    workspace = opened(task["url"], task["store"])
    held: list = []

    def ready(_: Round) -> None:
        with workspace.database.lease():
            pass  # No round pays for the write before it.

    def ask(one: Round):
        kind = one["name"].partition("-")[0]
        if kind == "curve":
            return _curve(held[0], one["moves"])
        if kind == "derived":
            return _derived(held[0])
        snapshot = workspace.snapshot(chain_id=1, block=one["block"])
        depth = snapshot.pool_depth(one["pools"], moves=one["moves"])
        held[:] = [depth]
        return lambda: [_text(reading) for reading in depth.pools]

    return ready, ask


def _curve(depth, moves: list[str]):
    states = [(r.data.raw_reserve0, r.data.raw_reserve1) for r in depth.pools]
    found = [
        move(*state, pct, side)
        for state in states
        for pct in moves
        for side in ("sell_token0", "sell_token1")
    ]
    return lambda: [f"{one.raw_amount_in}:{one.raw_amount_out}" for one in found]


def _derived(depth):
    found = [move for reading in depth.pools for move in reading.moves]
    texts = [(move.amount_in.text, move.amount_out.text) for move in found]
    return lambda: [":".join(pair) for pair in texts]


def _text(reading) -> str:
    data = reading.data
    if data is None:
        raise SystemExit(f"A pool could not be read: {reading.error.code}")
    parts = (data.token0, data.token1, data.raw_reserve0, data.raw_reserve1)
    return ":".join(map(str, (*parts, data.raw_balance0, data.raw_balance1, data.decimals0)))


run(prepare, ("duckdb", "pydantic", "urllib3"))
