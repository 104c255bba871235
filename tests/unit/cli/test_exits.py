"""Exit codes are a contract with every script."""

from __future__ import annotations

from typing import get_args

import pytest

from toolkit.cli.exits import exit_code, exit_code_of
from toolkit.errors import UnreadableFileError
from toolkit.models.result import ErrorCode

USAGE = {"invalid_argument", "unknown_chain"}
UNAVAILABLE = {
    "endpoint_unreachable",
    "rate_limited",
    "state_unavailable",
    "store_busy",
    "timeout",
    "tool_unavailable",
}


@pytest.mark.parametrize("code", get_args(ErrorCode))
def test_every_error_code_has_the_exit_code_that_was_promised(code):
    """A script retries on 3 and never on 2: the two must not be mixed up."""
    promised = 2 if code in USAGE else 3 if code in UNAVAILABLE else 1

    assert exit_code(code) == promised


def test_no_error_is_0_and_an_unreadable_file_is_4():
    """A pipeline must know a broken input file from a broken answer."""
    assert exit_code(None) == 0
    assert exit_code_of(UnreadableFileError("x")) == 4
