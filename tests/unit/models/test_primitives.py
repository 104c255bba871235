"""Chain ids, addresses, hashes, raw integers and blocks: what is taken and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from toolkit.models import (
    UINT256_MAX,
    Address,
    BlockHash,
    BlockHeight,
    BlockRef,
    BlockTag,
    ChainId,
    RawInt,
    checksummed,
    parse_address,
    parse_block,
    parse_hash,
    parse_height,
    parse_raw_int,
)

# The examples of EIP-55 itself.
EIP55 = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]
HASH = "0x" + "ab" * 32


@pytest.mark.parametrize("address", EIP55)
def test_every_spelling_of_an_address_becomes_the_checksummed_one(address):
    """Two spellings of one holder must never look like two holders."""
    assert parse_address(address.lower()) == address
    assert parse_address("0x" + address[2:].upper()) == address
    assert parse_address(address) == address


@given(st.integers(0, 2**160 - 1), st.integers(0, 39))
def test_a_flipped_case_is_refused_with_the_right_form(number, place):
    """A mistyped digit in a checksummed address must not read another holder."""
    right = checksummed(f"0x{number:040x}")
    digit = right[2 + place]
    flipped = right[: 2 + place] + digit.swapcase() + right[3 + place :]
    if flipped == right or flipped[2:] in {flipped[2:].lower(), flipped[2:].upper()}:
        return

    with pytest.raises(ValueError, match=right):
        parse_address(flipped)


def test_a_word_in_an_address_s_place_is_refused_in_the_field_s_words():
    """Whoever names a pool must not be told to write a token's address."""
    for noun, wanted in (("token", "token contract's"), ("pool", "pool contract's"),
                         ("holder", "holder's"), ("address", "stands for")):  # fmt: skip
        with pytest.raises(ValueError, match=wanted):
            parse_address("USDC", noun)


def test_a_number_of_ninety_digits_is_told_that_it_is_too_large():
    """Being told to write digits only, after writing digits only, helps nobody."""
    with pytest.raises(ValueError, match="does not fit into 256 bits"):
        parse_raw_int("9" * 90)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("vitalik.eth", "names are not resolved"),
        ("USDC", "ticker"),
        ("0x1234", "40 hex digits"),
        ("", "40 hex digits"),
        ("0x" + "g" * 40, "40 hex digits"),
    ],
)
def test_what_is_no_address_is_refused_with_the_way_out(text, says):
    """A ticker or a name resolved by guess reads somebody else's token."""
    with pytest.raises(ValueError, match=says):
        parse_address(text)


@given(st.integers(0, UINT256_MAX))
def test_a_raw_integer_survives_json_in_all_256_bits(number):
    """A digit lost on the way to a file is a wrong amount."""
    adapter = TypeAdapter(RawInt)

    written = adapter.dump_json(number)

    assert written == f'"{number}"'.encode()
    assert adapter.validate_json(written) == number


@pytest.mark.parametrize("text", ["1e5", "01", "+1", "-1", "1.0", "1_000", "", "0x10", " 1", "١"])
def test_a_raw_integer_is_written_canonically_or_refused(text):
    """An exponent or a separator read loosely moves the decimal point."""
    with pytest.raises(ValueError, match="canonical"):
        parse_raw_int(text)


@pytest.mark.parametrize("value", [1.0, True, None, UINT256_MAX + 1, -1])
def test_a_raw_integer_is_no_float_and_fits_256_bits(value):
    """A float amount has already lost its digits."""
    with pytest.raises(ValueError, match="raw amount"):
        parse_raw_int(value)


@pytest.mark.parametrize(
    ("given_as", "block"),
    [
        (17_000_000, BlockHeight(number=17_000_000)),
        ("0", BlockHeight(number=0)),
        (HASH.upper().replace("0X", "0x"), BlockHash(hash=HASH)),
        ("latest", BlockTag(tag="latest")),
        ("finalized", BlockTag(tag="finalized")),
    ],
)
def test_a_block_is_a_height_a_hash_or_a_tag(given_as, block):
    """The three ways to name a block can never be taken for one another."""
    assert parse_block(given_as) == block


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("-5", "negative"),
        (-5, "negative"),
        ("0x10", "decimal: 16"),
        ("0x" + "a" * 63, "64 hex digits"),
        ("lastest", "names no block"),
        ("pending", "not read here"),
        ("earliest", "not read here"),
        ("", "names no block"),
        (None, "height"),
        (True, "height"),
    ],
)
def test_what_is_no_block_is_refused_with_the_way_out(text, says):
    """A tag spelled wrong must not silently become the latest block."""
    with pytest.raises(ValueError, match=says):
        parse_block(text)


def test_there_is_no_default_chain_block_or_address():
    """Silence must never choose a chain for the analyst."""
    for adapter in (TypeAdapter(ChainId), TypeAdapter(BlockRef), TypeAdapter(Address)):
        with pytest.raises(ValidationError):
            adapter.validate_python(None)


def test_a_chain_id_beyond_32_bits_is_taken():
    """A real test network has the id 3503995874084926; a narrow column would cut it."""
    assert TypeAdapter(ChainId).validate_python("3503995874084926") == 3503995874084926


def test_a_height_is_taken_and_a_hash_or_tag_is_no_height():
    """A range that begins at a moving tag covers something else each time."""
    assert parse_height("17000000") == BlockHeight(number=17_000_000)
    for other in ("latest", HASH):
        with pytest.raises(ValueError, match="no height"):
            parse_height(other)


def test_a_block_is_written_as_it_was_named():
    """A line that reproduces a number must name the very block."""
    for text in ("17000000", HASH, "finalized"):
        assert str(parse_block(text)) == text


def test_a_height_no_chain_can_have_is_refused():
    """A number with a slipped digit must not become a request."""
    with pytest.raises(ValueError, match="larger than any height"):
        parse_block("9" * 25)


@pytest.mark.parametrize("value", [True, "01", "1e3", "0x1", 0, -1, 2**63])
def test_what_is_no_chain_id_is_refused(value):
    """`True` is 1 to Python, and chain 1 is where the money is."""
    with pytest.raises(ValidationError):
        TypeAdapter(ChainId).validate_python(value)


def test_a_hash_of_the_wrong_length_is_refused():
    """A cut hash pins nothing."""
    with pytest.raises(ValueError, match="32-byte hash"):
        parse_hash("0x1234")
