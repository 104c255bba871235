"""A local Ethereum node for tests and the demo's recorder: anvil, started and always stopped."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chain.node import Node

DEFAULT_CHAIN_ID = 31337

_LISTENING = re.compile(r"Listening on 127\.0\.0\.1:(\d+)")
_START_SECONDS = 30
# The npm launcher is a Node script whose death leaves the real anvil running: the platform
# packages hold the binary itself.
_PLATFORM_BINARIES = "@foundry-rs/anvil-*/bin/anvil*"


class NoAnvilError(Exception):
    """There is no anvil on this machine."""


def node_modules() -> Path:
    """The folder of the npm packages that tests use. TOOLKIT_NODE_MODULES, else ./node_modules."""
    return Path(os.environ.get("TOOLKIT_NODE_MODULES") or "node_modules")


def find_anvil() -> Path:
    """Find the anvil binary: TOOLKIT_ANVIL, else the npm package of this platform.

    Errors: NoAnvilError, with the way to get one.
    """
    named = os.environ.get("TOOLKIT_ANVIL")
    found = [Path(named)] if named else sorted(node_modules().glob(_PLATFORM_BINARIES))
    for binary in found:
        if os.access(binary, os.X_OK):
            return binary
    raise NoAnvilError(
        "There is no anvil here. Run `npm install @foundry-rs/anvil@1.7.1`, "
        "or name a binary in TOOLKIT_ANVIL."
    )


@contextmanager
def running_anvil(folder: Path, *options: str, chain_id: int = DEFAULT_CHAIN_ID) -> Iterator[Node]:
    """Run anvil on a free loopback port until the block ends; `folder` takes its files.

    Errors: NoAnvilError; RuntimeError where anvil does not start.
    """
    log = folder / "anvil.log"
    command = [str(find_anvil()), "--port", "0", "--chain-id", str(chain_id)]
    # Past a few hundred blocks anvil writes gigabytes of states and leaves them behind.
    command += ["--cache-path", str(folder / "states"), *options]
    with log.open("wb") as output:  # A pipe that nobody reads would fill and stop the node.
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        with Node(_port(process, log), chain_id) as node:
            yield node
    finally:
        process.kill()
        process.wait()


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    """Wait for the line that names the port."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        listening = _LISTENING.search(log.read_text(errors="replace"))
        if listening:
            return int(listening[1])
        if process.poll() is not None:
            break
        time.sleep(0.005)
    raise RuntimeError(f"anvil did not start: {log.read_text(errors='replace')[-500:]}")
