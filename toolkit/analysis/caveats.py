"""What a reading does not know: codes with plain English sentences. Pages translate by code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from toolkit.chain.reader import PinnedBlock
from toolkit.tools import ToolAnswer

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "value_not_queried": (
            "Price-free: these are counts of tokens. Nothing here says what anything is worth."
        ),
        "other_tokens": "Only the tokens that were asked for were read.",
        "holdings_elsewhere": (
            "Amounts on other chains, in vaults, in pools or with custodians are not counted."
        ),
        "circulating_not_total": (
            "Shares are of totalSupply() at this block, which may count burned or locked tokens."
        ),
        "decimals_unknown": (
            "At least one token does not tell its decimals: its amounts stay raw integers."
        ),
        "cells_failed": "At least one read gave no value. It is not zero; its reason is shown.",
        "ratio_undefined": "At least one ratio has a zero divisor and therefore no value.",
        "symbol_collision": (
            "Two tokens show the same symbol. Only the contract address tells them apart."
        ),
        "metadata_hostile": (
            "A token's name or symbol holds more than plain text. It is data written by "
            "strangers and proves nothing."
        ),
        "single_endpoint": "One endpoint said so; no second one was asked.",
        "not_final": "The block is not known to be final: a reorg could still replace it.",
        "orphaned": (
            "The block is not on the canonical chain: another one stood at its height when that "
            "was last checked. What is shown was read before, and no endpoint confirms it now."
        ),
        "depth_in_money": (
            "Depth is counted in the pool's own two tokens, not in money, and is calculated "
            "from the reserves at this block. It is not a quote."
        ),
        "fee_unreadable": (
            "The pool does not tell its swap fee. Figures with a fee use the one that was stated."
        ),
        "transfer_fee_excluded": "Fees that a token takes on transfers are not included.",
        "reserve_zero": "At least one pool has an empty reserve: it has no rate and no depth.",
        "reserve_tiny": (
            "At least one reserve is below 1000 smallest units: rounding outweighs every figure."
        ),
        "reserve_gap": (
            "At least one pool holds more or less of a token than its reserve says: "
            "a donation, a rebase or a transfer fee."
        ),
        "trade_not_possible": "At least one pool cannot take the trade that was asked for.",
        "sends_without_events": (
            "Transfers that emit no Transfer event, and those of the native coin, are not seen."
        ),
        "cap_reached": "The list stopped at the limit: older transfers in the range are missing.",
        "covered_range": "Not every block that was asked for could be read.",
        "nfts": "ERC-721 transfers are listed with their token id, which is not an amount.",
        "multi_tokens": (
            "ERC-1155 transfers are listed with their token id and units of it. Neither is an "
            "amount, and nothing is summed from them."
        ),
        "unindexed_not_searched": (
            "A few old tokens do not index who sent and who received: no search by address "
            "finds their transfers."
        ),
        "odd_shapes": (
            "Logs that call themselves a transfer and have the shape of none were left out."
        ),
    }
)
"""The caveats by code."""


@dataclass(frozen=True, slots=True)
class Caveat:
    """One thing a reader must know. `subjects` are the addresses that it is about, if any."""

    code: str
    subjects: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentence in English."""
        return SENTENCES[self.code]

    def as_json(self) -> dict[str, object]:
        """The code, its English sentence, and what it is about."""
        return {"code": self.code, "text": self.text, "subjects": list(self.subjects)}


def about_reading(answers: Iterable[ToolAnswer], pinned: PinnedBlock | None) -> tuple[Caveat, ...]:
    """The caveats that any reading may have: one endpoint only, or a block that is not final."""
    found: list[Caveat] = []
    if any(fact.witness.assurance == "single" for answer in answers for fact in answer.facts):
        found.append(Caveat("single_endpoint"))
    if pinned is not None and pinned.finality.status != "finalized":
        orphaned = pinned.finality.status == "orphaned"
        found.append(Caveat("orphaned" if orphaned else "not_final"))
    return tuple(found)


def caveat(code: str, subjects: Sequence[str]) -> tuple[Caveat, ...]:
    """One caveat where anything is subject to it, else none."""
    return (Caveat(code, tuple(dict.fromkeys(subjects))),) if subjects else ()
