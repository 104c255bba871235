"""The vocabulary: values without I/O that every other room speaks in."""

from toolkit.models.amount import Amount, Unknown, scale, unscale
from toolkit.models.block import (
    TAGS,
    BlockHash,
    BlockHeight,
    BlockRef,
    BlockTag,
    Height,
    parse_block,
    parse_height,
)
from toolkit.models.keccak import keccak
from toolkit.models.pin import Finality, FinalityObservation, Pin, iso_time
from toolkit.models.primitives import (
    UINT256_MAX,
    Address,
    ChainId,
    Decimals,
    Frozen,
    Hash32,
    RawInt,
    checksummed,
    parse_address,
    parse_hash,
    parse_raw_int,
)
from toolkit.models.result import (
    Assurance,
    ErrorCode,
    Provenance,
    ToolError,
    ToolResult,
    Transport,
)

__all__ = [
    "TAGS",
    "UINT256_MAX",
    "Address",
    "Amount",
    "Assurance",
    "BlockHash",
    "BlockHeight",
    "BlockRef",
    "BlockTag",
    "ChainId",
    "Decimals",
    "ErrorCode",
    "Finality",
    "FinalityObservation",
    "Frozen",
    "Hash32",
    "Height",
    "Pin",
    "Provenance",
    "RawInt",
    "ToolError",
    "ToolResult",
    "Transport",
    "Unknown",
    "checksummed",
    "iso_time",
    "keccak",
    "parse_address",
    "parse_block",
    "parse_hash",
    "parse_height",
    "parse_raw_int",
    "scale",
    "unscale",
]
