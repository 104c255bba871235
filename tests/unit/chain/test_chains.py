"""The registry of chains that ships with the toolkit."""

from __future__ import annotations

import pytest

from toolkit.chain.chains import load_chains
from toolkit.config import data_folder
from toolkit.errors import UnreadableFileError


@pytest.fixture(scope="module")
def chains():
    """The shipped registry."""
    return load_chains(data_folder() / "chains.toml")


def test_well_known_chains_state_coin_multicall_and_source(chains):
    """A wrong first block sends reads of older blocks to an aggregator that is not there."""
    known = [chain for chain in chains if chain.multicall_first_block is not None]

    assert len(known) >= 12
    assert all(chain.source and chain.coin_symbol for chain in known)
    assert {chain.chain_id: chain.multicall_first_block for chain in known}.items() >= {
        1: 14353601, 10: 4286263, 8453: 5022, 42161: 7654707, 137: 25770160, 56: 15921452,
        100: 21022491, 43114: 11907934, 11155111: 751532,
    }.items()  # fmt: skip


def test_an_unknown_chain_has_no_coin_symbol(chains):
    """A guessed symbol on a private chain would be a false statement in a report."""
    chain = chains.of(987654321)

    assert (chain.name, chain.coin_symbol, chain.coin_decimals) == ("chain 987654321", None, 18)
    assert chain.multicall_address is None
    assert "not in the registry" in chain.source


def test_development_ids_are_marked_and_the_demo_is_not_mainnet(chains):
    """A restarted local node is another chain; the demo must never pass for a real one."""
    assert [c.chain_id for c in chains if c.development] == [31337000, 31337, 1337]
    assert all(chains.of(chain_id).coin_symbol is None for chain_id in (31337, 1337))
    demo = chains.of(31337000)
    assert (demo.name, demo.coin_symbol, demo.multicall_address) == ("toolkit demo", "DEMO", None)


@pytest.mark.parametrize(
    "text",
    [
        '[[chain]]\nchain_id = 1\nname = "x"\nsource = "y"',
        '[[chain]]\nchain_id = 1\nname = "x"\nsource = "y"\ncoin_decimals = 18\nrpc = "z"',
        2 * '[[chain]]\nchain_id = 1\nname = "x"\nsource = "y"\ncoin_decimals = 18\n',
        "[[chain]",
    ],
)
def test_a_wrong_registry_is_a_sentence(tmp_path, text):
    """Whoever adds a chain must read what is wrong with the entry."""
    file = tmp_path / "chains.toml"
    file.write_text(text)

    with pytest.raises(UnreadableFileError, match=r"chains\.toml"):
        load_chains(file)
