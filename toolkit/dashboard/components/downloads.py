"""The evidence that leaves the page: built when the button is pressed, not before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import streamlit as st

from toolkit.dashboard.words import say
from toolkit.evidence import EvidenceRow, evidence_bytes, rows_of

if TYPE_CHECKING:
    from toolkit.derive import Derived
    from toolkit.models import Pin
    from toolkit.tools import ToolAnswer


def offer_evidence(
    pin: Pin, answers: Callable[[], Iterable[ToolAnswer]], derived: Callable[[], Iterable[Derived]]
) -> None:
    """Offer evidence.csv of what the page shows."""

    def build() -> bytes:
        return evidence_bytes(rows_of(answers(), derived()))

    _button(say("download.evidence"), build, f"evidence-{pin.chain_id}-{pin.number}.csv")


def offer_rows(rows: list[EvidenceRow]) -> None:
    """Offer evidence.csv of chosen rows."""

    def build() -> bytes:
        return evidence_bytes(rows)

    _button(say("download.selection", count=len(rows)), build, "evidence.csv")


def _button(label: str, build: Callable[[], bytes], file_name: str) -> None:
    st.download_button(
        label,
        data=build,
        file_name=file_name,
        mime="text/csv",
        on_click="ignore",
        key="download_evidence",
        width="stretch",
    )
