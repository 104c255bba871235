"""Text that strangers wrote: its bytes are kept, its views are harmless, it has no str()."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import re
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from tests.hostile_text import HIDDEN, OWN, shared_cases
from toolkit.untrusted import MAX_SHOWN, TRAITS, UntrustedText

NONCE = "0123456789abcdef"
MODEL_TOKENS = re.compile(r"[<>|\[\]{}#`$]")

TRAITS_OF_CASES = {
    "G01": "address_like",
    "G02": "long",
    "G03": "fence_break",
    "G04": "fence_break",
    "G05": "long",
    "G06": "zero_width",
    "G07": "bidi",
    "G08": "tag_characters",
    "G09": "homoglyph",
    "G10": "markup",
    "G11": "url",
    "G12": "markup",
    "G13": "formula",
    "G14": "terminal_escape",
    "G15": "over_long",
    "G16": "nul",
    "G17": "template_token",
    "G18": "long",
    "G19": "address_like",
    "G20": "other_letters",
    "G21": "url",
    "G22": "hidden_tail",
}
TRAITS_OF_OWN = {
    "not UTF-8": "not_utf8",
    "lone surrogate": "not_utf8",
    "empty": "empty",
    "line ends only": "control",
    "terminal link": "terminal_escape",
    "C1 escape": "terminal_escape",
    "Streamlit markup": "markup",
    "script": "markup",
    "bare address": "url",
    "LaTeX": "markup",
    "template": "template_token",
    "formula with program": "formula",
    "formula after tab": "formula",
    "full-width formula": "formula",
    "number": "number_like",
    "selector": "address_like",
    "JSON break": "fence_break",
    "accents": "stacked_marks",
    "isolates": "bidi",
    "Hebrew": "right_to_left",
    "fillers": "invisible",
    "selectors": "variation_selector",
    "styled": "homoglyph",
    "end of text": "template_token",
}


@pytest.fixture(scope="module")
def hostile(shared_data):
    """The twenty-two shared strings and our own, as untrusted text by name."""
    cases = shared_cases(shared_data.parent) | OWN
    return {name: _text(name, raw) for name, raw in cases.items()}


def _text(name, raw):
    return UntrustedText.from_bytes32(raw) if name == "G22" else UntrustedText.from_string(raw)


def test_all_hostile_strings_keep_their_bytes_and_show_no_unseen_character(hostile):
    """A ticker that displays as another token's is the cheapest fraud there is."""
    assert len(hostile) == 22 + len(OWN)
    for name, text in hostile.items():
        shown = text.for_page()
        assert not HIDDEN & set(shown), name
        assert all(char.isprintable() for char in shown), name
        assert len(shown) <= MAX_SHOWN * 12 + 40
        assert text.for_csv().isascii()
        assert text.for_csv().startswith('"')
        assert text.for_log().isascii()
        assert text.for_log().isprintable()


def test_each_hostile_string_is_told_by_its_trait(hostile):
    """A reader who is only told 'odd' cannot tell a foreign alphabet from an attack."""
    wanted = TRAITS_OF_CASES | TRAITS_OF_OWN

    told = {name: hostile[name].traits for name in wanted}

    assert {name for name, trait in wanted.items() if trait not in told[name]} == set()
    assert all(text.traits and not text.is_plain for text in hostile.values())


def test_every_trait_has_a_string_that_shows_it(hostile):
    """A trait that nothing shows is a warning that never comes."""
    assert {trait for text in hostile.values() for trait in text.traits} == set(TRAITS)


@given(st.text())
def test_what_has_no_trait_is_short_quiet_ascii(text):
    """A name that is more than a name must not pass without a word."""
    found = UntrustedText.from_string(text.encode("utf-8", "surrogatepass"))

    assert set(found.traits) <= set(TRAITS)
    assert list(found.traits) == sorted(found.traits, key=TRAITS.index)
    if not found.traits:
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,39}", text)


@pytest.mark.parametrize(
    "text",
    [
        "\u202eCDSU\u202c",
        "USD\u0421",
        "\uff35\uff33\uff24\uff23",
        "U\u200bS\u200bD\u200bC",
        "usdc",
        "\U0001d414\U0001d412\U0001d403\U0001d402",
        "USDC\U000e0041",
    ],
)
def test_what_looks_like_a_known_name_is_found(text):
    """Whoever knows a token by its name is paid in another one."""
    found = UntrustedText.from_string(text.encode())

    assert found.resembles(["WETH", "USDC"]) == ("USDC",)
    assert found.look == UntrustedText.from_string(b"USDC").look


@pytest.mark.parametrize("text", ["USDT", "U", "", "\u7a33\u5b9a\u5e01", "USDC2"])
def test_what_does_not_look_like_a_known_name_is_left_alone(text):
    """A warning on every token is read by nobody."""
    assert UntrustedText.from_string(text.encode()).resembles(["WETH", "USDC", ""]) == ()


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
    assert broken.resembles(["abc"]) == ()
    assert broken.look != word.look


def test_what_stands_after_the_nul_of_a_bytes32_is_not_shown_as_text():
    """Trailing bytes after the padding would smuggle words past the reader."""
    word = bytes.fromhex("4c414d4244410000" + "00" * 16 + "69676e6f72650000")

    text = UntrustedText.from_bytes32(word)

    assert text.for_page() == "LAMBDA"
    assert text.traits == ("hidden_tail",)
    assert text.raw == word


def test_an_empty_name_says_that_it_is_empty():
    """Nothing on the page where a name belongs reads as a failure to load."""
    assert UntrustedText.from_string(b"").for_page() == "⟨empty⟩"


def test_accents_cannot_reach_into_the_line_above():
    """A pile of marks on one letter writes over the amount beside it."""
    shown = UntrustedText.from_string(("e" + "\u0301" * 50).encode()).for_page()

    assert shown.count("\u0301") == 3
    assert "⟨U+0301⟩" in shown


class Envelope(BaseModel):
    """A model that carries untrusted text, as a tool's answer does."""

    name: UntrustedText


@given(st.binary(max_size=300))
def test_no_way_but_a_view_lets_the_content_out(raw):
    """One f-string in a log line is enough to run a terminal escape."""
    text = UntrustedText.from_string(b"\x1b[2Jcanary" + raw)
    carried = Envelope(name=text)
    record = logging.LogRecord("x", logging.INFO, "x", 1, "%s %r", (text, text), None)

    said = [str(text), repr(text), f"{text}", f"{text:>40}", f"{text!a}", "%s" % text]  # noqa: UP031
    said += ["{}".format(text), str([text]), str({"a": text}), repr(carried), str(carried)]  # noqa: UP032
    said += [record.getMessage(), str(ValueError(text)), "".join(map(str, (text,)))]

    for each in said:
        assert "\x1b" not in each
        assert "canary" not in each
        assert "<untrusted text, " in each
    assert "\\u001b" not in carried.model_dump_json()
    with pytest.raises(TypeError):
        json.dumps(text)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="not pickled"):
            pickle.dumps(carried, protocol)


def test_a_copy_is_the_same_text():
    """A model that is copied must not lose what it read, nor find a way around the views."""
    carried = Envelope(name=UntrustedText.from_string(b"USDC"))

    assert carried.model_copy(deep=True).name is carried.name
    assert copy.copy(carried.name) is carried.name
    assert asdict(carried.name) == {"raw": b"USDC", "encoding": "string"}


@given(st.text(), st.text("0123456789abcdef", min_size=16, max_size=64))
def test_a_fence_cannot_be_closed_from_inside(text, nonce):
    """A name that closes the fence would speak with the toolkit's voice."""
    fenced = UntrustedText.from_string(text.encode("utf-8", "surrogatepass")).for_model(nonce)

    first, inside, last = fenced.split("\n")
    told = json.loads(inside)
    assert (first, last) == (f"[untrusted-{nonce}]", f"[/untrusted-{nonce}]")
    assert inside.isascii()
    assert inside.isprintable()
    assert not MODEL_TOKENS.search(inside[1:-1])
    assert set(told) == {"text", "traits"}


def test_a_model_is_shown_no_more_than_a_page_is(hostile):
    """A megabyte of a stranger's words would be all that the model reads."""
    for text in hostile.values():
        told = json.loads(text.for_model(NONCE).split("\n")[1])

        assert told["text"] == text.for_page()
        assert told["traits"] == ", ".join(text.traits)
        assert len(text.for_model(NONCE)) < 7_000


@pytest.mark.parametrize("nonce", ["", "abc", "A" * 16, "a" * 65, "0123456789abcde\n", "a" * 15])
def test_a_fence_that_could_be_guessed_is_refused(nonce):
    """A fence of three letters is one that a name can write."""
    with pytest.raises(ValueError, match="16 to 64 random"):
        UntrustedText.from_string(b"USDC").for_model(nonce)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (b"USDC", True),
        (b"USDC.e", True),
        (b"Wrapped Ether", True),
        (b"Uniswap V2", True),
        (b"", False),
        (b"=1+1", False),
        (b"x" * 41, False),
        ("USD\u0421".encode(), False),
        (b"\xff", False),
        (b" USDC", False),
        (b"a|b", False),
        (b"claim-usdc.com", False),
        (b"0xdeadbeef", False),
        (b"deadbeefdeadbee0", False),
        (b"1000000", False),
    ],
)
def test_only_quiet_text_counts_as_plain(raw, plain):
    """A symbol that needs a warning must not pass for one that needs none."""
    assert UntrustedText.from_string(raw).is_plain is plain


def test_in_json_it_says_what_it_is():
    """A program that reads the envelope must see that these words are nobody's."""
    adapter = TypeAdapter(UntrustedText)
    text = UntrustedText.from_string(b"USDC \xe2\x80\xae")

    told = json.loads(adapter.dump_json(text))

    assert set(told) == set(adapter.json_schema()["properties"])
    assert told["untrusted_text"] == "USDC ⟨U+202E⟩"
    assert told["traits"] == ["bidi"]
    assert told["sha256"] == text.sha256
