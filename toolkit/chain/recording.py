"""Transports that answer from recordings: a whole small world by content, or exact exchanges."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, TypeAlias

from toolkit.chain.recorded_world import Answer, RecordedWorld
from toolkit.chain.rpc import classify_rpc_error, refuse_forbidden
from toolkit.chain.transport import RpcCall
from toolkit.errors import (
    BlockNotFoundError,
    CallRevertedError,
    MethodUnsupportedError,
    RangeTooLargeError,
    ReadError,
    RpcRefusedError,
)

DEMO_ENDPOINT: Final = "demo"

_INVALID_PARAMS: Final = -32602
_HASH_CHARS: Final = 66
_ADDRESS_CHARS: Final = 42

_Params: TypeAlias = Sequence[Any]


class _Recording(ABC):
    """A Transport that sends nothing: it has an answer, or an error value that says why not."""

    def __init__(self, endpoint_id: str) -> None:
        self._endpoint_id = endpoint_id
        self._requests = 0
        self._lock = Lock()

    @property
    def endpoint_id(self) -> str:
        """The name under which provenance lists this recording."""
        return self._endpoint_id

    @property
    def source(self) -> Literal["rpc", "recording"]:
        """Always a recording."""
        return "recording"

    @property
    def requests(self) -> int:
        """Requests answered so far; a batch is one."""
        return self._requests

    def send(self, calls: Sequence[RpcCall]) -> list[Any | ReadError]:
        """Answer the calls in order; what was not recorded is an error value.

        Errors: ForbiddenMethodError, as with any endpoint.
        """
        refuse_forbidden(calls)
        with self._lock:
            self._requests += 1
        return [self._answer(call) for call in calls]

    @abstractmethod
    def _answer(self, call: RpcCall) -> Any | ReadError:
        """Answer one call."""


class RecordedTransport(_Recording):
    """Answers reads of a recorded world by what is asked, not by the bytes of the request.

    A call is known by block, address and data: its `from` and gas are ignored.
    Not: eth_getProof, state overrides, receipts; nothing of them is recorded.
    """

    def __init__(self, world: RecordedWorld, endpoint_id: str = DEMO_ENDPOINT) -> None:
        super().__init__(endpoint_id)
        self._world = world
        self._methods: dict[str, Callable[[_Params], Any]] = {
            "web3_clientVersion": lambda _: world.client,
            "eth_chainId": lambda _: hex(world.chain_id),
            "eth_syncing": lambda _: False,
            "eth_blockNumber": lambda _: hex(world.head),
            "eth_getBlockByNumber": self._block,
            "eth_getBlockByHash": self._block,
            "eth_getBalance": lambda params: self._state("balance", params),
            "eth_getTransactionCount": lambda params: self._state("nonce", params),
            "eth_getCode": lambda params: self._state("code", params),
            "eth_getStorageAt": self._storage,
            "eth_call": self._call,
            "eth_getLogs": self._logs,
        }

    def _answer(self, call: RpcCall) -> Any | ReadError:
        method = self._methods.get(call.method)
        if method is None:
            return _unsupported(call.method)
        try:
            return method(call.params)
        except ReadError as error:
            return error
        except (IndexError, KeyError, TypeError, ValueError, AttributeError):
            return RpcRefusedError(
                f"The demo cannot read these parameters of {call.method}.", rpc_code=_INVALID_PARAMS
            )

    def _block(self, params: _Params) -> Mapping[str, Any]:
        block, whole_transactions = params
        if whole_transactions:
            raise _unsupported("whole transactions in a block")
        return self._world.blocks[self._height(block)]

    def _state(self, kind: str, params: _Params) -> Any:
        address, block = params
        return _result(self._world.answer(_address(address), kind, "", self._height(block)))

    def _storage(self, params: _Params) -> Any:
        address, slot, block = params
        word = f"0x{int(slot, 16):064x}"
        return _result(self._world.answer(_address(address), "storage", word, self._height(block)))

    def _call(self, params: _Params) -> Any:
        message, block, *overrides = params
        if overrides or "to" not in message:
            raise _unsupported("eth_call with a state override or without an address")
        data = (message.get("data") or message.get("input") or "0x").lower()
        height = self._height(block)
        return _result(self._world.answer(_address(message["to"]), "call", data, height))

    def _logs(self, params: _Params) -> list[Mapping[str, Any]]:
        (wanted,) = params
        first, last = self._range(wanted)
        addresses = _one_or_many(wanted.get("address"))
        topics = [_one_or_many(topic) for topic in wanted.get("topics") or ()]
        return [
            log
            for log in self._world.logs
            if first <= int(log["blockNumber"], 16) <= last
            and (addresses is None or log["address"] in addresses)
            and _topics_match(topics, log["topics"])
        ]

    def _range(self, wanted: Mapping[str, Any]) -> tuple[int, int]:
        if "blockHash" in wanted:
            height = self._world.height_of_hash(wanted["blockHash"])
            return height, height
        first, last = self._height(wanted["fromBlock"]), self._height(wanted["toBlock"])
        if first > last:
            raise RangeTooLargeError(f"The range from block {first} to block {last} is reversed.")
        return first, last

    def _height(self, block: Any) -> int:
        """Resolve a tag, a height, a hash, or an EIP-1898 object of either."""
        if isinstance(block, Mapping):
            name = block["blockHash"] if "blockHash" in block else block["blockNumber"]
            return self._height(name)
        if block in self._world.tags:
            return self._world.tags[block]
        if not block.startswith("0x"):
            raise BlockNotFoundError(
                f"The demo knows no block called {block[:20]!r}.", remedy=self._world.holdings
            )
        if len(block) == _HASH_CHARS:
            return self._world.height_of_hash(block)
        return self._world.height_at(int(block, 16))


class ExchangeTransport(_Recording):
    """Replays recorded answers to exactly the recorded requests, known by method and parameters.

    `ignoring` names fields of an eth_call that are left out of the comparison.
    """

    def __init__(
        self,
        exchanges: Mapping[str, Any],
        *,
        endpoint_id: str = "recording",
        ignoring: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(endpoint_id)
        self._exchanges = exchanges
        self._ignoring = ignoring

    @classmethod
    def of_io_files(cls, folder: Path, endpoint_id: str = "recording") -> ExchangeTransport:
        """Read the exchanges of execution-apis: `>> request` and `<< response` lines."""
        exchanges = {}
        for file in sorted(folder.glob("*/*.io")):
            for call, answer in io_exchanges(file):
                exchanges[exchange_name(call)] = answer
        return cls(exchanges, endpoint_id=endpoint_id)

    @classmethod
    def of_web3_responses(cls, folder: Path, endpoint_id: str = "recording") -> ExchangeTransport:
        """Read the exchanges of ethereum-etl: one answer a file, which is named by its request."""
        prefix = "web3_response."
        exchanges = {
            file.name.removeprefix(prefix).removesuffix(".json"): json.loads(
                file.read_text("utf-8")
            )
            for file in sorted(folder.glob(f"{prefix}*.json"))
        }
        return cls(exchanges, endpoint_id=endpoint_id, ignoring=frozenset({"from", "gas"}))

    def _answer(self, call: RpcCall) -> Any | ReadError:
        answer = self._exchanges.get(exchange_name(call, self._ignoring))
        if answer is None:
            return MethodUnsupportedError(f"No answer of {call.method} to this was recorded.")
        if "error" in answer:
            return classify_rpc_error(call.method, answer["error"])
        return answer["result"]


def io_exchanges(file: Path) -> Iterator[tuple[RpcCall, Any]]:
    """Read one `.io` file as pairs of a call and the recorded JSON-RPC answer."""
    call = None
    for line in file.read_text("utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == ">>":
            request = json.loads(text)
            call = RpcCall(request["method"], tuple(request.get("params", ())))
        elif mark == "<<" and call is not None:
            yield call, json.loads(text)


def exchange_name(call: RpcCall, ignoring: frozenset[str] = frozenset()) -> str:
    """Name a request by its method and parameters, the way ethereum-etl names its files."""
    words = list(_words(call.params, ignoring)) or [""]
    return "_".join([call.method, *words])


def _words(value: Any, ignoring: frozenset[str]) -> Iterator[str]:
    """Flatten parameters into words; an object's keys are sorted and stand before its values."""
    if isinstance(value, Mapping):
        for key in sorted(value):
            if key not in ignoring:
                yield from (key, *_words(value[key], ignoring))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from _words(item, ignoring)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def _result(answer: Answer) -> str:
    """Give the recorded result. Errors: CallRevertedError where the contract reverted."""
    if isinstance(answer, str):
        return answer
    raise CallRevertedError("The contract reverted.", data=bytes.fromhex(answer["revert"][2:]))


def _unsupported(what: str) -> MethodUnsupportedError:
    return MethodUnsupportedError(f"The demo does not answer {what}: it is a recording of reads.")


def _address(text: str) -> str:
    if len(text) != _ADDRESS_CHARS:
        raise ValueError("An address has 40 hex digits.")
    return text.lower()


def _one_or_many(value: Any) -> frozenset[str] | None:
    """What a filter's field accepts; None where it accepts anything."""
    if not value:
        return None
    return frozenset(item.lower() for item in ([value] if isinstance(value, str) else value))


def _topics_match(wanted: Sequence[frozenset[str] | None], topics: Sequence[str]) -> bool:
    """Compare by position; a filter with more positions than the log has never matches."""
    return len(wanted) <= len(topics) and all(
        want is None or topic in want for want, topic in zip(wanted, topics, strict=False)
    )
