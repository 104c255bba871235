"""Who takes part: the toolkit's ways, the floors, and the peers in environments of their own."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from bench.environments import NoEnvironmentError, packages_of, python_with
from bench.measure import Peer

MULTICALL_PY = "multicall.py"
KEPT = "--until-kept"
BATCH = "toolkit_batch.py"


def toolkit(says: str, *arguments: str, refused: bool, other: bool = False) -> Peer:
    """The toolkit through its public API, where overrides are honoured or refused."""
    return Peer(f"toolkit, {says}", BATCH, arguments, refused=refused, other_block_each_round=other)


def floor(above: Peer, form: str) -> Peer:
    """The byte floor under one way of the toolkit."""
    return Peer(f"byte floor, {form} form", "byte_floor.py", replays=above)


def lean(says: str, form: str, *, other: bool = False) -> Peer:
    """The leanest honest reference in one form of aggregate."""
    name = f"leanest reference, {says}, until facts are on disk"
    return Peer(name, "lean_reference.py", (form,), other_block_each_round=other)


def web3_batch() -> Peer:
    """web3.py with all calls in one JSON-RPC batch."""
    return Peer("web3.py batch_requests", "web3_batch.py")


def web3_one_by_one() -> Peer:
    """web3.py as most people use it."""
    return Peer("web3.py one by one (100 x 10)", "web3_one_by_one.py", sample=100)


def multicall_py() -> Peer:
    """multicall.py. Its package holds Multicall3's code too, which the local chain needs."""
    python = _python("multicall", "multicall==0.15.2")
    return _elsewhere(MULTICALL_PY, "multicall_py.py", python)


def dank_mids(*, by_hand: bool) -> Peer:
    """dank_mids by contract objects as its users write it, or with calls encoded by hand."""
    python = _python("dank_mids", "dank_mids==4.20.216")
    if by_hand:
        return _elsewhere("dank_mids, calls encoded by hand", "dank.py", python, "--by-hand")
    return _elsewhere("dank_mids, contract objects", "dank.py", python)


def cryo(name: str, script: str) -> Peer:
    """cryo, which is Rust with a Python face, and writes Parquet."""
    return _elsewhere(name, script, _python("cryo", "cryo==0.3.2", "pyarrow==26.0.1"))


def point_at_multicall3() -> None:
    """Let the local chain find Multicall3's code in the environment of multicall.py."""
    python = _python("multicall", "multicall==0.15.2")
    if isinstance(python, Path):
        os.environ.setdefault("TOOLKIT_MULTICALL", str(packages_of(python)))


def _elsewhere(name: str, script: str, python: Path | str, *arguments: str) -> Peer:
    if isinstance(python, str):
        return Peer(name, script, arguments, missing=python)
    return Peer(name, script, arguments, python=python)


@cache
def _python(name: str, *requirements: str) -> Path | str:
    """The interpreter of an environment, or why there is none."""
    try:
        return python_with(name, *requirements)
    except NoEnvironmentError as problem:
        return str(problem)
