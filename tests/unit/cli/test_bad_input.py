"""Everything a person can get wrong, and the one sentence that each gets for it."""

from __future__ import annotations

import json

import pytest

CHAIN = ("--chain-id", "31337000")
BRAM = "0xfe4A0684cB1B66eb0bEc10bb089EacfCD216c802"
MAPLE = "0x81bEF8eb1E07730A3416e065442DF14426F34Baa"
ALDER = "0xd82CCEf3D60a71D91aF75cCAFA00c13558fafD20"
AT_100 = (*CHAIN, "--block", "100")


def comparing(*more: str, addresses: str = BRAM) -> tuple[str, ...]:
    return ("compare", *more, "--addresses", addresses, "--native")


def asking(token: str, *at: str) -> tuple[str, ...]:
    return ("call", "get_erc20_balance", *at, "--holder", BRAM, "--token", token)


def measuring(*more: str) -> tuple[str, ...]:
    return ("depth", *AT_100, "--pools", ALDER, *more)


def moving(first: str, last: str) -> tuple[str, ...]:
    asked = ("transfers", *CHAIN, "--address", BRAM, "--limit", "5")
    return (*asked, "--from-block", first, "--to-block", last)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(comparing("--block", "1"), 2, "--chain-id", id="missing chain"),
        pytest.param(comparing(*CHAIN), 2, "--block", id="missing block"),
        pytest.param(asking(MAPLE, "--block", "1"), 2, "--chain-id", id="missing in call"),
        pytest.param(
            comparing(*AT_100, addresses=BRAM.replace("f", "F", 1)), 2, BRAM, id="checksum"
        ),
        pytest.param(comparing(*AT_100, addresses="USDC"), 2, "ticker", id="ticker"),
        pytest.param(comparing(*AT_100, addresses="aiko.eth"), 2, "not resolved", id="ENS"),
        pytest.param(asking("USDC", *AT_100), 2, "ticker", id="ticker in call"),
        pytest.param(
            comparing("--chain-id", "5", "--block", "1"), 2, "TOOLKIT_RPC_5", id="unknown chain"
        ),
        pytest.param(
            comparing("--chain-id", "0x1", "--block", "1"), 2, "decimal", id="hex chain id"
        ),
        pytest.param(comparing(*CHAIN, "--block", "101"), 1, "newest is 100", id="above head"),
        pytest.param(comparing(*CHAIN, "--block", "-5"), 2, "negative", id="negative height"),
        pytest.param(comparing(*CHAIN, "--block", "0x64"), 2, "decimal: 100", id="hex height"),
        pytest.param(comparing(*CHAIN, "--block", "lastest"), 2, "latest, safe", id="tag"),
        pytest.param(asking(BRAM, *AT_100), 1, "No code", id="EOA as token"),
        pytest.param(
            ("call", "get_pool_reserves", *AT_100, "--pool", MAPLE), 1, "not a", id="no pool"
        ),
        pytest.param(comparing(*AT_100, addresses="@nowhere.txt"), 4, "nowhere.txt", id="@FILE"),
        pytest.param(("batch", "nowhere.jsonl"), 4, "nowhere.jsonl", id="batch file"),
        pytest.param(("labels", "import", "nowhere.csv"), 4, "nowhere.csv", id="labels file"),
        pytest.param(comparing(*AT_100, "--csv", "no/x.csv"), 3, "no/x.csv", id="csv target"),
        pytest.param(("--config", "no.toml", *comparing(*AT_100)), 4, "no.toml", id="settings"),
        pytest.param(("pin", *CHAIN), 2, "--time", id="pin of nothing"),
        pytest.param(("pin", *CHAIN, "--time", "2026-01-05T00:10"), 2, "zone", id="zoneless time"),
        pytest.param(
            ("depth", *AT_100, "--pools", ALDER, "--amount-in", "5"), 2, "--token-in", id="trade"
        ),
        pytest.param(("depth", *AT_100, "--pools", ALDER, "--moves", "x"), 2, "'x'", id="move"),
        pytest.param(measuring("--moves", ""), 2, "empty place", id="no move"),
        pytest.param(measuring("--moves", "5,,1"), 2, "empty place", id="hole in moves"),
        pytest.param(measuring("--moves", "5 %"), 2, "'5 %' is not a move", id="percent sign"),
        pytest.param(
            measuring("--amount-in", "9" * 90, "--token-in", MAPLE), 2, "256 bits", id="too large"
        ),
        pytest.param(("depth", *AT_100, "--pools", "ALDER"), 2, "pool contract's", id="pool name"),
        pytest.param(comparing(*AT_100, addresses="@/dev/zero"), 4, "regular file", id="device"),
        pytest.param(("batch", "/dev/zero"), 4, "regular file", id="device as batch"),
        pytest.param(comparing(*AT_100, "--to-block", "latest"), 2, "both block 100", id="no span"),
        pytest.param(moving("101", "latest"), 2, "at or below 100", id="range above the pin"),
        pytest.param(
            ("pin", *CHAIN, "--time", "0001-01-01T00:00:00+14:00"), 2, "years", id="year 0"
        ),
        pytest.param(
            ("pin", *CHAIN, "--time", "9999-12-31T23:59:59-12:00"), 2, "years", id="year 10000"
        ),
        pytest.param(
            ("export", "--from", "compare", "--out", "x.zip"), 2, "later version", id="zip"
        ),
        pytest.param(("export", "--from", "ask", "--out", "x.csv"), 2, "compare", id="source"),
        pytest.param(("call", "get_price"), 2, "get_native_balance", id="unknown tool"),
        pytest.param(("compair",), 2, "compare", id="unknown command"),
        pytest.param(("--lang", "fr", "demo"), 2, "en or ja", id="language"),
        pytest.param(("store", "invalidate", *CHAIN, "--block", "0x1"), 2, "decimal", id="height"),
    ],
)
def test_what_is_written_wrong_gets_one_sentence_and_its_exit_code(
    command_line, arguments, code, words
):
    """A script must tell wrong usage from an answer, and a person must see the remedy."""
    ran = command_line(*arguments)

    assert ran.code == code
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert "://" not in ran.err


def test_a_machine_gets_the_same_refusal_as_a_document(command_line):
    """A program that reads stdout must not have to understand a sentence on stderr."""
    ran = command_line(*comparing(*CHAIN, "--block", "0x64"), "--json")

    assert ran.code == 2
    assert ran.document["error"]["code"] == "invalid_argument"
    assert ran.document["error"]["message"] in ran.err


def test_a_wrong_line_of_a_batch_spoils_no_other(command_line, tmp_path):
    """Whoever sends a thousand calls must get the 999 good answers, each in its place."""
    good = {"chain_id": 31337000, "address": BRAM, "block": 100}
    lines = [
        json.dumps({"tool": "get_native_balance", "args": good}),
        "{not json",
        '{"a":' * 100_000,
        '{"tool": "get_native_balance", "tool": "get_price", "args": {}}',
        json.dumps({"tool": "get_price", "args": {}}),
        json.dumps({"tool": "get_native_balance", "args": {"chain_id": 31337000}}),
        json.dumps({"tool": "get_native_balance", "args": good | {"block": "0x64"}}),
        json.dumps({"tool": "get_native_balance", "args": good}),
    ]
    (tmp_path / "calls.jsonl").write_text("\n".join(lines), "utf-8")

    ran = command_line("batch", "calls.jsonl")

    envelopes = [json.loads(line) for line in ran.out.splitlines()]
    errors = [each["error"] and each["error"]["code"] for each in envelopes]
    assert ran.code == 1
    assert errors == [None, *["invalid_argument"] * 6, None]
    assert "'tool' twice" in envelopes[3]["error"]["message"]
    assert envelopes[0]["data"]["raw_amount"] == "999998505310954893548"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [(comparing(*AT_100), "999.998505310954893548"), (("pin", *AT_100), "0x182d538d66")],
    ids=["compare", "pin"],
)
def test_a_store_that_cannot_be_used_stops_no_read(command_line, tmp_path, asked, answer):
    """A full or foreign folder must not keep an analyst from the chain, and must not go unsaid."""
    (tmp_path / "taken").write_text("not a folder", "utf-8")

    ran = command_line("--store", "taken", *asked)

    assert ran.code == 0
    assert answer in ran.out
    assert "store" in ran.err.lower()
    assert "Traceback" not in ran.err


def test_an_export_that_fails_leaves_what_was_there(command_line, tmp_path):
    """Half an evidence file is worse than none: it looks whole."""
    target = tmp_path / "evidence.csv"
    target.write_text("before", "utf-8")

    ran = command_line("export", "--from", "compare", "--out", target, *comparing(*CHAIN)[1:])

    assert ran.code == 2
    assert target.read_text("utf-8") == "before"
    assert [file.name for file in tmp_path.iterdir() if "partial" in file.name] == []


def test_the_unforeseen_is_one_sentence_too(command_line, monkeypatch):
    """A traceback can show an endpoint's URL, and helps nobody at a terminal."""

    def broken(*_, **__):
        raise ZeroDivisionError("http://user:key@host")

    monkeypatch.setattr("toolkit.cli.commands.demo.opened", broken)

    ran = command_line("demo")

    assert ran.code == 1
    assert "TOOLKIT_DEBUG" in ran.err
    assert "key" not in ran.err
    assert "Traceback" not in ran.err


def test_a_wrong_address_in_a_file_is_named_by_its_line(command_line, tmp_path):
    """One bad line among a thousand must be found without counting words."""
    (tmp_path / "mine.csv").write_text(f"address\n{BRAM}  # trades\n\nUSDC\n", "utf-8")
    (tmp_path / "latin.csv").write_bytes(b"# caf\xe9\n")

    wrong = command_line(*comparing(*AT_100, addresses="@mine.csv"))
    unreadable = command_line(*comparing(*AT_100, addresses="@latin.csv"))

    assert (wrong.code, unreadable.code) == (2, 4)
    assert "mine.csv line 4: 'USDC'" in wrong.err
    assert "token contract" not in wrong.err
    assert "Save it as UTF-8" in unreadable.err


def test_a_file_without_end_is_not_read_to_its_end(command_line, tmp_path):
    """A log named by mistake must not fill the memory of the analyst's machine."""
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(33 * 1024 * 1024)

    ran = command_line(*comparing(*AT_100, addresses="@huge.txt"))

    assert (ran.code, "larger than 32 MB" in ran.err) == (4, True)


@pytest.mark.parametrize(
    ("name", "chain", "url", "said"),
    [
        ("bad id!", "5", "https://node.invalid/key", "The name 'bad id!' is not possible"),
        ("mine", "5", "ftp://node.invalid/key", "must start with http:// or https://"),
        ("mine", "31337000", "https://node.invalid/key", "is the shipped demo"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused_in_the_words_of_the_form(
    command_line, monkeypatch, name, chain, url, said
):
    """Whoever types a form must not be told of line numbers in a file they never saw."""
    monkeypatch.setenv("MY_URL", url)

    ran = command_line("endpoint", "add", "--chain-id", chain, "--id", name, "--url-env", "MY_URL")

    assert ran.code == 2
    assert said in ran.err
    assert "endpoints.toml" not in ran.err
    assert "node.invalid" not in ran.err
