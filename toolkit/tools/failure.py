"""Turns an exception of the tree into the value that a result carries. The only place that does."""

from __future__ import annotations

from typing import Final

from toolkit.errors import CallRevertedError, ToolkitError
from toolkit.models import ToolError, Unknown
from toolkit.untrusted import UntrustedText

_ERROR_STRING: Final = bytes.fromhex("08c379a0")
_PANIC: Final = bytes.fromhex("4e487b71")


def tool_error(error: ToolkitError) -> ToolError:
    """Write an exception as a ToolError: code, message, retryable, attempts, remedy."""
    return ToolError(
        code=error.code,
        message=_message(error),
        retryable=error.retryable,
        attempts=error.attempts,
        remedy=error.remedy,
    )


def unknown_from(error: ToolkitError) -> Unknown:
    """Write an exception as the reason why an optional value is unknown."""
    return Unknown(code=error.code, message=_message(error))


def _message(error: ToolkitError) -> str:
    """The error's own sentence; a revert's reason is added as untrusted text, made visible."""
    if not isinstance(error, CallRevertedError):
        return error.message
    return f"{error.message} {_revert_reason(error.data)}".strip()


def _revert_reason(data: bytes) -> str:
    """Read Error(string) and Panic(uint256); other revert bytes are shown as hex, cut."""
    if data[:4] == _ERROR_STRING and len(data) >= 68:
        length = int.from_bytes(data[36:68], "big")
        text = UntrustedText.from_string(data[68 : 68 + min(length, 4096)])
        return f"The contract's own words, untrusted: {text.for_log()}."
    if data[:4] == _PANIC and len(data) >= 36:
        return f"Solidity panic 0x{int.from_bytes(data[4:36], 'big'):02x}."
    return f"Revert bytes: 0x{data[:36].hex()}." if data else "It gave no reason."
