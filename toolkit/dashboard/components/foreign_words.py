"""The only place where a page shows words that are not its own.

Text from a chain, and error sentences, which may quote it, reach the browser through plain
elements alone: st.text, st.code and table cells. None of them reads markdown or HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from toolkit.dashboard.inputs import MAX_FAULTS_SHOWN
from toolkit.dashboard.words import reason, say, t
from toolkit.errors import ToolkitError
from toolkit.models import Unknown
from toolkit.untrusted import UntrustedText


def cell(words: UntrustedText | Unknown | None) -> str:
    """Write untrusted text as one table cell; a table cell knows no markup."""
    if words is None:
        return t("words.none")
    if isinstance(words, Unknown):
        return reason(words.code)
    return f"\u201c{words.for_page()}\u201d"


def show_words(
    rows: list[tuple[str, UntrustedText | Unknown, UntrustedText | Unknown]],
    labels: Mapping[str, str],
) -> None:
    """Show what contracts call themselves: address, symbol, name, and what is odd about them.

    `labels` is the analyst's own address book, which a contract's words may imitate.
    """
    with st.container(border=True, key="foreign_words"):
        st.caption(say("words.notice"))
        lines = []
        for address, symbol, name in rows:
            others = [label for at, label in labels.items() if at != address]
            lines.append(f"{address}  {cell(symbol)}  {cell(name)}")
            lines += [f"    {said}" for said in oddities((symbol, name), others)]
        st.text("\n".join(lines))


def oddities(words: Iterable[UntrustedText | Unknown], others: Sequence[str]) -> list[str]:
    """Say what is hostile or odd about a contract's words, and which of `others` they imitate."""
    texts = [each for each in words if isinstance(each, UntrustedText)]
    traits = dict.fromkeys(trait for each in texts for trait in each.traits)
    imitated = dict.fromkeys(label for each in texts for label in each.resembles(others))
    said = [t("words.resembles", label=label) for label in imitated]
    if traits:
        said.append(t("words.traits", traits=", ".join(t(f"trait.{name}") for name in traits)))
    return said


def refuse(error: ToolkitError | str) -> None:
    """Show one error sentence: what, where, and the way out."""
    refuse_all([str(error)])


def refuse_all(sentences: Iterable[str]) -> None:
    """Show error sentences in one box, the first few in full."""
    said = list(sentences)
    if not said:
        return
    with st.container(border=True, key=f"refusal_{abs(hash(tuple(said)))}"):
        for sentence in said[:MAX_FAULTS_SHOWN]:
            st.text(sentence)
        if len(said) > MAX_FAULTS_SHOWN:
            st.text(t("refusal.more", count=len(said) - MAX_FAULTS_SHOWN))


def note(sentence: str) -> None:
    """Show a sentence that the analysis wrote, such as a caveat, as plain text."""
    st.text(sentence)
