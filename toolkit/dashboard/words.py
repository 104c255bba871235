"""Words on a page: `t` for plain-text elements, `say` for every element that reads markdown."""

from __future__ import annotations

import re
from typing import Final

import streamlit as st

from toolkit.i18n import choose_language, text

STATES: Final = (
    "not_a_contract",
    "not_supported_by_contract",
    "call_reverted",
    "decode_failed",
    "abnormal_answer",
    "wrong_pool_kind",
    "state_unavailable",
    "ratio_undefined",
    "timeout",
    "endpoint_unreachable",
    "rate_limited",
)
"""The reasons for a missing number that have words of their own, `state.<code>`."""

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def language() -> str:
    """The language of this session: chosen on the page, else the browser's, else English."""
    asked = st.session_state.get("lang") or st.query_params.get("lang")
    return choose_language(asked, st.context.locale)


def t(key: str, **params: object) -> str:
    """Look a text up for an element that shows plain text: st.text, st.code, table cells."""
    return text(language(), key, **params)


def say(key: str, **params: object) -> str:
    """Look a text up for an element that reads markdown; the params arrive as literal text."""
    return text(language(), key, **{name: literal(value) for name, value in params.items()})


def reason(code: str) -> str:
    """Why there is no number, in the reader's language, for a table cell or a chart."""
    return t(f"state.{code}") if code in STATES else t("state.other", code=code)


def literal(value: object) -> str:
    """Escape all ASCII punctuation, so that markdown, links and directives stay letters."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(str(value).split()))
