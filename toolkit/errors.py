"""Every exception the toolkit raises, in one tree.

    ToolkitError
    ├── InputError                    what the caller wrote cannot be used
    │   ├── InvalidArgumentError
    │   ├── UnknownChainError
    │   └── UnreadableFileError
    ├── ReadError                     the chain, or the way to it, did not answer as asked
    │   ├── EndpointError             the way to it
    │   │   ├── EndpointUnreachableError
    │   │   │   └── EndpointRefusesAccessError
    │   │   ├── EndpointTimeoutError
    │   │   ├── RateLimitedError
    │   │   ├── RequestTooLargeError
    │   │   ├── EndpointMisbehavedError
    │   │   ├── EndpointsDisagreeError
    │   │   ├── MethodUnsupportedError
    │   │   └── RpcRefusedError
    │   ├── ChainMismatchError
    │   ├── BlockNotFoundError
    │   ├── BlockAheadOfHeadError
    │   ├── StateUnavailableError
    │   ├── ReorgedError
    │   ├── RangeTooLargeError
    │   ├── IncompleteRangeError
    │   └── AnswerError               the contract answered, but not with what was asked
    │       ├── NotAContractError
    │       ├── NotSupportedByContractError
    │       ├── CallRevertedError
    │       ├── OutOfGasError
    │       ├── DecodeFailedError
    │       ├── AbnormalAnswerError
    │       └── WrongPoolKindError
    ├── PolicyError
    │   ├── PolicyDeniedError
    │   └── BudgetExhaustedError
    ├── StoreError
    │   ├── StoreBusyError
    │   └── StoreUnusableError
    ├── MixedPinsError                two readings of different blocks were put together
    ├── ForbiddenMethodError          a method outside the read-only list was about to be sent
    └── ToolUnavailableError

Each says what went wrong, where, and the way out. `code` is stable and is what a
`ToolError` carries; `retryable` says whether asking again later can help. No message
ever holds an endpoint's URL.
"""

from __future__ import annotations

from typing import ClassVar


class ToolkitError(Exception):
    """Anything the toolkit refuses or fails to do, as a sentence with a way out."""

    code: ClassVar[str] = "tool_unavailable"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, remedy: str = "", attempts: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.attempts = attempts

    def __str__(self) -> str:
        """The sentence a person reads: what, where, and the way out."""
        return f"{self.message} {self.remedy}".strip()


class InputError(ToolkitError):
    """What the caller wrote cannot be used as it stands."""

    code = "invalid_argument"


class InvalidArgumentError(InputError):
    """An argument is missing or malformed."""


class UnknownChainError(InputError):
    """No endpoint is configured for this chain."""

    code = "unknown_chain"


class UnreadableFileError(InputError):
    """A file that the caller named cannot be read as what it should be."""


class ReadError(ToolkitError):
    """A read did not give the value that was asked for."""

    code = "endpoint_misbehaved"


class EndpointError(ReadError):
    """The way to the chain failed; nothing is known of the chain itself."""


class EndpointUnreachableError(EndpointError):
    """No connection, or it broke in the middle of an answer."""

    code = "endpoint_unreachable"
    retryable = True


class EndpointRefusesAccessError(EndpointUnreachableError):
    """The endpoint does not accept the key; asking again cannot help."""

    retryable = False


class EndpointTimeoutError(EndpointError):
    """The endpoint did not answer in time."""

    code = "timeout"
    retryable = True


class RateLimitedError(EndpointError):
    """The endpoint asks to be asked less often. `retry_after` is in seconds, where it said."""

    code = "rate_limited"
    retryable = True

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        attempts: int = 1,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy, attempts=attempts)
        self.retry_after = retry_after


class RequestTooLargeError(EndpointError):
    """The endpoint refuses a body of this size: the reader splits it and asks again."""


class EndpointMisbehavedError(EndpointError):
    """The answer breaks JSON-RPC: ids, counts, quantities, size, HTML."""


class EndpointsDisagreeError(EndpointError):
    """Two answers for one content-addressed read differ."""

    code = "endpoints_disagree"


class MethodUnsupportedError(EndpointError):
    """The endpoint does not offer this method or parameter."""

    code = "tool_unavailable"


class RpcRefusedError(EndpointError):
    """A JSON-RPC error that is none of the known kinds. `data` holds revert bytes, where given."""

    code = "endpoint_misbehaved"

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        attempts: int = 1,
        rpc_code: int = 0,
        data: bytes | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy, attempts=attempts)
        self.rpc_code = rpc_code
        self.data = data


class ChainMismatchError(ReadError):
    """The endpoint serves another chain than the one asked for."""

    code = "chain_mismatch"


class BlockNotFoundError(ReadError):
    """The endpoint does not know this block."""

    code = "block_not_found"


class BlockAheadOfHeadError(ReadError):
    """The block is not mined yet, as far as this endpoint knows."""

    code = "block_ahead_of_head"
    retryable = True


class StateUnavailableError(ReadError):
    """The endpoint no longer keeps the state of this block."""

    code = "state_unavailable"


class ReorgedError(ReadError):
    """The pinned block left the canonical chain while the job ran."""

    code = "reorged"
    retryable = True


class RangeTooLargeError(ReadError):
    """The endpoint refuses a range of logs.

    `suggested_blocks` is the width that it named, where it did: for any range, or for this one.
    """

    code = "range_too_large"

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        attempts: int = 1,
        suggested_blocks: int | None = None,
        in_any_range: bool = False,
    ) -> None:
        super().__init__(message, remedy=remedy, attempts=attempts)
        self.suggested_blocks = suggested_blocks
        self.in_any_range = in_any_range


class IncompleteRangeError(ReadError):
    """A range of logs could not be read whole."""

    code = "incomplete_range"
    retryable = True


class AnswerError(ReadError):
    """The contract answered, and the answer is not the number that was asked for."""


class NotAContractError(AnswerError):
    """No code stands at this address at this block."""

    code = "not_a_contract"


class NotSupportedByContractError(AnswerError):
    """The contract returned nothing: it does not have this function."""

    code = "not_supported_by_contract"


class CallRevertedError(AnswerError):
    """The contract reverted. `data` holds the revert bytes; a reason in them is untrusted text."""

    code = "call_reverted"

    def __init__(self, message: str, *, remedy: str = "", data: bytes = b"") -> None:
        super().__init__(message, remedy=remedy)
        self.data = data


class OutOfGasError(AnswerError):
    """The call ran out of the gas it was given. Not: an answer of the contract; never a fact."""

    code = "call_reverted"


class DecodeFailedError(AnswerError):
    """The bytes are not of the shape that the standard prescribes."""

    code = "decode_failed"


class AbnormalAnswerError(AnswerError):
    """The answer has the right shape and an absurd content."""

    code = "abnormal_answer"


class WrongPoolKindError(AnswerError):
    """The contract is not a pool of the kind that this tool reads."""

    code = "wrong_pool_kind"


class PolicyError(ToolkitError):
    """The policy refuses."""

    code = "policy_denied"


class PolicyDeniedError(PolicyError):
    """A rule refuses this call, or no rule allows it."""


class BudgetExhaustedError(PolicyError):
    """The calls allowed for this task or minute are used up."""

    code = "budget_exhausted"


class StoreError(ToolkitError):
    """The DuckDB store could not be used."""

    code = "store_busy"


class StoreBusyError(StoreError):
    """Another process holds the store."""

    retryable = True


class StoreUnusableError(StoreError):
    """The store's folder is read-only, full, or holds a file that is not ours."""


class MixedPinsError(InputError):
    """Values of different blocks were about to be compared."""


class ForbiddenMethodError(ToolkitError):
    """A JSON-RPC method outside the read-only list was asked for; nothing was sent."""

    code = "policy_denied"


class ToolUnavailableError(ToolkitError):
    """A tool, or what it needs on this machine, is not there."""
