"""The selections that every page, command and notebook of the demo starts from, as TOML."""

from __future__ import annotations

from typing import Final

from scenario import HEAD, Cast

from toolkit.models import checksummed

CHAIN_ID: Final = 31_337_000


def demo_toml(cast: Cast) -> str:
    """Write what the demo holds, and what to look at first."""
    return "\n".join(
        [
            "# Written by data/demo/record.py. Labels are ours; names on the chain are other text.",
            f"chain_id = {CHAIN_ID}",
            f"head = {HEAD}",
            'label = "demo"',
            "",
            *_table("accounts", cast.accounts),
            *_table("tokens", cast.tokens),
            *_table("pools", cast.pools),
            *_table("others", cast.others),
            "# Heights at which something had happened.",
            *_table("moments", cast.moments),
            *_first_looks(cast),
        ]
    )


def _table(name: str, rows: dict[str, str] | dict[str, int]) -> list[str]:
    lines = (
        f'"{label}" = "{checksummed(value)}"' if isinstance(value, str) else f'"{label}" = {value}'
        for label, value in rows.items()
    )
    return [f"[{name}]", *lines, ""]


def _first_looks(cast: Cast) -> list[str]:
    """One selection for each page: compare, depth and transfers."""
    accounts, tokens, moments = cast.accounts, cast.tokens, cast.moments
    people = [accounts[name] for name in ("Aiko", "Bram", "Chidi", "Dina", "Emre", "Nobody")]
    shown = [tokens[name] for name in ("MAPLE", "CEDAR", "PEBBLE", "VAST", "MUTE", "LURE")]
    pools = [cast.pools[name] for name in ("Alder MAPLE/CEDAR", "Birch MAPLE/CEDAR")]
    return [
        "[compare]",
        f"block = {HEAD}",
        f"before_block = {moments['pools opened']}",
        "native = true",
        f"addresses = {_array(people)}",
        f"tokens = {_array(shown)}",
        "",
        "[depth]",
        f"block = {HEAD}",
        f"before_block = {moments['before the donation and the rebase']}",
        f"pools = {_array(pools)}",
        "",
        "[transfers]",
        f'address = "{checksummed(accounts["Bram"])}"',
        "from_block = 0",
        f"to_block = {HEAD}",
        "limit = 100",
        "",
    ]


def _array(addresses: list[str]) -> str:
    return "[\n" + "".join(f'    "{checksummed(address)}",\n' for address in addresses) + "]"
