"""What is hostile or odd about a text, by name. No trait is a verdict, and none is no praise.

Every pattern is linear in the text: whoever writes a name must not choose how long it takes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from toolkit.untrusted.likeness import has_lookalike
from toolkit.untrusted.unseen import has_stacked_marks, is_selector, is_unseen

LONGEST_NAME: Final = 40
"""Characters that a token's name needs. A longer one has room for a sentence."""

MAX_SHOWN: Final = 120
"""Characters that a page or a model is shown; the bytes and their hash are kept whole."""

TRAITS: Final = (
    "not_utf8",
    "empty",
    "hidden_tail",
    "nul",
    "terminal_escape",
    "control",
    "bidi",
    "zero_width",
    "tag_characters",
    "variation_selector",
    "invisible",
    "stacked_marks",
    "homoglyph",
    "right_to_left",
    "url",
    "markup",
    "fence_break",
    "template_token",
    "formula",
    "address_like",
    "number_like",
    "long",
    "over_long",
    "punctuation",
    "other_letters",
)
"""Every trait, in the order in which they are told: `trait.<name>` says each in words."""

_QUIET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]*")
_ENDINGS: Final = (
    "ai|app|biz|cash|cc|claims?|click|club|co|com|dev|eth|events?|exchange|fi|finance|fun|gg|gift|"
    "info|invalid|io|land|link|live|ltd|me|money|net|network|online|org|page|pro|pw|ru|shop|site|"
    "social|space|store|tech|to|tools|top|tv|us|vip|website|win|world|ws|xyz|zip|zone"
)
_DIRECTION: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_JOINERS: Final = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2064\ufeff"
_TAGS: Final = "\U000e0000-\U000e007f"

_PATTERNS: Final = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("nul", "\\x00"),
        ("terminal_escape", "[\\x1b\\x80-\\x9f]"),
        ("control", "[\\x01-\\x1f\\x7f\u2028\u2029]"),
        ("bidi", f"[{_DIRECTION}]"),
        ("zero_width", f"[{_JOINERS}]"),
        ("tag_characters", f"[{_TAGS}]"),
        (
            "url",
            rf"://|(?<!\w)www\.|(?<!\w)(?:mailto|javascript|data|tel|ipfs|ipns|magnet):"
            rf"|(?<=\w)[.\u3002\uff0e](?:{_ENDINGS})(?!\w)",
        ),
        (
            "markup",
            r"<[a-z/!?]|&#?\w{1,8};|\]\(|\]\[|`|\*\*|__|~~|\$\$|\\[a-z(\[]"
            r"|:[a-z]{1,16}(?:-background)?\[|:material/|(?m:^\s{0,3}(?:#{1,6}\s|>|[-*]\s))",
        ),
        (
            "fence_break",
            r"\[/?[a-z][\w -]{0,40}\](?!\()|```|~~~|-----|=====|\"\s{0,4}[}\]]"
            r"|(?m:^\s{0,8}(?:system|assistant|user|human|developer|tool)\s{0,3}[:\uff1a])",
        ),
        (
            "template_token",
            r"<[|\uff5c]|[|\uff5c]>|<</?sys>>|\[/?(?:inst|tool_calls|available_tools)\]|</?s>"
            r"|</?(?:bos|eos|think|start_of_turn|end_of_turn|function_calls?|tool_call|unused\d+)>"
            r"|\{\{|\}\}|\{%|\$\{|(?m:^#{1,4}\s{0,3}(?:instruction|response|system|human))",
        ),
        ("formula", "^[\\s\"'\\x00]{0,16}[=+\\-@\uff1d\uff0b\uff0d\uff20]|^[\\t\\r\\n]"),
        (
            "address_like",
            r"0x[0-9a-f]{8}|eip155:|(?<![0-9a-z])(?=[a-f]{0,64}\d)[0-9a-f]{16,}(?![0-9a-z])",
        ),
        ("number_like", r"^[\d.,_' ]{1,200}(?:e[+-]?\d{1,9})?$"),
    )
)
_NAMED_UNSEEN: Final = re.compile(
    f"[\\x00-\\x1f\\x7f-\\x9f\u2028\u2029{_DIRECTION}{_JOINERS}{_TAGS}]"
)


def traits_of(text: str) -> tuple[str, ...]:
    """Name what is odd about a text, in the order of TRAITS."""
    found = {"empty"} if text == "" else set(_found(text))
    return tuple(name for name in TRAITS if name in found)


def _found(text: str) -> Iterator[str]:
    yield from (name for name, pattern in _PATTERNS if pattern.search(text))
    if len(text) > LONGEST_NAME:
        yield "long"
    if len(text) > MAX_SHOWN:
        yield "over_long"
    if _QUIET.fullmatch(text):
        return
    yield from _of_characters(set(text))
    if not text[0].isalnum():
        yield "punctuation"
    if not text.isascii():
        yield from _beyond_ascii(text)


def _of_characters(used: set[str]) -> Iterator[str]:
    """What the characters say by themselves, wherever they stand."""
    for char in used:
        if is_selector(char):
            yield "variation_selector"
        elif is_unseen(char):
            if not _NAMED_UNSEEN.match(char):
                yield "invisible"
        elif not char.isascii():
            yield "other_letters"
        elif not _QUIET.fullmatch("A" + char):
            yield "punctuation"
        if unicodedata.bidirectional(char) in {"R", "AL"}:
            yield "right_to_left"


def _beyond_ascii(text: str) -> Iterator[str]:
    if has_lookalike(text):
        yield "homoglyph"
    if has_stacked_marks(text):
        yield "stacked_marks"
