"""Traps of the local node itself, which would make every other test a guess."""

from __future__ import annotations

import socket

import pytest

from tests.chain.anvil import NoAnvilError, running_anvil


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A home of its own, so that what a node leaves there is seen."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_node_ends_with_its_test_and_two_run_side_by_side(folder):
    """A launcher's child that lives on holds the port, and answers the next test from its chain."""
    try:
        (folder / "other").mkdir()
        with running_anvil(folder) as one, running_anvil(folder / "other", chain_id=10) as other:
            ports = one.port, other.port
            chains = [node.ask("eth_chainId") for node in (one, other)]
    except NoAnvilError as error:
        pytest.skip(str(error))

    assert chains == ["0x7a69", "0xa"]
    for port in ports:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_node_leaves_nothing_in_the_home_folder(folder):
    """Past some hundred blocks it writes gigabytes of states, until the disk is full."""
    try:
        with running_anvil(folder) as node:
            for _ in range(4):
                node.mine(250)
            assert node.height == 1_000
            written = list((folder / "states").rglob("*"))
    except NoAnvilError as error:
        pytest.skip(str(error))

    assert written, "states that are written go where they are cleaned up"
    assert [file for file in (folder / "home").rglob("*") if file.is_file()] == []
