"""Sentences that several tools state alike."""

from __future__ import annotations

from typing import Final

CHAIN_ID: Final = "EIP-155 chain id, an integer such as 1. There is no default chain."
BLOCK: Final = (
    "The block to read at: a height in decimal, a 32-byte hash, or latest, safe or finalized "
    "(resolved once; the answer carries number and hash). Use one and the same block to compare."
)
