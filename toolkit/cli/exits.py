"""Exit codes: the one place that turns an outcome into a number."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolkit.errors import ToolkitError, UnreadableFileError

DONE: Final = 0
ANSWER_IS_AN_ERROR: Final = 1
USAGE: Final = 2
UNAVAILABLE: Final = 3
UNREADABLE_FILE: Final = 4
INTERRUPTED: Final = 130

_BY_CODE: Final[Mapping[str, int]] = MappingProxyType(
    {
        "invalid_argument": USAGE,
        "unknown_chain": USAGE,
        "endpoint_unreachable": UNAVAILABLE,
        "timeout": UNAVAILABLE,
        "rate_limited": UNAVAILABLE,
        "store_busy": UNAVAILABLE,
        "state_unavailable": UNAVAILABLE,
        "tool_unavailable": UNAVAILABLE,
    }
)


def exit_code(error_code: str | None) -> int:
    """Give the exit code of an error's code; None is no error."""
    return DONE if error_code is None else _BY_CODE.get(error_code, ANSWER_IS_AN_ERROR)


def exit_code_of(error: ToolkitError) -> int:
    """Give the exit code of an exception: a file that cannot be read has one of its own."""
    return UNREADABLE_FILE if isinstance(error, UnreadableFileError) else exit_code(error.code)
