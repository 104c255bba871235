"""The worst names that could be put on a chain, through every way out of the toolkit."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

import toolkit as tk
from tests.chain.anvil import NoAnvilError
from tests.chain.hostile_tokens import hostile_chain
from tests.command_line import CommandLine
from tests.hostile_text import HIDDEN
from toolkit.evidence import read_evidence

OUR_TAGS = {"code", "div", "li", "p", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"}


@pytest.fixture(scope="module")
def chain(tmp_path_factory, shared_data):
    """One token per hostile text, the shared cases' and our own, on one chain."""
    try:
        with hostile_chain(tmp_path_factory.mktemp("hostile"), shared_data.parent) as chain:
            yield chain
    except NoAnvilError as error:
        pytest.skip(str(error))


@pytest.fixture
def command_line(capsys, monkeypatch, tmp_path, chain) -> CommandLine:
    """`toolkit` on an empty store and the hostile chain, in an empty folder, in English."""
    for name in list(os.environ):
        if name.startswith(("TOOLKIT_RPC_", "TOOLKIT_CONFIG", "TOOLKIT_LLM_", "LC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "store"))
    monkeypatch.setenv(f"TOOLKIT_RPC_{chain.node.chain_id}", chain.node.url)
    monkeypatch.chdir(tmp_path)
    return CommandLine(capsys)


def selection(chain) -> list[object]:
    """The arguments of a comparison of one holder over all the tokens."""
    return [
        *("--chain-id", chain.node.chain_id, "--block", 1),
        *("--addresses", chain.node.accounts[0], "--tokens", ",".join(chain.addresses)),
    ]


def assert_quiet(ran) -> None:
    """Nothing that moves, hides or reorders text stands on either stream."""
    for stream in (ran.out, ran.err):
        assert not (HIDDEN - {"\n"}) & set(stream)
        assert all(char.isprintable() or char == "\n" for char in stream)
        assert "Traceback" not in stream


def test_each_text_is_called_by_its_bytes_and_its_traits(command_line, chain):
    """What was made visible for the eye must still be what stands on the chain."""
    calls = [
        {
            "tool": "get_token_metadata",
            "args": {"chain_id": chain.node.chain_id, "token": token.address, "block": "1"},
        }
        for token in chain.tokens
    ]
    with open("calls.jsonl", "w", encoding="utf-8") as file:  # noqa: PTH123 - in the test's folder
        file.writelines(json.dumps(call) + "\n" for call in calls)

    ran = command_line("batch", "calls.jsonl", "--json")

    assert ran.code == 0, ran.err
    assert ran.out.isascii()
    assert_quiet(ran)
    envelopes = [json.loads(line) for line in ran.out.splitlines()]
    for token, envelope in zip(chain.tokens, envelopes, strict=True):
        for field in ("name", "symbol"):
            told = envelope["data"][field]
            assert told["sha256"] == "sha256:" + hashlib.sha256(token.raw).hexdigest()
            assert told["bytes"] == len(token.raw)
            assert told["traits"], token.oddity
            assert not HIDDEN & set(told["untrusted_text"])
        assert envelope["data"]["raw_total_supply"] == "70"


def test_a_terminal_is_shown_marks_and_names_of_traits(command_line, chain):
    """An escape sequence in a token's name clears the screen and writes a false balance."""
    for token in chain.tokens:
        ran = command_line(
            *("call", "get_token_metadata", "--chain-id", chain.node.chain_id),
            *("--token", token.address, "--block", 1),
        )
        assert ran.code == 0, ran.err
        assert_quiet(ran)
        assert "untrusted" in ran.out
        assert len(ran.out) < 8_000, token.oddity
        if token.oddity == "G14":
            assert "terminal escape sequences" in ran.out


def test_a_reason_for_a_revert_is_quoted_and_bounded(command_line, chain):
    """A contract that refuses writes into the error that every log keeps."""
    for token in chain.tokens:
        ran = command_line(
            *("call", "get_erc20_balance", "--chain-id", chain.node.chain_id, "--block", 1),
            *("--holder", chain.node.accounts[0], "--token", token.refusing),
        )
        assert ran.code == 1
        assert ran.out == ""
        assert ran.err.count("\n") == 1
        assert ran.err.isascii()
        assert "own words, untrusted: " in ran.err, token.oddity
        assert_quiet(ran)
        assert len(ran.err) < 2_500


def test_a_comparison_of_all_of_them_is_numbers_and_marks(command_line, chain):
    """A name must not become a row, a column or an amount."""
    chosen = selection(chain)

    told = command_line("compare", *chosen)
    machine = command_line("compare", *chosen, "--json")
    japanese = command_line("--lang", "ja", "compare", *chosen)

    for ran in (told, machine, japanese):
        assert ran.code == 0, ran.err
        assert_quiet(ran)
    assert machine.out.isascii()
    cells = machine.document["cells"]
    assert [cell["asset"].lower() for cell in cells] == chain.addresses
    assert {cell["raw_amount"] for cell in cells} == {"7"}
    assert "metadata_hostile" in str(machine.document["caveats"])
    assert "letters that only look Latin" in told.out
    assert "ラテン文字に似せた別の文字" in japanese.out


def test_an_imitated_label_is_named(command_line, chain, tmp_path):
    """A token that carries a name from the analyst's own address book is trusted for it."""
    book = tmp_path / "book.csv"
    known = chain.node.accounts[1]
    book.write_text(f"chain_id,address,label\n{chain.node.chain_id},{known},USDC\n", "utf-8")
    command_line("labels", "import", str(book))

    ran = command_line("compare", *selection(chain))

    assert ran.code == 0, ran.err
    # Turned around, with a Cyrillic letter, with fillers, and in mathematical letters.
    assert ran.out.count('It looks like your own label "USDC"') == 4


def test_evidence_gives_every_text_back_to_the_byte(command_line, chain, tmp_path):
    """Evidence that was cleaned proves nothing, and evidence that was not is dangerous."""
    ran = command_line("compare", *selection(chain), "--csv", "evidence.csv")

    written = (tmp_path / "evidence.csv").read_bytes()
    rows = list(read_evidence(tmp_path / "evidence.csv"))
    assert ran.code == 0, ran.err
    assert written.isascii()
    assert b"\t" not in written
    assert written.count(b"\r\n") == written.count(b"\n") == len(rows) + 1
    by_token = {row.contract.lower(): row for row in rows if row.field == "name"}
    for token in chain.tokens:
        literal = json.loads(by_token[token.address].untrusted_text_json)
        if len(token.raw) > 16_000:
            assert by_token[token.address].raw_hex == hashed(token.raw)
            assert len(literal) < 1_000
        elif token.oddity == "G22":
            assert literal == "LAMBDA"
            assert by_token[token.address].raw_hex == "0x" + token.raw.hex()
        else:
            given = literal.encode() if not literal.startswith("hex:") else None
            assert (given or bytes.fromhex(literal[4:])) == token.raw
            assert by_token[token.address].raw_hex == "0x" + token.raw.hex()


def hashed(raw: bytes) -> str:
    return "sha256:" + hashlib.sha256(raw).hexdigest()


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed.")
def test_a_spreadsheet_runs_no_formula_of_a_name(command_line, chain, tmp_path):
    """Whoever double-clicks the evidence would run a stranger's program."""
    command_line("compare", *selection(chain), "--csv", "evidence.csv")
    profile = (tmp_path / "profile").as_uri()
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--convert-to", "csv"]
    subprocess.run(
        [*command, "--outdir", str(tmp_path / "out"), str(tmp_path / "evidence.csv")],
        check=True,
        capture_output=True,
        timeout=180,
    )

    with (tmp_path / "out/evidence.csv").open(newline="", encoding="utf-8") as file:
        back = [row["untrusted_text_json"] for row in csv.DictReader(file)]

    assert back == [row.untrusted_text_json for row in read_evidence(tmp_path / "evidence.csv")]


class Tags(HTMLParser):
    """Collects what a browser would make of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [name for name, _ in attrs if name != "style"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_notebook_shows_text_and_no_markup_of_a_stranger(command_line, chain):
    """A notebook runs what its output says, with the reader's own rights."""
    node = tk.connect(chain_id=chain.node.chain_id)
    reading = node.at(block=1).compare(
        addresses=[chain.node.accounts[0]], tokens=chain.addresses, native=False
    )
    page = Tags()
    page.feed(reading._repr_html_())
    told = repr(reading)
    node.close()

    assert page.tags <= OUR_TAGS
    assert page.links == []
    assert "onerror" in page.text
    assert not (HIDDEN - {"\n"}) & set(told + page.text)
