"""Transfers drawn: sent, received and net of one token, and how many there were over blocks."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import altair as alt

from toolkit.analysis import Net, TransferList
from toolkit.charts.frame import (
    COLOURS,
    MIN_HEIGHT,
    AnyChart,
    drawn,
    empty_chart,
    number_axis,
    plotted,
    position,
    titled,
)
from toolkit.charts.words import Words, merged
from toolkit.derive import Derived
from toolkit.models import Unknown

_BINS: Final = 60


def net_chart(transfers: TransferList, token: str, *, words: Words | None = None) -> AnyChart:
    """Draw what an address sent, received, and the net, of one token.

    An incomplete list gives no sums, and the chart says so.
    """
    said = merged(words)
    title = titled(token, transfers.pinned, said, _completeness(transfers, said))
    net = transfers.net
    if isinstance(net, Unknown):
        return empty_chart(title, said["incomplete"])
    mine = [one for one in net if one.token == token]
    if not mine:
        return empty_chart(title, said["unavailable"])
    rows = _net_rows(mine[0], said)
    names = [row["name"] for row in rows]
    return drawn(
        plotted(rows)
        .properties(title=title, height=MIN_HEIGHT, width="container")
        .mark_bar()
        .encode(
            x=alt.X("position:Q", title=said["amount"], axis=number_axis()),
            y=alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=0)),
            color=alt.Color(
                "name:N",
                legend=None,
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
            ),
            tooltip=[
                alt.Tooltip("name:N", title=" "),
                alt.Tooltip("amount:N", title=said["amount"]),
                alt.Tooltip("raw_amount:N", title=said["raw_amount"]),
            ],
        )
    )


def _net_rows(net: Net, words: Words) -> list[dict[str, Any]]:
    return [
        _bar(words[name], number)
        for name, number in (("received", net.received), ("sent", net.sent), ("net", net.net))
    ]


def _bar(name: str, number: Derived) -> dict[str, Any]:
    raw = int(number.text or 0)
    return {
        "name": name,
        "amount": number.amount or f"{raw} raw",
        "raw_amount": str(raw),
        "position": position(raw, number.decimals),
    }


def block_chart(transfers: TransferList, *, words: Words | None = None) -> AnyChart:
    """Draw how many transfers there were over the blocks that were read. Not: amounts."""
    said = merged(words)
    title = titled(
        f"{said['transfers']} · {transfers.address}",
        transfers.pinned,
        said,
        _completeness(transfers, said),
    )
    covered = transfers.covered
    if covered is None:
        return empty_chart(title, transfers.stopped_because or said["unavailable"])
    names = [said[key] for key in ("received", "sent", "self")]
    return drawn(
        plotted(_counts(transfers, covered, said))
        .properties(title=title, height=MIN_HEIGHT, width="container")
        .mark_bar()
        .encode(
            x=alt.X(
                "from_block:Q",
                title=said["block_number"],
                bin="binned",
                axis=number_axis(),
                scale=alt.Scale(domain=[covered[0], covered[1] + 1], nice=False),
            ),
            x2="to_block:Q",
            y=alt.Y("count:Q", title=said["count"], axis=number_axis(tickMinStep=1)),
            color=alt.Color(
                "direction:N",
                title=said["direction"],
                scale=alt.Scale(domain=names, range=list(COLOURS[:3])),
                legend=alt.Legend(orient="bottom"),
            ),
            tooltip=[
                alt.Tooltip("blocks:N", title=said["block_number"]),
                alt.Tooltip("direction:N", title=said["direction"]),
                alt.Tooltip("counted:N", title=said["count"]),
            ],
        )
    )


def _counts(
    transfers: TransferList, covered: tuple[int, int], words: Words
) -> list[dict[str, Any]]:
    """Count transfers in equal steps of blocks, at most sixty of them."""
    step = max(1, -(-(covered[1] - covered[0] + 1) // _BINS))
    frame = transfers.frame.select("block_number", "direction")
    counted = Counter(
        (covered[0] + (block - covered[0]) // step * step, direction)
        for block, direction in frame.iter_rows()
    )
    return [
        {
            "from_block": start,
            "to_block": start + step,
            "blocks": str(start) if step == 1 else f"{start}–{start + step - 1}",
            "direction": words[direction],
            "count": count,
            "counted": str(count),
        }
        for (start, direction), count in sorted(counted.items())
    ]


def _completeness(transfers: TransferList, words: Words) -> str:
    covered = transfers.covered
    heights = "" if covered is None else f"{words['block']} {covered[0]}–{covered[1]} · "
    return heights + (words["complete"] if transfers.complete else words["incomplete"])
