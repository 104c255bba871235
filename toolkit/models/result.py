"""What a tool gives back: data or an error, and in both cases where it comes from."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

from pydantic import SerializeAsAny, model_validator

from toolkit.models.pin import Finality
from toolkit.models.primitives import ChainId, Frozen, Hash32

Transport = Literal["override", "multicall3", "batch", "single", "recording"]
Assurance = Literal["single", "quorum", "proven"]

ErrorCode = Literal[
    "invalid_argument",
    "unknown_chain",
    "chain_mismatch",
    "block_not_found",
    "block_ahead_of_head",
    "state_unavailable",
    "not_a_contract",
    "not_supported_by_contract",
    "call_reverted",
    "decode_failed",
    "abnormal_answer",
    "wrong_pool_kind",
    "range_too_large",
    "incomplete_range",
    "rate_limited",
    "timeout",
    "endpoint_unreachable",
    "endpoint_misbehaved",
    "endpoints_disagree",
    "reorged",
    "policy_denied",
    "budget_exhausted",
    "store_busy",
    "tool_unavailable",
]

DataT = TypeVar("DataT", bound=Frozen)


class Provenance(Frozen):
    """Where an answer comes from, as far as it is known.

    `blocks_above` stood on the block when its finality was observed, where that was counted.
    Unit: times in ISO 8601 UTC with Z. `endpoint_id` is a name, never a URL.
    """

    chain_id: ChainId | None = None
    block_number: int | None = None
    block_hash: Hash32 | None = None
    block_timestamp: str | None = None
    finality: Finality | None = None
    blocks_above: int | None = None
    source: Literal["rpc", "recording"] | None = None
    endpoint_id: str | None = None
    read_ids: tuple[str, ...] = ()
    transport: Transport | None = None
    from_cache: bool | None = None
    read_at: str | None = None
    assurance: Assurance | None = None
    tool: str | None = None
    store_note: str | None = None


class ToolError(Frozen):
    """Why there is no data. `remedy` is the way out; `attempts` were made before giving up."""

    code: ErrorCode
    message: str
    retryable: bool
    attempts: int
    remedy: str


class ToolResult(Frozen, Generic[DataT]):
    """Exactly one of data and error, with the provenance of either."""

    data: SerializeAsAny[DataT] | None
    provenance: Provenance
    error: ToolError | None

    @model_validator(mode="after")
    def _exactly_one(self) -> ToolResult[DataT]:
        if (self.data is None) == (self.error is None):
            raise ValueError("A result holds data or an error, never both and never neither.")
        return self
