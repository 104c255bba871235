"""Tokens that answer with any bytes at all: runtime code assembled around the answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eth_abi import encode
from eth_hash.auto import keccak

from tests.chain.anvil import running_anvil
from tests.chain.node import Node
from tests.hostile_text import OWN, shared_cases

_FIRST: Final = 0xBAD0000000000000000000000000000000000001
_ERROR_STRING: Final = keccak(b"Error(string)")[:4]
_ENTRY: Final = 12
"""Bytes of one comparison in the dispatcher: DUP1 PUSH4 EQ PUSH3 JUMPI."""
_COPY: Final = 17
"""Bytes of one answer: JUMPDEST PUSH3 PUSH3 PUSH1 CODECOPY PUSH3 PUSH1 RETURN."""


@dataclass(frozen=True)
class HostileToken:
    """A token whose name and symbol are one hostile text.

    `refusing` is another contract, which reverts every call with that text as its reason.
    """

    oddity: str
    address: str
    refusing: str
    raw: bytes


@dataclass(frozen=True)
class HostileChain:
    """A local chain that holds one token per hostile text from block 1 on."""

    node: Node
    tokens: list[HostileToken]

    @property
    def addresses(self) -> list[str]:
        """The tokens' addresses, in lower case."""
        return [token.address for token in self.tokens]


@contextmanager
def hostile_chain(folder: Path, shared: Path) -> Iterator[HostileChain]:
    """Run a chain with the shared cases and our own strings; `folder` takes the node's files.

    It is a node of its own: a name of a megabyte is more than a node takes in one request.
    Errors: NoAnvilError.
    """
    with running_anvil(folder, "--no-request-size-limit") as node:
        tokens = put_hostile_tokens(node, shared_cases(shared) | OWN)
        node.mine()
        yield HostileChain(node, tokens)


def put_hostile_tokens(node: Node, texts: dict[str, bytes]) -> list[HostileToken]:
    """Put one token per text on the chain; every holder has 7 units of it. Not: mined."""
    tokens = []
    for number, (oddity, raw) in enumerate(texts.items()):
        address = f"0x{_FIRST + number:040x}"
        # A 32-byte answer is what a token with bytes32 names gives.
        said = raw if oddity == "G22" else encode(["bytes"], [raw])
        node.set_code(
            address,
            answering(
                {
                    "balanceOf(address)": (7).to_bytes(32, "big"),
                    "decimals()": (0).to_bytes(32, "big"),
                    "totalSupply()": (70).to_bytes(32, "big"),
                    "name()": said,
                    "symbol()": said,
                }
            ),
        )
        refusing = f"0x{_FIRST + 0x1000 + number:040x}"
        node.set_code(refusing, reverting(_ERROR_STRING + encode(["bytes"], [raw[:2_000]])))
        tokens.append(HostileToken(oddity, address, refusing, raw))
    return tokens


def answering(answers: dict[str, bytes]) -> bytes:
    """Assemble code that gives each function its bytes, and nothing to any other."""
    head = bytes.fromhex("5f3560e01c")  # PUSH0 CALLDATALOAD, and the first four bytes of it
    stop = bytes.fromhex("00")
    copies = len(head) + _ENTRY * len(answers) + len(stop)
    data = copies + _COPY * len(answers)
    entries, bodies, words = b"", b"", b"".join(dict.fromkeys(answers.values()))
    for number, (signature, answer) in enumerate(answers.items()):
        target = (copies + _COPY * number).to_bytes(3, "big")
        size, at = len(answer).to_bytes(3, "big"), data + words.index(answer)
        start = at.to_bytes(3, "big")
        entries += b"\x80\x63" + keccak(signature.encode())[:4] + b"\x14\x62" + target + b"\x57"
        bodies += b"\x5b\x62" + size + b"\x62" + start + b"\x5f\x39\x62" + size + b"\x5f\xf3"
    return head + entries + stop + bodies + words


def reverting(data: bytes) -> bytes:
    """Assemble code that reverts every call with these bytes."""
    size = len(data).to_bytes(3, "big")
    return b"\x62" + size + b"\x60\x0f\x5f\x39\x62" + size + b"\x5f\xfd" + b"\x00" + data
