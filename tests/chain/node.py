"""A JSON-RPC client for tests, which may also change the chain that it speaks to."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Self

from tests.chain.calldata import calldata, constructor

_RECEIPT_SECONDS = 20
_GAS = 12_000_000


class NodeRefusedError(Exception):
    """The node answered with an error. `data` holds revert bytes as hex, where given."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error.get("message", "no message"))
        self.code: int = error.get("code", 0)
        self.data: str | None = error.get("data")


class Node:
    """A node on the loopback interface, with unlocked accounts.

    Not: the toolkit's transport; it trusts its node and sends whatever it is told to.
    """

    def __init__(self, port: int, chain_id: int) -> None:
        self.port = port
        self.chain_id = chain_id
        self.url = f"http://127.0.0.1:{port}"
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def ask(self, method: str, *params: Any) -> Any:
        """Make one call. Errors: NodeRefusedError."""
        answer = self._post(_request(0, method, params))
        if "error" in answer:
            raise NodeRefusedError(answer["error"])
        return answer["result"]

    def ask_many(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> list[Any | NodeRefusedError]:
        """Make the calls in one request; each item is its result or its error."""
        answers = self._post([_request(i, *call) for i, call in enumerate(calls)])
        ordered = sorted(answers, key=lambda answer: answer["id"])
        return [
            NodeRefusedError(answer["error"]) if "error" in answer else answer["result"]
            for answer in ordered
        ]

    def _post(self, body: Any) -> Any:
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", "/", json.dumps(body), headers)
        return json.loads(self._connection.getresponse().read())

    # Reading.

    @property
    def accounts(self) -> list[str]:
        """The unlocked accounts, in lower case."""
        accounts: list[str] = self.ask("eth_accounts")
        return accounts

    @property
    def height(self) -> int:
        """The number of the newest block."""
        return int(self.ask("eth_blockNumber"), 16)

    def block(self, number: int | str = "latest") -> dict[str, Any]:
        """A block's header, with the hashes of its transactions."""
        name = number if isinstance(number, str) else hex(number)
        whole_transactions = False
        block: dict[str, Any] = self.ask("eth_getBlockByNumber", name, whole_transactions)
        return block

    def call(self, to: str, signature: str, *args: Any, block: int | str = "latest") -> bytes:
        """Call a function without changing anything, and return the bytes it returns."""
        name = block if isinstance(block, str) else hex(block)
        message = {"to": to, "data": calldata(signature, *args)}
        return bytes.fromhex(self.ask("eth_call", message, name)[2:])

    def call_uint(self, to: str, signature: str, *args: Any, block: int | str = "latest") -> int:
        """Call a function whose answer is one integer."""
        return int.from_bytes(self.call(to, signature, *args, block=block)[:32], "big")

    # Changing.

    def send(self, transaction: dict[str, Any]) -> dict[str, Any]:
        """Send a transaction and await its receipt. Errors: NodeRefusedError where it failed."""
        sent = self.ask("eth_sendTransaction", {"gas": hex(_GAS), **transaction})
        deadline = time.monotonic() + _RECEIPT_SECONDS
        while time.monotonic() < deadline:
            # The receipt may not be there yet, and going on without it breaks determinism.
            receipt: dict[str, Any] | None = self.ask("eth_getTransactionReceipt", sent)
            if receipt is not None:
                return _succeeded(receipt)
            time.sleep(0.001)
        raise TimeoutError("The node mined no receipt for a transaction.")

    def transact(
        self, sender: str, to: str, signature: str, *args: Any, value: int = 0
    ) -> dict[str, Any]:
        """Call a function in a transaction of its own, and return the receipt."""
        data = calldata(signature, *args)
        return self.send({"from": sender, "to": to, "data": data, "value": hex(value)})

    def deploy(self, sender: str, code: bytes, signature: str = "()", *args: Any) -> str:
        """Create a contract; `signature` is its constructor's. Returns the address."""
        data = "0x" + code.hex() + constructor(signature, *args).hex()
        address: str = self.send({"from": sender, "data": data})["contractAddress"]
        return address

    def set_code(self, address: str, code: bytes) -> None:
        """Put code at an address, at the newest block, whose hash stays the same."""
        self.ask("anvil_setCode", address, "0x" + code.hex())

    def set_balance(self, address: str, wei: int) -> None:
        """Set a native balance at the newest block, whose hash stays the same."""
        self.ask("anvil_setBalance", address, hex(wei))

    def set_storage(self, address: str, slot: str, word: int) -> None:
        """Set one storage word at the newest block, whose hash stays the same."""
        self.ask("anvil_setStorageAt", address, slot, f"0x{word:064x}")

    def mine(self, count: int = 1) -> None:
        """Mine blocks. Keep chains short: past some hundred blocks anvil slows down."""
        self.ask("anvil_mine", hex(count))

    def snapshot(self) -> str:
        """Remember the chain as it stands. An id works once."""
        snapshot: str = self.ask("evm_snapshot")
        return snapshot

    def revert(self, snapshot: str) -> None:
        """Bring the chain back to a snapshot."""
        if not self.ask("evm_revert", snapshot):
            raise ValueError(f"Snapshot {snapshot} is used up.")

    def reorg(self, depth: int, transactions: Iterable[tuple[dict[str, Any], int]] = ()) -> None:
        """Replace the newest `depth` blocks by others; transactions of the old ones are dropped.

        `transactions` go into the new blocks: each with the index of its block from 0.
        """
        self.ask("anvil_reorg", depth, [list(pair) for pair in transactions])


def _request(number: int, method: str, params: Sequence[Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": list(params)}


def _succeeded(receipt: dict[str, Any]) -> dict[str, Any]:
    if receipt["status"] != "0x1":
        raise NodeRefusedError({"message": f"Transaction {receipt['transactionHash']} reverted."})
    return receipt
