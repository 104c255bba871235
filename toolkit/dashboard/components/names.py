"""How addresses are called on a page: by the analyst's own label and by their digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from toolkit.dashboard import session
from toolkit.dashboard.components.amounts import short_address
from toolkit.dashboard.components.foreign_words import refuse
from toolkit.errors import StoreError


def labels_of(chain_id: int) -> dict[str, str]:
    """The analyst's own labels on a chain; on the demo, under them, the demo's."""
    workspace = session.workspace()
    labels: dict[str, str] = {}
    if session.is_demo(chain_id):
        demo = workspace.demo
        for group in (demo.others, demo.pools, demo.tokens, demo.accounts):
            labels |= {address: name for name, address in group.items()}
    try:
        return labels | workspace.labels.of_chain(chain_id)
    except StoreError as error:
        refuse(error)
        return labels


def names_of(addresses: Iterable[str], labels: Mapping[str, str]) -> dict[str, str]:
    """Name each address by label and short form; whole where two would look the same."""
    wanted = list(dict.fromkeys(addresses))
    short = Counter(short_address(address) for address in wanted)
    names: dict[str, str] = {}
    for address in wanted:
        label, digits = labels.get(address, ""), short_address(address)
        shown = address if short[digits] > 1 else digits
        names[address] = f"{label} \u00b7 {shown}" if label else shown
    return names
