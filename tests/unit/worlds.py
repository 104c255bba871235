"""A small chain in memory, read through the real tools: what a test says is what stands there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eth_abi import encode

from toolkit.chain.facts import Answer, Fact, Failure, NoCode, Outcome, Reverted, Value, Witness
from toolkit.chain.log_check import LogCheck
from toolkit.chain.logs import Log, LogPage, LogScan, Watch
from toolkit.chain.reader import PinnedBlock, Traffic
from toolkit.chain.reads import BalanceRead, CallRead, Read, ReadIds, StorageRead
from toolkit.errors import BlockNotFoundError, EndpointTimeoutError
from toolkit.models import (
    BlockHash,
    BlockHeight,
    BlockTag,
    FinalityObservation,
    Pin,
    checksummed,
)
from toolkit.tools import Coin, ToolAnswer, ToolCall, Toolset
from toolkit.tools.abi import address_word, selector

READ_AT = "2026-01-05T00:00:00Z"
WITNESS = Witness("primary", READ_AT, "multicall3")


def address_of(number: int) -> str:
    """An address that is only a number."""
    return checksummed(f"0x{number:040x}")


def pin_at(number: int, chain_id: int = 1) -> Pin:
    """A block whose hash follows from its height."""
    block_hash = f"0x{number:064x}"
    return Pin(chain_id, number, block_hash, f"0x{number - 1:064x}", 1_767_571_200, block_hash)


def string_bytes(text: bytes) -> bytes:
    """A Solidity string as a contract returns it."""
    return encode(["bytes"], [text])


@dataclass
class World:
    """A chain with what a test put on it. It is a Reader; `ask` drives the real tools over it.

    `calls` answers by contract and calldata; a contract that is in `codes` but does not answer
    returns nothing; any other address has no code. `broken` reads time out.
    """

    chain_id: int = 1
    height: int = 100
    finality: str = "finalized"
    coins: dict[str, int] = field(default_factory=dict)
    codes: set[str] = field(default_factory=set)
    calls: dict[tuple[str, bytes], Outcome] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    logs: list[Log] = field(default_factory=list)
    page: dict[str, object] = field(default_factory=dict)
    traffic: Traffic = field(default_factory=Traffic)

    def put(self, contract: str, signature: str, data: bytes | Outcome, *words: str) -> None:
        """Make a contract answer a function, called with these addresses."""
        self.codes.add(contract)
        calldata = selector(signature) + b"".join(address_word(word) for word in words)
        self.calls[contract, calldata] = Value(data) if isinstance(data, bytes) else data

    def put_token(
        self,
        token: str,
        balances: dict[str, int],
        *,
        decimals: int | None = 18,
        symbol: bytes = b"TKA",
        supply: int = 10**24,
        holders: Sequence[str] = (),
    ) -> None:
        """Put an ERC-20 token; `holders` without a balance have a proven zero."""
        if decimals is not None:
            self.put(token, "decimals()", decimals.to_bytes(32, "big"))
        self.put(token, "symbol()", string_bytes(symbol))
        self.put(token, "name()", string_bytes(b"A token"))
        self.put(token, "totalSupply()", supply.to_bytes(32, "big"))
        for holder in (*holders, *balances):
            raw = balances.get(holder, 0)
            self.put(token, "balanceOf(address)", raw.to_bytes(32, "big"), holder)

    def put_pool(
        self, pool: str, tokens: tuple[str, str], reserves: tuple[int, int], gap: int = 0
    ) -> None:
        """Put a constant-product pair that holds its reserves, and `gap` more of token0."""
        words = b"".join(number.to_bytes(32, "big") for number in (*reserves, 1_767_571_200))
        self.put(pool, "getReserves()", words)
        for at, token in enumerate(tokens):
            self.put(pool, f"token{at}()", address_word(token))
            raw = reserves[at] + (gap if at == 0 else 0)
            self.put(token, "balanceOf(address)", raw.to_bytes(32, "big"), pool)
        self.put(pool, "factory()", address_word(address_of(0xFAC)))

    def ask(self, calls: Sequence[ToolCall]) -> list[ToolAnswer]:
        """Answer calls through the real toolset."""
        return Toolset(lambda _: self, lambda _: Coin("ETH", 18)).batch(calls)

    def pin(self, block: BlockHeight | BlockHash | BlockTag) -> PinnedBlock:
        """Resolve a block; heights above this world's are not known."""
        number = self.height
        if isinstance(block, BlockHeight):
            number = block.number
        if isinstance(block, BlockHash):
            number = int(block.hash, 16)
        if number > self.height:
            raise BlockNotFoundError(f"Block {number} is not known.", remedy="Choose a lower one.")
        seen = FinalityObservation(self.finality, READ_AT)  # type: ignore[arg-type]
        return PinnedBlock(pin_at(number, self.chain_id), seen, "primary", False)

    def read(self, pin: Pin, reads: Sequence[Read]) -> list[Answer]:
        """Answer each read from what was put."""
        ids = ReadIds(pin)
        return [self._answer(ids, read) for read in reads]

    def _answer(self, ids: ReadIds, read: Read) -> Answer:
        contract = read.to if isinstance(read, CallRead) else read.address
        if contract in self.broken:
            return Failure(read, EndpointTimeoutError("The endpoint did not answer in time."))
        return Fact(read, ids.of(read), self._outcome(read), WITNESS)

    def _outcome(self, read: Read) -> Outcome:
        if isinstance(read, BalanceRead):
            return Value(self.coins.get(read.address, 0).to_bytes(32, "big"))
        if isinstance(read, StorageRead):
            return Value(bytes(32))
        if not isinstance(read, CallRead) or read.to not in self.codes:
            return NoCode()
        return self.calls.get((read.to, read.data), Value(b""))

    def scan(self, pin: Pin, scan: LogScan, watch: Watch | None = None) -> LogPage:
        """Give back the logs that were put, complete unless `page` says otherwise."""
        known: dict[str, object] = {
            "complete": True,
            "covered_from": scan.from_block,
            "covered_to": scan.to_block,
            "stopped_because": None,
        }
        return LogPage(pin=pin, logs=tuple(self.logs), witness=WITNESS, **(known | self.page))  # type: ignore[arg-type]

    def check_logs(self, scan: LogScan, page: LogPage, progress: object = None) -> LogCheck:
        """This world's logs are those that were put."""
        return LogCheck(scan.from_block, page.pin.number)

    def confirm(self, pinned: PinnedBlock) -> None:
        """This world has no reorgs."""


REVERTED = Reverted(b"")
