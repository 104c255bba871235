"""How addresses are called on a page: by the analyst's own label and by their digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from toolkit.dashboard import session
from toolkit.dashboard.components.amounts import short_address


def label_of(chain_id: int, address: str) -> str:
    """The analyst's own label of an address, or nothing."""
    return session.workspace().labels.get(chain_id, address) or ""


def names_of(chain_id: int, addresses: Iterable[str]) -> dict[str, str]:
    """Name each address by label and short form; whole where two would look the same."""
    wanted = list(dict.fromkeys(addresses))
    short = Counter(short_address(address) for address in wanted)
    names: dict[str, str] = {}
    for address in wanted:
        label, digits = label_of(chain_id, address), short_address(address)
        shown = address if short[digits] > 1 else digits
        names[address] = f"{label} \u00b7 {shown}" if label else shown
    return names
