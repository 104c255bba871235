"""The terminal must show every digit, and do nothing that a chain tells it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from toolkit.cli.screen import Screen
from toolkit.untrusted import UntrustedText

ADDRESS = "0xfe4A0684cB1B66eb0bEc10bb089EacfCD216c802"
HASH = "0x" + "ab" * 32
AMOUNT = "115792089237316195423570985008687907853269984665640564039457.584007913129639935"


@pytest.fixture(scope="session")
def hostile_strings(shared_data) -> list[bytes]:
    """The shared strings, each as the bytes that a contract would return."""
    text = (Path(shared_data).parent / "cases" / "injections.md").read_text("utf-8")
    cases = json.loads(re.findall(r"```json\n(.*?)```", text, re.DOTALL)[-1])
    return [_bytes_of(case) for case in cases]


def _bytes_of(case) -> bytes:
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    parts = case.get("build") or [case["text"]]
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts).encode()


@pytest.mark.parametrize("width", [80, 40, None])
def test_no_amount_address_or_hash_is_ever_cut(width):
    """A shortened number looks like another number."""
    out = io.StringIO()

    Screen(out, out, width).table(("address", "amount", "hash"), [(ADDRESS, AMOUNT, HASH)])

    shown = out.getvalue()
    assert ADDRESS in shown
    assert AMOUNT in shown
    assert HASH in shown
    assert "\u2026" not in shown


def test_a_table_that_fits_stays_within_the_terminal():
    """Lines that wrap by accident make columns unreadable."""
    out = io.StringIO()

    Screen(out, out, 80).table(("address", "amount"), [(ADDRESS, "1250.000000")])

    assert max(map(cell_len, out.getvalue().splitlines())) <= 80


def test_hostile_strings_move_no_cursor_and_mean_no_markup(hostile_strings):
    """A token's name must not clear the screen, fake a line or colour a number."""
    for raw in hostile_strings:
        out = io.StringIO()
        screen = Screen(out, out, 80)

        text = UntrustedText.from_string(raw).for_page()
        screen.line(text)
        screen.say(text)
        screen.table(("name", "amount"), [(text, "1"), ("[bold red]x[/]", ":smile:")])

        shown = out.getvalue()
        assert "\x1b" not in shown
        assert all(char.isprintable() or char == "\n" for char in shown)
        assert "[bold red]x[/]" in shown
        assert ":smile:" in shown


def test_text_that_came_past_its_view_is_still_made_visible():
    """The second fence holds where somebody forgets the first."""
    out = io.StringIO()

    Screen(out, out, 80).line("a\x1b[2Jb\u202ec\x00")

    assert out.getvalue() == "a\u27e8U+001B\u27e9[2Jb\u27e8U+202E\u27e9c\u27e8U+0000\u27e9\n"


def test_a_hostile_name_on_the_demo_stays_text(command_line, demo):
    """The whole path, from a contract to the terminal."""
    ran = command_line(
        *("call", "get_token_metadata", "--chain-id", "31337000", "--block", "100"),
        *("--token", demo.tokens["LURE"]),
    )

    assert ran.code == 0
    assert "[untrusted, string]" in ran.out
    assert "\x1b" not in ran.out


def test_json_is_ascii_whatever_a_chain_wrote(command_line, demo):
    """A log or a terminal that shows JSON must be as safe as a page."""
    for token in demo.tokens.values():
        ran = command_line(
            *("call", "get_token_metadata", "--chain-id", "31337000", "--block", "100"),
            *("--token", token, "--json"),
        )
        assert ran.out.isascii()
        assert "\x1b" not in ran.out
