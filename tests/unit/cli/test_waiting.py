"""The word that a person gets while an endpoint keeps everybody waiting."""

from __future__ import annotations

import io

import pytest

from toolkit.cli.progress import waiting_word
from toolkit.cli.screen import Screen
from toolkit.cli.session import Session


class Watch:
    """A timer that rings when the test says so."""

    def __init__(self, _seconds, ring):
        self.ring, self.is_over, self.daemon = ring, False, False

    def start(self):
        """Begin to wait."""

    def cancel(self):
        """End it."""
        self.is_over = True


@pytest.mark.parametrize("quiet", [False, True])
def test_a_long_wait_is_said_once_and_not_to_whoever_wants_quiet(quiet):
    """Half a minute without a word looks like a hang, and a script wants none."""
    words, watches = io.StringIO(), []
    session = Session(as_json=False, quiet=quiet, language="en", store=None, config=None)
    session.__dict__["screen"] = Screen(io.StringIO(), words)

    def timer(seconds, ring):
        watches.append(Watch(seconds, ring))
        return watches[0]

    with waiting_word(session, timer):
        watches[0].ring()
    assert words.getvalue().count("Waiting for the endpoint") == (0 if quiet else 1)
    assert watches[0].is_over
