"""evidence.csv: exact, safe in a spreadsheet, whole or not there."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.worlds import World, address_of, string_bytes
from toolkit.analysis import Comparison, comparison_calls
from toolkit.errors import InvalidArgumentError, StoreUnusableError, UnreadableFileError
from toolkit.evidence import (
    ALPHABETS,
    COLUMNS,
    EvidenceRow,
    evidence_bytes,
    read_evidence,
    rows_of,
    write_evidence,
    write_table,
)
from toolkit.models import UINT256_MAX

ANN, BOB, TOKEN = (address_of(n) for n in (0xA11, 0xB0B, 0x70))


def compared(world):
    """Compare through the real tools."""
    calls = comparison_calls(1, "100", [ANN, BOB], [TOKEN], native=True)
    return Comparison.of(world.ask(calls), [ANN, BOB], [TOKEN], native=True)


def evidence_of(world):
    """All rows of the comparison."""
    found = compared(world)
    return list(rows_of(found.answers, found.derived))


@pytest.fixture
def world():
    """A token held up to the last of 256 bits."""
    world = World(coins={ANN: 12345678901234567, BOB: 10**5})
    world.put_token(TOKEN, {ANN: UINT256_MAX, BOB: 1}, decimals=18)
    return world


@pytest.fixture(scope="session")
def hostile_strings(shared_data):
    """The 22 hostile strings, as the bytes that a contract would return."""
    text = (shared_data.parent / "cases" / "injections.md").read_text(encoding="utf-8")
    entries = json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])
    assert len(entries) == 22
    return {entry["id"]: _bytes_of(entry) for entry in entries}


def _bytes_of(entry):
    if "hex" in entry:
        return bytes.fromhex(entry["hex"])
    if "build" in entry:
        parts = (p if isinstance(p, str) else p[0] * p[1] for p in entry["build"])
        return "".join(parts).encode()
    return entry["text"].encode("utf-16", "surrogatepass").decode("utf-16").encode()


def test_the_file_is_ascii_with_crlf_and_a_header(world):
    """A reader that guesses an encoding or a line end changes the file."""
    written = evidence_bytes(evidence_of(world))

    assert written.isascii()
    assert written.startswith(",".join(COLUMNS).encode() + b"\r\n")
    assert written.count(b"\n") == written.count(b"\r\n")


def test_every_cell_is_of_its_columns_alphabet_and_none_can_start_a_formula(world):
    """A cell that a spreadsheet runs is an attack on the reader of a report."""
    cells = list(csv.DictReader(io.StringIO(evidence_bytes(evidence_of(world)).decode())))

    for row in cells:
        for column, cell in row.items():
            assert re.fullmatch(ALPHABETS[column], cell), (column, cell)
            assert cell[:1] not in {"=", "+", "-", "@", "\t", "\r"}


@pytest.mark.parametrize("column", COLUMNS[:-1])
@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@A1", "\t1", "\r1", "1\n", "é"])
def test_no_column_takes_a_cell_that_could_run(column, start):
    """One open column is a door for every formula."""
    row = EvidenceRow(row_id="r" + "0" * 32, field="raw_amount", source="rpc")

    with pytest.raises((InvalidArgumentError, UnicodeEncodeError)):
        row._replace(**{column: start}).cells()


def test_every_hostile_string_comes_back_byte_for_byte(hostile_strings, world, tmp_path):
    """A cleaned file is not evidence, and an uncleaned one is a weapon."""
    for name, raw in hostile_strings.items():
        world.put(TOKEN, "symbol()", raw if name == "G22" else string_bytes(raw))
        rows = evidence_of(world)
        write_evidence(tmp_path / "evidence.csv", rows)
        back = list(read_evidence(tmp_path / "evidence.csv"))
        (symbol,) = (row for row in back if row.field == "symbol")

        assert back == rows
        if name == "G15":
            assert symbol.raw_hex.startswith("sha256:")
            assert "more characters" in json.loads(symbol.untrusted_text_json)
        elif name == "G22":
            assert symbol.raw_hex == "0x" + raw.hex()
            assert json.loads(symbol.untrusted_text_json) == "LAMBDA"
        else:
            assert json.loads(symbol.untrusted_text_json).encode() == raw


@given(st.integers(0, UINT256_MAX), st.integers(0, 255))
@settings(max_examples=30, deadline=None)
def test_78_digits_survive_from_the_node_to_the_file_and_back(tmp_path_factory, raw, decimals):
    """An integer is exact from the node to the CSV, all 256 bits."""
    world = World()
    world.put_token(TOKEN, {ANN: raw, BOB: raw}, decimals=decimals)
    found = compared(world)
    path = tmp_path_factory.mktemp("csv") / "evidence.csv"
    write_evidence(path, rows_of(found.answers, found.derived))
    rows = {row.row_id: row for row in read_evidence(path)}
    cell = found.cell(ANN, TOKEN)

    assert int(rows[cell.row_id].raw_amount) == int(rows[cell.row_id].raw_hex, 16) == raw
    assert rows[cell.row_id].amount == cell.amount


def test_the_same_evidence_gives_the_same_bytes(world):
    """A file whose hash is cited must be made again."""
    assert evidence_bytes(evidence_of(world)) == evidence_bytes(evidence_of(world))


def test_a_row_that_was_changed_is_found(world, tmp_path):
    """A digit changed on the way must not pass."""
    path = tmp_path / "evidence.csv"
    write_evidence(path, evidence_of(world))
    path.write_bytes(path.read_bytes().replace(b"12345678901234567", b"12345678901234568"))

    with pytest.raises(UnreadableFileError, match="changed after it was written"):
        list(read_evidence(path))


@pytest.mark.parametrize(
    ("column", "cell"),
    [("row_id", "=cmd|' /C calc'!A0"), ("caller", "@SUM(A1)"), ("raw_amount", "1.2E+16")],
)
def test_a_foreign_cell_is_refused_by_line_and_column_though_its_digest_is_right(
    column, cell, world, tmp_path
):
    """Anybody can reckon a digest: a forged file must not hand a formula to its reader."""
    path = tmp_path / "evidence.csv"
    good = evidence_of(world)[0]
    forged = good._replace(**{column: cell})
    cells = [*(getattr(forged, name) for name in COLUMNS[:-1]), forged.digest]
    write_table(path, COLUMNS, [(*good.cells(),), cells])

    with pytest.raises(UnreadableFileError, match=rf"Line 3 of .* in the column {column}\."):
        list(read_evidence(path))


@pytest.mark.parametrize("content", [b"", b"a,b\r\n", b"\xff\xfe", b'"'])
def test_a_file_of_another_kind_is_refused_with_a_sentence(content, tmp_path):
    """A wrong file must end in words and not in a trace."""
    path = tmp_path / "other.csv"
    path.write_bytes(content)

    with pytest.raises(UnreadableFileError):
        list(read_evidence(path))


def test_a_missing_folder_is_one_sentence(world, tmp_path):
    """A mistyped folder must not end in a trace."""
    with pytest.raises(StoreUnusableError, match="could not be written"):
        write_evidence(tmp_path / "nowhere" / "evidence.csv", evidence_of(world))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no /dev/full here.")
def test_a_full_disk_leaves_what_stood_there_and_nothing_half_written(world, tmp_path):
    """Half a file that looks whole is worse than none."""
    path = tmp_path / "evidence.csv"
    path.write_text("old", encoding="ascii")
    (tmp_path / f".evidence.csv.{os.getpid()}.partial").symlink_to("/dev/full")

    with pytest.raises(StoreUnusableError, match="no space left"):
        write_evidence(path, evidence_of(world))
    assert path.read_text(encoding="ascii") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["evidence.csv"]


def test_a_row_that_cannot_be_written_leaves_no_file(world, tmp_path):
    """A fault in row 1,000 must not leave 999 rows that look whole."""
    rows = evidence_of(world)
    bad = rows[-1]._replace(endpoint_id="=bad")

    with pytest.raises(InvalidArgumentError, match="endpoint_id"):
        write_evidence(tmp_path / "evidence.csv", [*rows[:-1], bad])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed.")
def test_a_spreadsheet_keeps_hex_addresses_hashes_and_times(world, tmp_path):
    """The reader of a report opens it in a spreadsheet first."""
    world.put(TOKEN, "symbol()", string_bytes(b'=HYPERLINK("https://sheet.invalid";"x")'))
    rows = evidence_of(world)
    write_evidence(tmp_path / "evidence.csv", rows)
    profile = (tmp_path / "profile").as_uri()
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--convert-to", "csv"]
    out = tmp_path / "out"
    subprocess.run(  # a fixed command over our own file
        [*command, "--outdir", str(out), str(tmp_path / "evidence.csv")],
        check=True,
        capture_output=True,
        timeout=120,
    )
    with (out / "evidence.csv").open(newline="", encoding="utf-8") as file:
        back = list(csv.DictReader(file))

    kept = (
        "row_id",
        "tool",
        "block_hash",
        "block_timestamp",
        "contract",
        "function",
        "calldata",
        "result_hex",
        "field",
        "raw_hex",
        "decimals_row_id",
        "untrusted_text_json",
        "derived_from",
        "formula",
        "read_at",
    )
    assert len(back) == len(rows)
    for row, copy in zip(rows, back, strict=True):
        assert {c: copy[c] for c in kept} == {c: getattr(row, c) for c in kept}
        assert copy["row_digest"] == row.digest
