"""Which forms of aggregate an endpoint runs, found out by trying."""

from __future__ import annotations

import threading
from typing import Final

from toolkit.chain.aggregate import Form
from toolkit.chain.limits import LearnedLimits
from toolkit.chain.multicall import THROUGH_MULTICALL3
from toolkit.chain.packed import PACKED

_IN_ORDER: Final[tuple[Form, ...]] = (PACKED, THROUGH_MULTICALL3)


class Forms:
    """The best form at a block: packed where overrides run, else Multicall3 where it stands.

    A form that did not run at a height is not tried at or below it again: contracts are
    deployed once, and opcodes are added, not taken away.
    """

    def __init__(self, limits: LearnedLimits) -> None:
        self._limits = limits
        self._unsuited_up_to: dict[str, int] = {}
        self._lock = threading.Lock()

    def best_at(self, number: int) -> Form | None:
        """The form to use at a height; None where every read travels alone."""
        for form in _IN_ORDER:
            if form is PACKED and not self._limits.now.overrides:
                continue
            if number > self._unsuited_up_to.get(form.name, -1):
                return form
        return None

    def rule_out(self, form: Form, number: int) -> None:
        """Note that a form did not run at a height."""
        with self._lock:
            known = self._unsuited_up_to.get(form.name, -1)
            self._unsuited_up_to[form.name] = max(known, number)
