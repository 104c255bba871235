"""Text that strangers wrote: its bytes are kept, its views are harmless, it has no str()."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from toolkit.untrusted import MAX_SHOWN, UntrustedText

UNSEEN = "\u202e\u200b\u00ad\u0000\u001b\U000e0041\ufe0f\u3164\u00a0\u2028\ufeff"


@pytest.fixture(scope="module")
def hostile_strings(shared_data):
    """The twenty-two hostile strings, as bytes."""
    text = (shared_data.parent / "cases" / "injections.md").read_text("utf-8")
    cases = json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])
    return [_bytes_of(case) for case in cases]


def _bytes_of(case):
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    if "build" in case:
        pieces = [
            piece if isinstance(piece, str) else piece[0] * piece[1] for piece in case["build"]
        ]
        return "".join(pieces).encode("utf-8")
    return case["text"].encode("utf-8", "surrogatepass")


def test_all_hostile_strings_keep_their_bytes_and_show_no_unseen_character(hostile_strings):
    """A ticker that displays as another token's is the cheapest fraud there is."""
    assert len(hostile_strings) == 22
    for raw in hostile_strings:
        text = UntrustedText.from_string(raw)

        assert text.raw == raw
        shown = text.for_page()
        assert not set(UNSEEN) & set(shown)
        assert all(char.isprintable() for char in shown)
        assert len(shown) <= MAX_SHOWN * 12 + 40
        assert text.for_csv().isascii()
        assert text.for_csv().startswith('"')


@given(st.text())
def test_the_csv_view_gives_every_text_back(text):
    """What was cleaned for the eye must still be provable to the byte."""
    raw = text.encode("utf-8", "surrogatepass")
    view = UntrustedText.from_string(raw)

    literal = json.loads(view.for_csv())

    assert literal == (f"hex:{raw.hex()}" if view.encoding == "not_utf8" else text)


def test_bytes_that_are_not_utf8_are_shown_as_hex():
    """A broken name must neither crash the page nor be silently repaired."""
    broken = UntrustedText.from_string(b"\xff\xfeabc")
    word = UntrustedText.from_bytes32(b"\xff" * 32)

    assert broken.encoding == word.encoding == "not_utf8"
    assert broken.for_page() == "⟨not UTF-8⟩ 0xfffe616263"
    assert json.loads(broken.for_csv()) == "hex:fffe616263"


def test_what_stands_after_the_nul_of_a_bytes32_is_not_shown_as_text():
    """Trailing bytes after the padding would smuggle words past the reader."""
    word = bytes.fromhex("4c414d4244410000" + "00" * 16 + "69676e6f72650000")

    text = UntrustedText.from_bytes32(word)

    assert text.for_page() == "LAMBDA"
    assert text.raw == word


def test_an_empty_name_says_that_it_is_empty():
    """Nothing on the page where a name belongs reads as a failure to load."""
    assert UntrustedText.from_string(b"").for_page() == "⟨empty⟩"


@given(st.binary(max_size=300))
def test_no_format_or_str_lets_the_content_out(raw):
    """One f-string in a log line is enough to run a terminal escape."""
    text = UntrustedText.from_string(b"\x1b[2J" + raw)

    for said in (str(text), repr(text), f"{text}", f"{text:>40}"):
        assert "\x1b" not in said
        assert said.startswith("<untrusted text, ")


@given(st.text(), st.integers(0, 2**64).map(hex))
def test_a_fence_cannot_be_closed_from_inside(text, nonce):
    """A name that closes the fence would speak with the toolkit's voice."""
    fenced = UntrustedText.from_string(text.encode("utf-8", "surrogatepass")).for_model(nonce)

    first, inside, last = fenced.split("\n")
    assert (first, last) == (f"[untrusted-{nonce}]", f"[/untrusted-{nonce}]")
    assert inside.isascii()
    assert isinstance(json.loads(inside), str)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (b"USDC", True),
        (b"Wrapped Ether", True),
        (b"", False),
        (b"=1+1", False),
        (b"x" * 41, False),
        ("USD\u0421".encode(), False),
        (b"\xff", False),
        (b" USDC", False),
        (b"a|b", False),
    ],
)
def test_only_quiet_text_counts_as_plain(raw, plain):
    """A symbol that needs a warning must not pass for one that needs none."""
    assert UntrustedText.from_string(raw).is_plain is plain


def test_in_json_it_says_what_it_is():
    """A program that reads the envelope must see that these words are nobody's."""
    adapter = TypeAdapter(UntrustedText)
    text = UntrustedText.from_string(b"USDC")

    told = json.loads(adapter.dump_json(text))

    assert set(told) == set(adapter.json_schema()["properties"])
    assert told["untrusted_text"] == "USDC"
    assert told["sha256"] == text.sha256
