"""How the endpoints of a chain stand, as a doctor and a page say it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from toolkit.models import ChainId, Frozen

Standing: TypeAlias = Literal["in_use", "standing_by", "resting", "excluded", "not_asked"]


class EndpointHealth(Frozen):
    """How one endpoint stands, as far as it is known. It names the endpoint and holds no URL.

    `serves_chain` says whether it has shown that it serves this chain. `history_from` is about
    the lowest height whose state it was seen to keep. `lag` counts the blocks by which its
    tip was below the best one. `why` says why it is not in use; `problem` is its last failure
    in words. Unit: requests per second as asked at most, None where nothing slows it; bytes;
    gas; times in ISO 8601 UTC with Z.
    """

    endpoint_id: str
    chain_id: ChainId
    standing: Standing = "not_asked"
    why: str | None = None
    reachable: bool | None = None
    serves_chain: bool | None = None
    hash_pins: bool | None = None
    overrides: bool | None = None
    batch_limit: int | None = None
    body_limit_bytes: int | None = None
    gas_limit: int | None = None
    requests_per_second: float | None = None
    history_from: int | None = None
    tip: int | None = None
    tip_time: str | None = None
    lag: int | None = None
    problem: str | None = None
    problem_at: str | None = None
    requests: int = 0


def with_lag(found: Iterable[EndpointHealth]) -> list[EndpointHealth]:
    """Compare each tip with the best one of its chain."""
    known = list(found)
    best: dict[int, int] = {}
    for one in known:
        if one.tip is not None:
            best[one.chain_id] = max(best.get(one.chain_id, 0), one.tip)
    return [
        one if one.tip is None else one.model_copy(update={"lag": best[one.chain_id] - one.tip})
        for one in known
    ]
