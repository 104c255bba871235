"""The analyst's own names for addresses."""

from __future__ import annotations

import pytest

from toolkit.errors import UnreadableFileError
from toolkit.store import Database, Label, Labels, parse_labels

WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
HEADER = "chain_id,address,label\n"


def test_labels_are_found_by_chain_under_checksummed_addresses(database: Database) -> None:
    """A name given on one chain must not appear on another."""
    labels = Labels(database)

    kept = labels.keep(
        parse_labels(f'\ufeff{HEADER}1,{WETH.lower()},"cold, main"\r\n\r\n10,{WETH},ops ☃\r\n')
    )

    assert kept == 2
    assert labels.of_chain(1) == {WETH: "cold, main"}
    assert labels.of_chain(10) == {WETH: "ops ☃"}
    assert labels.of_chain(8453) == {}
    assert labels.all() == [Label(1, WETH, "cold, main"), Label(10, WETH, "ops ☃")]


def test_a_later_import_relabels_an_address_and_keeps_the_rest(database: Database) -> None:
    """An address book is corrected by importing the corrected file."""
    labels = Labels(database)
    labels.keep(parse_labels(f"{HEADER}1,{WETH},old\n10,{WETH},other\n"))

    labels.keep(parse_labels(f"{HEADER}1,{WETH},new\n"))

    assert labels.all() == [Label(1, WETH, "new"), Label(10, WETH, "other")]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (f"1,{WETH},a\n1,{WETH.lower()},b\n", ["Lines 2 and 3", WETH, "two labels"]),
        (f"1,{WETH},a\nmainnet,{WETH},b\n", ["Line 3", "'mainnet' is not a chain id"]),
        (f"1,{WETH[:-1]}3,a\n", ["Line 2", "checksum"]),
        ("1,vitalik.eth,a\n", ["Line 2", "not resolved by guess"]),
        (f"1,{WETH},a,b\n", ["Line 2", "4 columns"]),
        (f"1,{WETH},\n", ["Line 2", "1 to 80 printable characters"]),
        (f'1,{WETH},"a\nb"\n', ["Line 3", "printable"]),
        (f"1,{WETH},pay\u202ecod\n", ["Line 2", "printable"]),
        (f'1,{WETH},"open\n', ["not valid CSV"]),
    ],
)
def test_one_bad_line_refuses_the_whole_file_and_is_named(rows: str, words: list[str]) -> None:
    """Whoever imports a thousand rows must learn which one to mend."""
    with pytest.raises(UnreadableFileError) as refused:
        parse_labels(HEADER + rows, "names.csv")

    assert [word for word in [*words, "names.csv"] if word not in str(refused.value)] == []


def test_a_file_without_the_header_is_refused() -> None:
    """Columns in another order must not be guessed."""
    with pytest.raises(UnreadableFileError, match="header chain_id,address,label"):
        parse_labels(f"address,label\n{WETH},a\n")


def test_the_same_label_twice_is_one() -> None:
    """A harmless repetition is no reason to refuse an address book."""
    assert parse_labels(f"{HEADER}1,{WETH},a\n1,{WETH.lower()},a\n") == [Label(1, WETH, "a")]
