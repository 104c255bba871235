"""The strip under the header that says at which block everything on the page was read."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from toolkit.dashboard.components.amounts import grouped
from toolkit.dashboard.words import language, t
from toolkit.workspace.finality import finality_words

if TYPE_CHECKING:
    from toolkit.workspace import Snapshot


def draw(snapshot: Snapshot | None, *, demo: bool) -> None:
    """Draw the strip. Everything in it is ours or hex: no word of a chain gets here."""
    if snapshot is None:
        st.html(f'<div class="pin-strip empty">{escape(t("strip.none"))}</div>')
        return
    badge = f'<b class="demo">{escape(t("strip.demo"))}</b>' if demo else ""
    items = "".join(
        f'<span class="item {name}"><i>{escape(t(f"strip.{name}"))}</i>{escape(value)}</span>'
        for name, value in _items(snapshot)
    )
    free = f'<span class="item free">{escape(t("strip.price_free"))}</span>'
    st.html(f'<div class="pin-strip">{badge}{items}{free}</div>')


def _items(snapshot: Snapshot) -> list[tuple[str, str]]:
    pin, pinned, traffic = snapshot.pin, snapshot.pinned, snapshot.traffic
    return [
        ("chain", f"{snapshot.chain_name} ({pin.chain_id})"),
        ("block", grouped(str(pin.number))),
        ("hash", f"{pin.hash[:10]}\u2026{pin.hash[-6:]}"),
        ("time", pin.time),
        ("finality", finality_words(pinned.finality, language())),
        ("endpoint", pinned.endpoint_id),
        ("traffic", f"{traffic.requests} / {traffic.facts_cached}"),
    ]
