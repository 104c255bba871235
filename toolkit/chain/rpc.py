"""JSON-RPC 2.0 without I/O: what may be asked, how it is written, how answers are paired.

An answer belongs to a question by its id and by nothing else. A batch whose ids are missing,
foreign, doubled or of another type is thrown away whole: a balance on the wrong address is
worse than none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json, to_json

from toolkit.chain.quantities import parse_address_hex, parse_bytes, parse_hash32, parse_quantity
from toolkit.chain.rpc_errors import classify_rpc_error, limited_in_result
from toolkit.errors import (
    EndpointMisbehavedError,
    EndpointUnreachableError,
    ForbiddenMethodError,
    RateLimitedError,
    ReadError,
    RequestTooLargeError,
)

if TYPE_CHECKING:
    from toolkit.chain.transport import RpcCall

__all__ = [
    "METHODS",
    "classify_rpc_error",
    "encode_request",
    "pair_answers",
    "parse_address_hex",
    "parse_bytes",
    "parse_hash32",
    "parse_quantity",
    "refuse_forbidden",
]

METHODS: Final = frozenset(
    {
        "eth_blockNumber",
        "eth_call",
        "eth_chainId",
        "eth_getBalance",
        "eth_getBlockByHash",
        "eth_getBlockByNumber",
        "eth_getBlockReceipts",
        "eth_getCode",
        "eth_getLogs",
        "eth_getProof",
        "eth_getStorageAt",
        "eth_getTransactionCount",
        "eth_syncing",
        "web3_clientVersion",
    }
)
"""Every method that may ever be sent. All of them read; none can change state."""


def refuse_forbidden(calls: Iterable[RpcCall]) -> None:
    """Stop before anything is sent where a call is not on the list.

    Errors: ForbiddenMethodError.
    """
    for call in calls:
        if call.method not in METHODS:
            raise ForbiddenMethodError(
                f"{str(call.method)[:60]!r} is not on the list of read-only methods; "
                "nothing was sent.",
                remedy=f"Use one of: {', '.join(sorted(METHODS))}.",
            )


def encode_request(calls: Sequence[RpcCall], ids: Sequence[int]) -> bytes:
    """Write one request: an object for one call, a batch for more."""
    requests = [
        {"jsonrpc": "2.0", "id": request_id, "method": call.method, "params": call.params}
        for call, request_id in zip(calls, ids, strict=True)
    ]
    document: Any = requests[0] if len(requests) == 1 else requests
    return to_json(document)


def pair_answers(
    body: bytes, calls: Sequence[RpcCall], ids: Sequence[int]
) -> list[Any | ReadError]:
    """Give each call its own answer: the JSON result, or the error it means.

    Errors: EndpointMisbehavedError, RequestTooLargeError or RateLimitedError where the answer
    as a whole cannot be used; EndpointUnreachableError where it broke off in the middle.
    """
    document = _parse(body)
    if len(calls) == 1:
        if isinstance(document, list) and len(document) == 1:
            document = document[0]
            if not _is_refusal_of_all(document):
                raise _misbehaved("a single request was answered with an array")
        if _is_refusal_of_all(document):
            raise _refusal_of_all(document)
        if limited := limited_in_result(document):
            raise limited
        return [_answer_of(calls[0].method, document, ids[0])]
    if isinstance(document, dict) and "error" in document:
        raise _refusal_of_all(document)
    if limited := limited_in_result(document):
        raise limited
    if not isinstance(document, list):
        raise _misbehaved("a batch was not answered with an array")
    if len(document) == 1 and isinstance(document[0], dict) and "error" in document[0]:
        raise _refusal_of_all(document[0])
    return _pair_batch(document, calls, ids)


def _parse(body: bytes) -> Any:
    """Read JSON, telling a broken-off body from one that never was JSON."""
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        broken_off = str(error).startswith("EOF while parsing")
    if broken_off:
        raise EndpointUnreachableError(
            "The endpoint's answer broke off in the middle.", remedy="Ask again."
        )
    raise _misbehaved("it is not JSON")


def _pair_batch(
    document: list[Any], calls: Sequence[RpcCall], ids: Sequence[int]
) -> list[Any | ReadError]:
    """Match by id: each exactly once, and no other."""
    by_id: dict[int, Any] = {}
    for answer in document:
        answer_id = answer.get("id") if isinstance(answer, dict) else None
        if type(answer_id) is not int:
            if _is_refusal_of_all(answer):
                raise _refusal_of_all(answer)
            raise _misbehaved("a batch item has no integer id")
        if answer_id in by_id:
            raise _misbehaved("an id occurs twice in the batch")
        by_id[answer_id] = answer
    if by_id.keys() != set(ids):
        raise _misbehaved("the ids in the batch are not those that were asked")
    return [
        _answer_of(call.method, by_id[request_id], request_id)
        for call, request_id in zip(calls, ids, strict=True)
    ]


def _answer_of(method: str, answer: Any, request_id: int) -> Any | ReadError:
    """Read one response object strictly."""
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0":
        raise _misbehaved("it is not a JSON-RPC 2.0 response")
    if type(answer.get("id")) is not int or answer["id"] != request_id:
        raise _misbehaved("its id is not the one that was asked")
    if ("result" in answer) == ("error" in answer):
        raise _misbehaved("it must hold exactly one of result and error")
    if "error" in answer:
        return classify_rpc_error(method, answer["error"])
    return answer["result"]


def _is_refusal_of_all(document: Any) -> bool:
    """Recognise an error with a null id: the node could or would not read the request."""
    return isinstance(document, dict) and "error" in document and document.get("id") is None


def _refusal_of_all(document: dict[str, Any]) -> ReadError:
    """Say why one error came for a whole request.

    Nodes answer a body or batch above their limit with an error whose id is null (anvil) or
    that of the first call (geth).
    """
    meaning = classify_rpc_error("the request", document["error"])
    if isinstance(meaning, RateLimitedError | RequestTooLargeError):
        return meaning
    if document.get("id") is None:
        return RequestTooLargeError(
            "The endpoint refused the request as a whole; most do so when it is too large.",
            remedy="Ask for less at once.",
        )
    return _misbehaved("one error came for a whole batch")


def _misbehaved(why: str) -> EndpointMisbehavedError:
    return EndpointMisbehavedError(
        f"The endpoint's answer breaks JSON-RPC: {why}.", remedy="Ask another endpoint."
    )
