"""What can be read at a pin, and the content address of each read.

A read is a frozen value. Its id is SHA-256 over packed bytes: version, chain id, lineage,
block hash, kind, and the length-prefixed fields. The same question at the same block has
the same id on every machine, whichever endpoint or aggregate carried it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from typing import ClassVar, Final, TypeAlias

from toolkit.models import Pin
from toolkit.models.value import value

_VERSION: Final = b"\x01"

READER_CALLER: Final = "0xcA11bde05977b3631167028862bE2a173976CA11"
"""The `from` of every call: Multicall3's own address, so that msg.sender is the same
whether a call travels alone or inside aggregate3."""

NO_CALLER: Final = "0x0000000000000000000000000000000000000000"
"""The `from` that a plain eth_call has; used when a contract refuses READER_CALLER."""

CALL_GAS: Final = 10_000_000
"""The gas limit of a call that travels alone. Explicit, because nodes differ in theirs."""


_ADDRESS_LENGTH: Final = (20).to_bytes(4, "big")
_GAS_LENGTH: Final = (8).to_bytes(4, "big")
_USUAL_TAIL: Final = b"".join(
    (
        _ADDRESS_LENGTH,
        bytes.fromhex(READER_CALLER[2:]),
        _GAS_LENGTH,
        CALL_GAS.to_bytes(8, "big"),
    )
)


def _field(data: bytes) -> bytes:
    """Prefix a field with its length, so that two fields cannot flow into each other."""
    return len(data).to_bytes(4, "big") + data


def _address(address: str) -> bytes:
    return bytes.fromhex(address[2:])


@lru_cache(maxsize=4_096)
def _target(address: str) -> bytes:
    """The field of an address that many calls of a batch share."""
    return _ADDRESS_LENGTH + _address(address)


@value
class BalanceRead:
    """The native balance of an address. Source: eth_getBalance. Unit: wei, 32 bytes."""

    kind: ClassVar[bytes] = b"\x01"
    function: ClassVar[str] = "eth_getBalance"
    address: str

    def packed(self) -> bytes:
        """The fields as bytes, for the id."""
        return _field(_address(self.address))


@value
class NonceRead:
    """The transaction count of an address. Source: eth_getTransactionCount. 32 bytes."""

    kind: ClassVar[bytes] = b"\x02"
    function: ClassVar[str] = "eth_getTransactionCount"
    address: str

    def packed(self) -> bytes:
        """The fields as bytes, for the id."""
        return _field(_address(self.address))


@value
class CodeRead:
    """The code at an address; empty bytes are an answer. Source: eth_getCode."""

    kind: ClassVar[bytes] = b"\x03"
    function: ClassVar[str] = "eth_getCode"
    address: str

    def packed(self) -> bytes:
        """The fields as bytes, for the id."""
        return _field(_address(self.address))


@value
class CallRead:
    """The return bytes of a read-only call. Source: eth_call. `function` is the signature.

    `often_refused` says that most contracts revert here, so that it travels alone at once: a
    revert inside an aggregate would have to be asked again anyway.
    """

    kind: ClassVar[bytes] = b"\x04"
    to: str
    data: bytes
    caller: str = field(default=READER_CALLER, hash=False)
    gas: int = field(default=CALL_GAS, hash=False)
    function: str = field(default="eth_call", compare=False)
    often_refused: bool = field(default=False, compare=False)

    def packed(self) -> bytes:
        """The fields as bytes, for the id."""
        head = _target(self.to) + len(self.data).to_bytes(4, "big") + self.data
        if self.caller == READER_CALLER and self.gas == CALL_GAS:
            return head + _USUAL_TAIL
        return head + _target(self.caller) + _GAS_LENGTH + self.gas.to_bytes(8, "big")


@value
class StorageRead:
    """One storage word of a contract. Source: eth_getStorageAt. 32 bytes."""

    kind: ClassVar[bytes] = b"\x05"
    function: ClassVar[str] = "eth_getStorageAt"
    address: str
    slot: int

    def packed(self) -> bytes:
        """The fields as bytes, for the id."""
        return _field(_address(self.address)) + _field(self.slot.to_bytes(32, "big"))


Read: TypeAlias = BalanceRead | NonceRead | CodeRead | CallRead | StorageRead


class ReadIds:
    """The ids of reads at one pin; the pin's share of the digest is computed once.

    The ids of a batch are remembered, because its reads are named where they are looked up
    and again where they are answered.
    """

    def __init__(self, pin: Pin) -> None:
        self._digest = hashlib.sha256(
            _VERSION
            + pin.chain_id.to_bytes(32, "big")
            + _field(bytes.fromhex(pin.lineage[2:]) if pin.lineage else b"")
            + bytes.fromhex(pin.hash[2:])
        )
        self._batch: tuple[Sequence[Read], list[bytes]] = ((), [])
        self._of_batch: dict[Read, bytes] | None = {}

    def of(self, read: Read) -> bytes:
        """The 32-byte content address of one read at this pin."""
        if self._of_batch is None:  # Nobody asks where all of the batch was known already.
            self._of_batch = dict(zip(*self._batch, strict=True))
        return self._of_batch.get(read) or self._digest_of(read)

    def of_batch(self, reads: Sequence[Read]) -> list[bytes]:
        """The content address of each read, in order."""
        read_ids = list(map(self._digest_of, reads))
        self._batch, self._of_batch = (reads, read_ids), None
        return read_ids

    def _digest_of(self, read: Read) -> bytes:
        digest = self._digest.copy()
        digest.update(read.kind + read.packed())
        return digest.digest()

    def of_log(self, block_hash: str, log_index: int) -> bytes:
        """The 32-byte address of one log, which its own block and index identify."""
        digest = self._digest.copy()
        digest.update(b"\x10" + bytes.fromhex(block_hash[2:]) + log_index.to_bytes(8, "big"))
        return digest.digest()


def read_id(pin: Pin, read: Read) -> bytes:
    """The 32-byte content address of a read at a pin."""
    return ReadIds(pin).of(read)
