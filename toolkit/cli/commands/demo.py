"""`toolkit demo`: what the shipped demo holds, and what to try on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import typer

from toolkit.cli.exits import DONE
from toolkit.cli.opening import opened
from toolkit.cli.session import session_of
from toolkit.workspace import Demo


def command(context: typer.Context) -> int:
    """Say what the shipped demo holds and what to try. It needs no network and no key.

    The demo is a small recorded chain. Nothing on it is real, and it is labelled on every answer.
    """
    session = session_of(context)
    with opened(session) as workspace:
        demo = workspace.demo
    if session.as_json:
        session.screen.document(demo.model_dump(mode="json") | {"try": list(_lines(demo))})
        return DONE
    session.screen.line(session.word("strip.demo"), strong=True)
    session.screen.line(session.word("cli.demo_range", chain_id=demo.chain_id, head=demo.head))
    for group, names in (
        ("accounts", demo.accounts),
        ("tokens", demo.tokens),
        ("pools", demo.pools),
        ("others", demo.others),
        ("moments", demo.moments),
    ):
        session.screen.line()
        session.screen.line(session.word(f"cli.demo_{group}"), strong=True)
        for line in _listed(names):
            session.screen.line(line)
    session.screen.line()
    session.screen.line(session.word("cli.demo_try"), strong=True)
    for line in _lines(demo):
        session.screen.line(f"  {line}")
    return DONE


def _listed(names: Mapping[str, object]) -> Iterator[str]:
    """Our own name for a thing, and its address or height."""
    widest = max(map(len, names), default=0)
    return (f"  {name.ljust(widest)}  {value}" for name, value in names.items())


def _lines(demo: Demo) -> Iterator[str]:
    """Commands that answer at once."""
    compare, depth, transfers = demo.compare, demo.depth, demo.transfers
    chain = f"--chain-id {demo.chain_id}"
    holders, tokens = ",".join(compare.addresses[:2]), ",".join(compare.tokens[:2])
    chosen = f"{chain} --addresses {holders} --tokens {tokens} --native"
    yield f"toolkit compare --block {compare.block} {chosen}"
    yield f"toolkit compare --block {compare.before_block} --to-block {compare.block} {chosen}"
    yield f"toolkit depth {chain} --block {depth.block} --pools {','.join(depth.pools)}"
    yield (
        f"toolkit transfers {chain} --address {transfers.address} --from-block "
        f"{transfers.from_block} --to-block {transfers.to_block} --limit {transfers.limit}"
    )
    yield (
        f"toolkit call get_token_metadata {chain} --token {compare.tokens[-1]} "
        f"--block {compare.block} --json"
    )
    yield f"toolkit export --from compare --out evidence.csv --block {compare.block} {chosen}"
    yield "toolkit app"
