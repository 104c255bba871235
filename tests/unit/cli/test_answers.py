"""What the commands answer on the demo, and that it is what Python answers."""

from __future__ import annotations

import csv
import io
import json

import pytest

import toolkit as tk
from toolkit.evidence import COLUMNS

CHAIN = ("--chain-id", "31337000")
BRAM = "0xfe4A0684cB1B66eb0bEc10bb089EacfCD216c802"
NOBODY = "0x00000000000000000000000000000000000E3977"
AIKO = "0x5aa529f4b3E947075faB4AA8af7baf8f69590100"


@pytest.fixture
def comparing(demo) -> tuple[str, ...]:
    """The demo's first comparison."""
    chosen = demo.compare
    return (
        *CHAIN,
        *("--block", str(chosen.block), "--native"),
        *("--addresses", ",".join(chosen.addresses)),
        *("--tokens", ",".join(chosen.tokens)),
    )


def test_the_command_and_python_say_the_same(command_line, comparing, demo):
    """Two doors into one house: an analyst must be able to change from one to the other."""
    ran = command_line("compare", *comparing, "--json")
    chosen = demo.compare
    reading = (
        tk.demo()
        .at(block=chosen.block)
        .compare(addresses=chosen.addresses, tokens=chosen.tokens, native=True)
    )

    assert ran.document == reading.as_json()


@pytest.mark.parametrize("way", ["compare --csv", "export"])
def test_evidence_from_the_command_is_python_s_byte_for_byte(
    command_line, comparing, demo, tmp_path, way
):
    """A reader who repeats the export must not have to ask why two files differ."""
    ours, theirs = tmp_path / "ours.csv", tmp_path / "theirs.csv"
    chosen = demo.compare
    if way == "export":
        ran = command_line("export", "--from", "compare", "--out", ours, *comparing)
    else:
        ran = command_line("compare", *comparing, "--csv", ours)

    snapshot = tk.demo().at(block=chosen.block)
    reading = snapshot.compare(addresses=chosen.addresses, tokens=chosen.tokens, native=True)
    rows = reading.to_csv(theirs)

    assert ran.code in {0, 1}
    assert ours.read_bytes() == theirs.read_bytes()
    assert f"{rows} rows" in ran.err
    assert ours.read_bytes().startswith(",".join(COLUMNS).encode() + b"\r\n")


def test_a_table_file_holds_the_matrix_with_its_row_ids(command_line, comparing, tmp_path):
    """A number taken from the table must lead to its row of evidence."""
    command_line("compare", *comparing, "--csv", "rows.csv", "--table", "cells.csv")

    cells = list(csv.DictReader(io.StringIO((tmp_path / "cells.csv").read_text("ascii"))))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "rows.csv").read_text("ascii"))))
    proven = {row["row_id"]: row["raw_amount"] for row in rows}
    assert len(cells) == 42
    assert all(proven[cell["row_id"]] == cell["raw_amount"] for cell in cells)


def test_global_options_work_before_and_after_the_command(command_line, comparing):
    """Nobody remembers where a global option belongs."""
    before = command_line("--json", "--lang=ja", "compare", *comparing)
    after = command_line("compare", *comparing, "--lang", "ja", "--json")

    assert before.document["cells"] == after.document["cells"]
    assert before.document["pin"].keys() == after.document["pin"].keys()


def test_a_call_has_the_envelope_whole_and_exact(command_line):
    """A program must get every digit and the pin, from one document."""
    ran = command_line(
        "call", "get_native_balance", *CHAIN, "--address", BRAM, "--block", "100", "--json"
    )

    assert ran.code == 0
    assert ran.document["data"]["raw_amount"] == "999998505310954893548"
    assert ran.document["provenance"]["block_number"] == 100
    assert ran.document["error"] is None
    assert ran.out.isascii()


def test_a_change_shows_both_pins_and_the_exact_difference(command_line):
    """Two blocks may meet only where both are named."""
    ran = command_line(
        *("compare", *CHAIN, "--block", "39", "--to-block", "100"),
        *("--addresses", BRAM, "--native", "--json"),
    )

    assert ran.code == 0
    assert ran.document["before"]["block_number"] == 39
    assert ran.document["after"]["block_number"] == 100
    assert ran.document["cells"][0]["raw_change"] == "-1494689045106452"


def test_one_failed_cell_gives_exit_1_and_keeps_the_others(command_line, demo):
    """A script that checks the exit code must not take a hole for a zero."""
    tokens = f"{demo.tokens['MAPLE']},{AIKO}"

    ran = command_line(
        "compare", *CHAIN, "--block", "100", "--addresses", BRAM, "--tokens", tokens, "--json"
    )

    states = [cell["state"] for cell in ran.document["cells"]]
    assert ran.code == 1
    assert states == ["value", "not_a_contract"]
    assert ran.document["cells"][1]["raw_amount"] is None


def test_depth_states_moves_trade_and_fee(command_line, demo):
    """Pool figures without their definition and fee are hearsay."""
    ran = command_line(
        *("depth", *CHAIN, "--block", "100", "--pools", demo.depth.pools[0], "--moves", "1,5"),
        *("--fee-ppm", "3000", "--amount-in", "1000000", "--token-in", demo.tokens["CEDAR"]),
        "--json",
    )

    (pool,) = ran.document["pools"]
    assert ran.code == 0
    assert pool["fee_ppm"] == 3000
    assert pool["trade"]["raw_amount_out"] == "261401742623928630"
    assert len(pool["moves"]) == 8
    assert all(move["definition"] for move in pool["moves"])


def test_a_capped_list_says_so_first(command_line):
    """Whoever counts transfers must know that some are missing."""
    asked = ("transfers", *CHAIN, "--address", BRAM, "--from-block", "0", "--to-block", "100")

    shown = command_line(*asked, "--limit", "5")
    told = command_line(*asked, "--limit", "5", "--json").document

    assert shown.code == 0
    assert shown.out.splitlines()[2].startswith("NOT COMPLETE")
    assert (told["complete"], told["stopped_because"], len(told["rows"])) == (False, "limit", 5)


def test_an_instant_gives_a_pin_per_chain_and_hides_no_failure(command_line):
    """Chains compared at one instant: a chain that cannot be asked must show."""
    ran = command_line("pin", *CHAIN, "--chain-id", "5", "--time", "2026-01-05T00:10:05Z", "--json")

    demo_pin, other = ran.document["pins"]
    assert ran.code == 1
    assert demo_pin["pin"]["block_number"] == 50
    assert (other["pin"], other["error"]["code"]) == (None, "unknown_chain")


def test_addresses_come_from_a_file_with_comments(command_line, tmp_path):
    """A list of a thousand addresses is kept in a file, with remarks in it."""
    (tmp_path / "mine.csv").write_text(f"address\n{BRAM}  # trades\n\n{NOBODY}\n", "utf-8")

    ran = command_line(
        *("compare", *CHAIN, "--block", "100", "--addresses", "@mine.csv", "--native", "--json")
    )

    assert [cell["address"] for cell in ran.document["cells"]] == [BRAM, NOBODY]


def test_labels_are_shown_beside_the_address_and_never_instead(command_line, tmp_path):
    """A name helps the eye; the address is the identity."""
    (tmp_path / "book.csv").write_text(f"chain_id,address,label\n31337000,{BRAM},Bram\n", "utf-8")

    imported = command_line("labels", "import", "book.csv")
    listed = command_line("labels", "list", "--json").document
    ran = command_line("compare", *CHAIN, "--block", "100", "--addresses", BRAM, "--native")

    assert imported.code == 0
    assert listed == [{"chain_id": 31337000, "address": BRAM, "label": "Bram"}]
    assert f"{BRAM}   Bram" in ran.out


def test_an_endpoint_s_url_is_never_an_argument_and_never_shown(command_line, monkeypatch):
    """A key on a command line is in every process list and shell history."""
    monkeypatch.setenv("MY_SECRET_URL", "https://node.invalid/v3/0123456789abcdef")

    added = command_line(
        *("endpoint", "add", "--chain-id", "10", "--id", "mine", "--url-env", "MY_SECRET_URL")
    )
    listed = command_line("endpoint", "list")
    refused = command_line(
        *("endpoint", "add", "--chain-id", "10", "--id", "mine", "--url", "https://node.invalid")
    )

    assert added.code == 0
    assert "mine" in listed.out
    assert refused.code == 2
    for ran in (added, listed, refused):
        assert "0123456789abcdef" not in ran.out + ran.err
        assert "node.invalid" not in ran.out + ran.err


def test_every_command_that_the_demo_suggests_works(command_line, tmp_path):
    """A newcomer's first copied line must not end in an error."""
    lines = command_line("demo", "--json").document["try"]
    for line in lines:
        if line != "toolkit app":
            ran = command_line(*line.split()[1:])
            assert ran.code == 0, (line, ran.err)


def test_what_the_store_holds_is_said_and_can_be_dropped(command_line):
    """Whoever finds a wrong witness must be able to have a block read anew."""
    command_line("compare", *CHAIN, "--block", "100", "--addresses", BRAM, "--native")
    held = command_line("store", "info", "--json").document["facts"]

    dropped = command_line("store", "invalidate", *CHAIN, "--block", "100", "--json").document

    assert held == dropped["dropped"] > 0
    assert command_line("store", "info", "--json").document["facts"] == 0


def test_a_tool_s_six_statements_and_schema_come_from_the_tool(command_line):
    """Help that is written twice is wrong once."""
    shown = command_line("tools", "show", "get_erc20_balance").out
    schema = command_line("tools", "schema", "get_erc20_balance").document

    assert "Does not:" in shown
    assert "Fails with:" in shown
    assert set(schema["input"]["required"]) == {"chain_id", "holder", "token", "block"}


def test_the_doctor_says_what_to_do(command_line):
    """A newcomer without an endpoint must learn the next step."""
    shown = command_line("doctor")
    told = command_line("doctor", "--json").document

    assert "TOOLKIT_RPC_1" in shown.out
    assert told["ok"] is True
    assert told["sandbox"]["level"] == "none"


def test_batch_reads_standard_input_in_order(command_line, monkeypatch):
    """Pipes are how scripts speak."""
    line = {"tool": "get_native_balance", "args": {"chain_id": 31337000, "block": 100}}
    asked = [line | {"args": line["args"] | {"address": each}} for each in (BRAM, NOBODY)]
    text = "\n".join(json.dumps(each) for each in asked)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    ran = command_line("batch", "-")

    amounts = [json.loads(line)["data"]["raw_amount"] for line in ran.out.splitlines()]
    assert ran.code == 0
    assert amounts == ["999998505310954893548", "0"]


def test_a_trade_says_beside_its_figure_that_no_fee_is_in_it(command_line, demo):
    """Whoever reads more than the pool pays has made a plan on it before the caveats."""
    asked = ("depth", *CHAIN, "--block", "100", "--pools", demo.depth.pools[0], "--moves", "1")
    trade = ("--amount-in", "1000000", "--token-in", demo.tokens["CEDAR"])

    shown = command_line(*asked, *trade).out
    told = command_line(*asked, *trade, "--json").document["pools"][0]["trade"]

    assert "fee not included; the pool does not tell it" in shown
    assert "NOT included" in told["definition"]
    assert "\u22121 %   sell token0" in shown
    assert "token0   " + demo.tokens["MAPLE"] in shown
    assert "1.000000 " in shown


def test_a_trade_in_a_token_of_no_pool_is_refused_at_that_pool(command_line, demo):
    """A question that vanishes looks answered."""
    asked = ("depth", *CHAIN, "--block", "100", "--pools", demo.depth.pools[0])
    foreign = demo.tokens["VAST"]

    ran = command_line(*asked, "--amount-in", "5", "--token-in", foreign)

    assert ran.code == 1
    assert f"{foreign} is not a token of this pool; it has {demo.tokens['MAPLE']}" in ran.out


def test_a_thousand_equal_failures_are_one_sentence_with_a_count(command_line, demo, tmp_path):
    """The one other failure must not drown in a thousand alike."""
    (tmp_path / "many.txt").write_text("\n".join(f"0x{n:040x}" for n in range(1, 1001)), "utf-8")

    ran = command_line(
        *("compare", *CHAIN, "--block", "100", "--addresses", "@many.txt"),
        *("--tokens", demo.tokens["MAPLE"]),
    )

    assert ran.code == 1
    assert ran.out.count("did not record") == 1
    assert "(1000 of this kind" in ran.out
    assert "Shares are of" not in ran.out


def test_no_heading_stays_english_for_a_japanese_reader(command_line, monkeypatch):
    """Half a translation is read by nobody."""
    monkeypatch.setenv("TOOLKIT_RPC_5", "http://127.0.0.1:9")
    shown = "".join(
        command_line("--lang", "ja", *line).out
        for line in (
            ("endpoint", "list"), ("store", "info"), ("doctor",), ("demo",),
            ("pin", *CHAIN, "--block", "100"),
        )
    )  # fmt: skip

    for english in ("chain id", "bytes on disk", "accounts", "moments", "state root", "sandbox"):
        assert english not in shown


def test_an_undefined_ratio_is_said_in_words(command_line):
    """A code in the place of a number is read by programmers only."""
    holders = f"{BRAM},{NOBODY}"

    shown = command_line(
        "compare", *CHAIN, "--block", "100", "--addresses", holders, "--native"
    ).out

    assert "no ratio: the divisor is zero" in shown
    assert "ratio_undefined" not in shown
