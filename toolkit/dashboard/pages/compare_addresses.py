"""Compare what addresses hold at one block, and how that changed since an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from toolkit.analysis import NATIVE, Change, Comparison, change
from toolkit.dashboard import jobs, session
from toolkit.dashboard.components.caveats import show_caveats
from toolkit.dashboard.components.charts import show_balances
from toolkit.dashboard.components.demo_selection import offer_selection
from toolkit.dashboard.components.downloads import offer_evidence
from toolkit.dashboard.components.evidence_panel import show_answer
from toolkit.dashboard.components.foreign_words import refuse_all, show_words
from toolkit.dashboard.components.label_book import show_label_book
from toolkit.dashboard.components.matrix import show_matrix
from toolkit.dashboard.components.names import labels_of, names_of
from toolkit.dashboard.components.relations import show_change, show_relations
from toolkit.dashboard.inputs import Addresses, merged, read_address_file, read_addresses
from toolkit.dashboard.words import say, t
from toolkit.models import Unknown
from toolkit.tools.get_token_metadata import TokenMetadata

if TYPE_CHECKING:
    from toolkit.workspace import Snapshot


def choose_addresses() -> Addresses:
    """Take pasted and uploaded addresses."""
    pasted = st.text_area(
        say("compare.addresses"),
        key="addresses",
        bind="query-params",
        height=132,
        help=say("compare.addresses_help"),
        placeholder="0x\u2026",
    )
    uploaded = st.file_uploader(
        say("compare.upload"), type=["csv", "txt"], help=say("compare.upload_help")
    )
    parts = [read_addresses(pasted or "", "holder")]
    if uploaded is not None:
        parts.append(read_address_file(uploaded.getvalue()))
        st.caption(say("compare.uploaded", count=len(parts[1].found)))
    return merged(*parts)


def choose_assets() -> tuple[Addresses, bool]:
    """Take token contracts, and whether the native coin is compared too."""
    pasted = st.text_area(
        say("compare.tokens"),
        key="tokens",
        bind="query-params",
        height=132,
        help=say("compare.tokens_help"),
        placeholder="0x\u2026",
    )
    coin = st.toggle(say("compare.coin"), key="coin", bind="query-params")
    return read_addresses(pasted or "", "token"), coin


def choose_before() -> str:
    """Take the earlier block of a comparison over time, if one is wanted."""
    before = st.text_input(
        say("compare.before"),
        key="before",
        bind="query-params",
        help=say("compare.before_help"),
        placeholder=t("compare.before_placeholder"),
    )
    return (before or "").strip()


def read(
    snapshot: Snapshot, addresses: Addresses, tokens: Addresses, *, coin: bool
) -> Comparison | None:
    """Read the comparison at the pin, with progress where it is large."""
    question = ("compare", addresses.found, tokens.found, coin)
    size = len(addresses.found) * (len(tokens.found) + coin)

    def compute(report: jobs.Report | None) -> Comparison:
        return snapshot.compare(addresses.found, tokens.found, native=coin, progress=report)

    comparison = jobs.attempt(lambda: jobs.answered(snapshot, question, size, compute))
    if comparison is not None:
        session.collect(t("compare.title"), snapshot, question, comparison)
    return comparison


def names_in(comparison: Comparison, labels: dict[str, str]) -> dict[str, str]:
    """Name all on the page: the coin by our own registry, the rest by label and address."""
    tokens = [asset for asset in comparison.assets if asset != NATIVE]
    symbol = comparison.symbol_of(NATIVE) if NATIVE in comparison.assets else None
    coin = (
        t("compare.coin_named", symbol=symbol)
        if isinstance(symbol, str)
        else t("compare.coin_plain")
    )
    return {NATIVE: coin, **names_of([*tokens, *comparison.addresses], labels)}


def show(snapshot: Snapshot, comparison: Comparison, labels: dict[str, str]) -> None:
    """Show the matrix, the clicked cell's evidence, and what follows from them."""
    names = names_in(comparison, labels)
    top, download = st.columns([5, 1.4], vertical_alignment="top")
    with top:
        st.subheader(say("compare.matrix"))
        st.caption(say("compare.matrix_hint"))
    with download:
        offer_evidence(snapshot.pin, lambda: comparison.answers, lambda: comparison.derived)
    picked = show_matrix(comparison, names, labels)
    if picked is not None:
        cell = comparison.cell(picked.address, picked.asset)
        show_answer(cell.answer, cell.row_id, name="cell")
    show_token_words(comparison, labels)
    show_balances(comparison)
    show_relations(comparison, names)


def show_token_words(comparison: Comparison, labels: dict[str, str]) -> None:
    """Show names and symbols as what they are, and warn where two look alike."""
    rows = []
    for asset in comparison.assets:
        answer = comparison.metadata_of(asset)
        if answer is not None and isinstance(answer.data, TokenMetadata):
            rows.append((asset, answer.data.symbol, answer.data.name))
        elif answer is not None and answer.error is not None:
            unknown = Unknown(code=answer.error.code, message="")
            rows.append((asset, unknown, unknown))
    if not rows:
        return
    st.subheader(say("compare.words"))
    for group in comparison.symbol_collisions:
        st.warning(say("compare.collision", addresses=", ".join(group)))
    show_words(rows, labels)


def read_change(
    snapshot: Snapshot, before: str, comparison: Comparison, *, coin: bool
) -> Change | None:
    """Read the same selection at the earlier block and take the exact difference."""
    alone = t("compare.no_change")
    earlier = jobs.attempt(lambda: session.snapshot_at(snapshot.pin.chain_id, before), alone)
    if earlier is None:
        return None
    if earlier.pin.hash == snapshot.pin.hash:
        refuse_all([t("compare.same_block", block=earlier.pin.number), alone])
        return None
    tokens = tuple(asset for asset in comparison.assets if asset != NATIVE)
    selection = Addresses(comparison.addresses, ()), Addresses(tokens, ())
    first = read(earlier, *selection, coin=coin)
    return None if first is None else jobs.attempt(lambda: change(first, comparison), alone)


def offer_demo(chain_id: int) -> None:
    """On the demo, offer its addresses and tokens."""
    demo = session.workspace().demo.compare
    offer_selection(
        chain_id,
        addresses="\n".join(demo.addresses),
        tokens="\n".join(demo.tokens),
        coin=demo.native,
    )


def draw() -> None:
    """Draw the page."""
    snapshot = session.current()
    st.title(say("compare.title"))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        addresses = choose_addresses()
    with right:
        tokens, coin = choose_assets()
        before = choose_before()
    labels = labels_of(snapshot.pin.chain_id) if snapshot else {}
    show_label_book(labels)
    faults = [*addresses.faults, *tokens.faults]
    refuse_all(faults)
    if snapshot is None:
        st.info(say("need.pin"))
        return
    if not addresses or not (tokens or coin):
        if not faults:
            st.info(say("need.addresses"))
            offer_demo(snapshot.pin.chain_id)
        return
    comparison = read(snapshot, addresses, tokens, coin=coin)
    if comparison is None:
        return
    if before:
        changed = read_change(snapshot, before, comparison, coin=coin)
        if changed is not None:
            session.collect(t("compare.title"), snapshot, ("change", before), changed)
            show_change(changed, names_in(comparison, labels))
    show(snapshot, comparison, labels)
    show_caveats(comparison.caveats)


draw()
