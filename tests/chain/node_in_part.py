"""A real node seen through a glass: lagging, pruned, by height only, or of another chain.

Each takes an upstream of the faults proxy and gives another one. What a test changes while it
runs is a field of the glass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.chain.faults import Upstream

_STATE_BLOCK = {"eth_call": 1, "eth_getBalance": 1, "eth_getCode": 1, "eth_getStorageAt": 2,
                "eth_getTransactionCount": 1}  # fmt: skip
_TAGS = ("latest", "safe", "finalized")


@dataclass
class Glass:
    """What is let through. Whatever is None or False changes nothing.

    `head`: the node stands there, and knows nothing above. `heads`: as `head`, one per request,
    as behind a balancer. `keeps_from`: older state is gone. `by_height`: block hashes in state
    reads are refused. `chain_id`: which one it claims. `refuses`: an error object for each call
    of `methods`, or of all. `changes`: a method's result is replaced by what this gives.
    """

    upstream: Upstream
    head: int | None = None
    heads: list[int] = field(default_factory=list)
    keeps_from: int | None = None
    by_height: bool = False
    without_tags: bool = False
    chain_id: int | None = None
    refuses: dict[str, Any] | None = None
    methods: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def __call__(self, request: Any) -> Any:
        head = self.heads.pop(0) if self.heads else self.head
        if isinstance(request, list):
            return [self._one(item, head) for item in request]
        return self._one(request, head)

    def _one(self, item: dict[str, Any], head: int | None) -> dict[str, Any]:
        method, params = item["method"], item["params"]
        if self.refuses is not None and (not self.methods or method in self.methods):
            return _error(item, self.refuses)
        if self.chain_id is not None and method == "eth_chainId":
            return _result(item, hex(self.chain_id))
        if method == "eth_getBlockByNumber":
            return self._header(item, params[0], head)
        if method == "eth_getBlockByHash" and self._is_above(params[0], head):
            return _result(item, None)
        if method in _STATE_BLOCK:
            return self._state(item, params[_STATE_BLOCK[method]], head)
        return self._changed(item)

    def _header(self, item: dict[str, Any], name: str, head: int | None) -> dict[str, Any]:
        if self.without_tags and name in ("safe", "finalized"):
            return _error(item, {"code": -32602, "message": f"invalid block tag {name}"})
        if head is None:
            return self._changed(item)
        if name in _TAGS:
            item = {**item, "params": [hex(head), False]}
        elif int(name, 16) > head:
            return _result(item, None)
        return self._changed(item)

    def _state(self, item: dict[str, Any], block: Any, head: int | None) -> dict[str, Any]:
        by_hash = isinstance(block, dict)
        if by_hash and self.by_height:
            return _error(item, {"code": -32602, "message": "invalid argument 1: hex string"})
        if by_hash and self._is_above(block["blockHash"], head):
            return _error(item, {"code": -32000, "message": "header for hash not found"})
        if self.keeps_from is not None and self._number_of(block) < self.keeps_from:
            return _error(item, {"code": -32000, "message": "missing trie node"})
        return self._changed(item)

    def _changed(self, item: dict[str, Any]) -> dict[str, Any]:
        answer = self.upstream(item)
        change = self.changes.get(item["method"])
        if change is not None and "result" in answer:
            answer = _result(item, change(item["params"], answer["result"]))
        return answer

    def _is_above(self, block_hash: str, head: int | None) -> bool:
        return head is not None and self._number_of({"blockHash": block_hash}) > head

    def _number_of(self, block: Any) -> int:
        if isinstance(block, str):
            return 2**62 if block in _TAGS else int(block, 16)
        block_hash = block["blockHash"]
        if block_hash not in self._numbers:
            asked = {"jsonrpc": "2.0", "id": 1, "method": "eth_getBlockByHash",
                     "params": [block_hash, False]}  # fmt: skip
            header = self.upstream(asked).get("result")
            if header is None:
                return 2**62
            self._numbers[block_hash] = int(header["number"], 16)
        return self._numbers[block_hash]


def _result(item: dict[str, Any], result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": item["id"], "result": result}


def _error(item: dict[str, Any], error: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": item["id"], "error": error}
