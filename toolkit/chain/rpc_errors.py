"""What a JSON-RPC error object means. A node's text is read, never repeated.

Clients differ in codes and wording for one and the same thing, so the kind is taken from the
method, the code, the data and the text together. A revert is looked for first: its reason is
written by the contract, and must not be able to pose as a rate limit or as missing state.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from toolkit.chain.log_ranges import range_hint
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    CallRevertedError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    MethodUnsupportedError,
    OutOfGasError,
    RangeTooLargeError,
    RateLimitedError,
    ReadError,
    ReorgedError,
    RequestTooLargeError,
    RpcRefusedError,
    StateUnavailableError,
)

_TEXT_LIMIT: Final = 4_000
_HEX: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_REVERTED: Final = re.compile(r"^(execution reverted|vm exception\b.*\brevert|reverted\b|revert$)")
_HALTED: Final = re.compile(
    r"invalid ?(fe)? ?opcode|invalidfeopcode|opcodenotfound|bad instruction|"
    r"stack ?(under|over)flow|stack limit reached|invalid ?jump|bad jump|"
    r"state ?change ?during ?static|write protection|evm error revert"
)
_OUT_OF_GAS: Final = re.compile(
    r"out of ?gas|outofgas|gas required exceeds|gas uint64 overflow|intrinsic gas too low|"
    r"exceeds (the )?(block )?gas limit|gas limit exceeded|gas too low|gas (limit )?.*\bcap\b"
)
_HEIGHTS: Final = re.compile(r"block height is (\d{1,18}) but requested was (\d{1,18})")
# What speaks of a rate beyond doubt, so that it also counts for eth_getLogs, where "limit
# exceeded" and code -32005 mean the range.
_RATE: Final = re.compile(
    r"rate.?limit|too many (requests|connections)|(status|code|error|http)[ :=]{1,3}429\b|"
    r"^429\b|requests? (count|rate) |"
    r"requests? limit (reached|exceeded)|(calls?|requests?|credits?|units?) ?(per|/) ?sec|"
    r"\d ?/ ?sec|\brps\b|compute units|credits? (limit|exhausted|exceeded)|out of credits|"
    r"throughput|(daily|monthly) (request|capacity|limit|quota|usage)|call frequency"
)
_RETRY_IN: Final = re.compile(
    r"(?:retry|try again|wait|back ?off)[a-z ]{0,24}?(\d{1,6}) ?"
    r"(ms|milliseconds?|s|secs?|seconds?)\b"
)


class _Kind(NamedTuple):
    """Texts and codes of one kind of refusal, and what we say of it."""

    error: type[ReadError]
    text: re.Pattern[str]
    codes: frozenset[int]
    means: str
    remedy: str
    methods: frozenset[str] = frozenset()


_KINDS: Final = (
    _Kind(
        BlockAheadOfHeadError,
        re.compile(r"beyond (the )?current head|ahead of (the )?(head|chain)|future block"),
        frozenset(),
        "the block is ahead of its head",
        "Ask for a block at or below the endpoint's head.",
    ),
    _Kind(
        RangeTooLargeError,
        re.compile(
            r"more than \d+ (results|logs)|too many (results|logs|blocks)|timed? ?out|"
            r"range.{0,60}(large|wide|exceed|limit|max|than|within|narrow|smaller)|"
            r"(large|exceed|limit|max|narrow|reduce|smaller).{0,60}range|"
            r"block range|(ranges|logs) (over|above) |requested blocks|"
            r"(at most|up to|more than|over) (a )?[\d,_]+k? blocks|"
            r"limit exceeded|exceed\w* max|response (size|too large)|query returned|limited to"
        ),
        frozenset({-32005}),
        "the range of logs is too large for it",
        "Ask for a smaller range.",
        frozenset({"eth_getLogs"}),
    ),
    _Kind(
        RequestTooLargeError,
        re.compile(
            r"(batch|body|payload|content|entity|request|response)( size| length)?"
            r"( is)?( too)? (large|big|long)|"
            r"batch (size|limit|of).*(exceed|limit|max|allowed|over)|"
            r"too many (calls|requests|items) in (a |the )?batch|maximum batch"
        ),
        frozenset(),
        "the request or its answer is too large for it",
        "Ask for less at once.",
    ),
    _Kind(
        RateLimitedError,
        re.compile(
            r"requests? (count|limit)|limit exceeded|per.second|quota|capacity|usage limit|"
            r"over rate|exceeded (the|your|its) "
        ),
        frozenset({429, -32005, -32029, -32429}),
        "it wants to be asked less often",
        "Wait, ask for less, or configure another endpoint.",
    ),
    _Kind(
        StateUnavailableError,
        re.compile(
            r"missing trie|trie node|prun|historical state|state histor|archive|out ?of ?range|"
            r"(state|history)( data)?( is)? (not |un)available|no state available|"
            r"proof window|old data not available|missing state|state .*not (found|available)"
        ),
        frozenset({4444}),
        "it no longer keeps the state of this block",
        "Ask an archive endpoint, or choose a newer block.",
    ),
    _Kind(
        ReorgedError,
        re.compile(r"not (currently )?canonical|non.?canonical"),
        frozenset(),
        "the block is not on its canonical chain",
        "Pin the block again.",
    ),
    _Kind(
        MethodUnsupportedError,
        re.compile(
            r"method.{0,60}(not (found|supported|available|allowed|enabled)|does not exist|"
            r"unsupported|disabled|whitelist)|(unsupported|unknown) method|not implemented"
        ),
        frozenset({-32601, -32004}),
        "it does not offer this method",
        "Configure an endpoint that does.",
    ),
    _Kind(
        BlockNotFoundError,
        re.compile(
            r"header .{0,80}not found|unknown (block|header)|(block|resource).{0,90}not found|"
            r"(could not|cannot) find block|no (such )?block|block.{0,20}does not exist"
        ),
        frozenset({-32001}),
        "it does not know this block",
        "Check the block, or ask another endpoint.",
    ),
    _Kind(
        EndpointTimeoutError,
        re.compile(r"timed? ?out|deadline exceeded|execution aborted|took too long"),
        frozenset(),
        "it did not finish in its own time limit",
        "Ask for less at once, or ask again later.",
    ),
)


def classify_rpc_error(method: str, error: Any) -> ReadError:
    """Turn a JSON-RPC error object into the error it means.

    Errors: none; what is malformed becomes an EndpointMisbehavedError value, what is of no
    known kind an RpcRefusedError with its numeric code.
    """
    if not isinstance(error, dict) or not _is_code(error.get("code")):
        return EndpointMisbehavedError(
            f"The endpoint answered {method} with a malformed error.",
            remedy="Ask another endpoint.",
        )
    code = int(error["code"])
    message = error.get("message")
    text = message[:_TEXT_LIMIT].lower() if isinstance(message, str) else ""
    data = _error_data(error.get("data"))
    if method == "eth_call" and (ended := _ended_call(code, text, data, error.get("data"))):
        return ended
    if heights := _HEIGHTS.search(text):
        return _beyond_kept_blocks(method, code, int(heights[1]), int(heights[2]))
    if _RATE.search(text):
        return _limited(method, code, _retry_after(text, error.get("data")))
    for kind in _KINDS:
        if kind.methods and method not in kind.methods:
            continue
        if code in kind.codes or kind.text.search(text):
            if kind.error is RangeTooLargeError:
                return _too_wide(kind, method, code, text)
            return _of_kind(kind, method, code)
    return RpcRefusedError(
        f"The endpoint refused {method} (JSON-RPC code {code}).",
        remedy="Ask another endpoint.",
        rpc_code=code,
        data=data,
    )


def limited_in_result(answer: Any) -> RateLimitedError | None:
    """Recognise a rate limit told where a result belongs, as block explorers' gateways do."""
    if not isinstance(answer, dict) or "error" in answer:
        return None
    told = answer.get("result")
    if not isinstance(told, str) or told[:2] == "0x" or not _RATE.search(told[:200].lower()):
        return None
    return RateLimitedError(
        "The endpoint wants to be asked less often, and says so in place of a result.",
        remedy="Wait, ask for less, or configure another endpoint.",
        retry_after=_retry_after(told[:200].lower(), None),
    )


def _is_code(code: Any) -> bool:
    return type(code) is int and abs(code) < 2**31


def _of_kind(kind: _Kind, method: str, code: int) -> ReadError:
    """Say in our own words what kind of refusal it is."""
    return kind.error(
        f"The endpoint refused {method}: {kind.means} (JSON-RPC code {code}).",
        remedy=kind.remedy,
    )


def _limited(method: str, code: int, retry_after: float | None) -> RateLimitedError:
    """Say that the rate is too high, with the wait that the endpoint asks for."""
    return RateLimitedError(
        f"The endpoint refused {method}: it wants to be asked less often (JSON-RPC code {code}).",
        remedy="Wait, ask for less, or configure another endpoint.",
        retry_after=retry_after,
    )


def _retry_after(text: str, data: Any) -> float | None:
    """Find how long to wait: in words, or in the object that Infura sends along."""
    rate = data.get("rate") if isinstance(data, dict) else None
    seconds = rate.get("backoff_seconds") if isinstance(rate, dict) else None
    if isinstance(seconds, int | float) and 0 <= seconds < 86_400:
        return float(seconds)
    found = _RETRY_IN.search(text)
    if found is None:
        return None
    return int(found[1]) / (1_000 if found[2].startswith("m") else 1)


def _too_wide(kind: _Kind, method: str, code: int, text: str) -> RangeTooLargeError:
    """Add how many blocks the endpoint would take, where its text tells."""
    hint = range_hint(text)
    return RangeTooLargeError(
        f"The endpoint refused {method}: {kind.means} (JSON-RPC code {code}).",
        remedy=kind.remedy,
        suggested_blocks=hint.blocks if hint else None,
        in_any_range=hint is not None and hint.in_any_range,
    )


def _beyond_kept_blocks(method: str, code: int, head: int, wanted: int) -> ReadError:
    """Tell a height above the head from a height whose state is gone; anvil says one for both."""
    if wanted > head:
        return _of_kind(_KINDS[0], method, code)
    return StateUnavailableError(
        f"The endpoint refused {method}: it no longer keeps the state of this block "
        f"(JSON-RPC code {code}).",
        remedy="Ask an archive endpoint, or choose a newer block.",
    )


def _ended_call(code: int, text: str, data: bytes | None, raw: Any) -> ReadError | None:
    """Recognise a call that the EVM itself ended: by revert, invalid code, or lack of gas."""
    reverted = code == 3 or _REVERTED.match(text) or _says_reverted(raw)
    if isinstance(raw, str) and raw[:2] != "0x":
        text = f"{text} {raw[:80].lower()}"  # Parity's heirs put the reason here.
    if not reverted and _OUT_OF_GAS.search(text):
        return OutOfGasError(
            f"The call ran out of gas (JSON-RPC code {code}).",
            remedy="Ask for less in one call.",
        )
    # An exceptional halt is as deterministic as a revert, and returns no bytes.
    if reverted or _HALTED.search(text) or (data and "revert" in text):
        return CallRevertedError("The contract reverted.", data=data or b"")
    return None


def _says_reverted(raw: Any) -> bool:
    """Recognise the form that Parity's heirs use: data is the text "Reverted 0x..."."""
    return isinstance(raw, str) and raw[:9].lower() == "reverted "


def _error_data(raw: Any, depth: int = 0) -> bytes | None:
    """Find revert bytes: hex, "Reverted 0x...", or either nested in an object."""
    if isinstance(raw, str):
        digits = raw[9:].strip() if _says_reverted(raw) else raw
        return bytes.fromhex(digits[2:]) if _HEX.fullmatch(digits) else None
    if isinstance(raw, dict) and depth < 3:
        named = [raw[key] for key in ("data", "result", "return", "output") if key in raw]
        nested = [value for value in raw.values() if isinstance(value, dict)]
        for value in [*named, *nested[:4]]:
            if (found := _error_data(value, depth + 1)) is not None:
                return found
    return None
