"""Transfers of one address: how complete the list is first, then the list, then net per token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from toolkit.analysis.caveats import Caveat, about_reading, caveat
from toolkit.analysis.pinned import pin_json
from toolkit.chain.log_check import LogCheck
from toolkit.chain.logs import LogPage
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.reads import ReadIds
from toolkit.derive import Derived, Input, read_row_id
from toolkit.errors import InvalidArgumentError
from toolkit.models import ToolError, Unknown, scale
from toolkit.tools import ToolAnswer
from toolkit.tools.failure import tool_error
from toolkit.tools.list_recent_transfers import RecentTransfers, Transfer
from toolkit.tools.row_ids import observed_row_id


@dataclass(frozen=True, slots=True)
class Net:
    """What an address sent and received of one token in a complete range.

    Unit: the token's smallest. A transfer to oneself counts on both sides.
    Not: the balance's change, where a token moves amounts without an event.
    """

    token: str
    sent: Derived
    received: Derived
    net: Derived

    @property
    def raw_net(self) -> int:
        """Received minus sent, signed."""
        return self.net.value if isinstance(self.net.value, int) else 0


@dataclass(frozen=True)
class TransferList:
    """One answer of list_recent_transfers, understood. Read `complete` before counting.

    `check` says how it holds against its blocks, where somebody asked for that.
    """

    answer: ToolAnswer
    check: LogCheck | None = None

    @classmethod
    def of(cls, answer: ToolAnswer) -> TransferList:
        """Take the answer of `list_recent_transfers`.

        Errors: InvalidArgumentError for another tool's answer.
        """
        if answer.tool.name != "list_recent_transfers":
            raise InvalidArgumentError(f"{answer.tool.name} lists no transfers.")
        return cls(answer)

    @property
    def pinned(self) -> PinnedBlock | None:
        """The block that the range ends at."""
        return self.answer.pinned

    @property
    def address(self) -> str:
        """The sender or receiver that was asked for."""
        return str(getattr(self.answer.args, "address", self.answer.arguments.get("address")))

    @property
    def answers(self) -> Iterator[ToolAnswer]:
        """The answer, for evidence rows."""
        yield self.answer

    @property
    def error(self) -> ToolError | None:
        """Why there is no list."""
        return None if self.answer.error is None else tool_error(self.answer.error)

    @property
    def _data(self) -> RecentTransfers | None:
        return self.answer.data if isinstance(self.answer.data, RecentTransfers) else None

    @property
    def page(self) -> LogPage | None:
        """The logs that the list was made of."""
        pages = (seen.answer for seen in self.answer.observations)
        return next((page for page in pages if isinstance(page, LogPage)), None)

    @property
    def complete(self) -> bool:
        """Whether every block that was asked for was read, nothing was cut, and nothing differs."""
        agrees = self.check is None or self.check.error is None
        return self._data is not None and self._data.complete and agrees

    @property
    def covered(self) -> tuple[int, int] | None:
        """The lowest and highest height that were really read."""
        covered = self._data.covered if self._data else None
        return None if covered is None else (covered.from_block, covered.to_block)

    @property
    def stopped_because(self) -> str | None:
        """None where complete, `limit`, or an error's code."""
        if self.check is not None and self.check.error is not None:
            return self.check.error.code
        if self._data is not None:
            return self._data.stopped_because
        return self.error.code if self.error else None

    @property
    def stopped_message(self) -> str | None:
        """The sentence of the error that ended the reading early, with the way out."""
        if self.check is not None and self.check.error is not None:
            return str(self.check.error)
        if self._data is not None:
            return self._data.stopped_message
        return f"{self.error.message} {self.error.remedy}".strip() if self.error else None

    @property
    def rows(self) -> tuple[Transfer, ...]:
        """The transfers found, newest first."""
        return self._data.rows if self._data else ()

    @cached_property
    def row_ids(self) -> tuple[str, ...]:
        """The evidence row of each transfer, in the order of `rows`."""
        if self.pinned is None:
            return ()
        ids = ReadIds(self.pinned.pin)
        return tuple(
            read_row_id(ids.of_log(row.block_hash, row.log_index), _field(row)) for row in self.rows
        )

    @cached_property
    def net(self) -> tuple[Net, ...] | Unknown:
        """Sent, received and net per ERC-20 token; Unknown where the list is not complete."""
        if not self.complete:
            return Unknown(
                code="cap_reached" if self.stopped_because == "limit" else "covered_range",
                message="The list is not complete, so nothing is summed from it.",
            )
        sent: dict[str, list[Input]] = {}
        received: dict[str, list[Input]] = {}
        for row, row_id in zip(self.rows, self.row_ids, strict=True):
            if row.raw_amount is None:
                continue
            outgoing, incoming = sent.setdefault(row.token, []), received.setdefault(row.token, [])
            if row.sender == self.address:
                outgoing.append((row.raw_amount, row_id))
            if row.receiver == self.address:
                incoming.append((row.raw_amount, row_id))
        return tuple(self._net_of(token, sent[token], received[token]) for token in sent)

    def _net_of(self, token: str, sent: list[Input], received: list[Input]) -> Net:
        out, into = self._sum(token, sent), self._sum(token, received)
        inputs = [(int(one.text or 0), one.row_id) for one in (into, out)]
        return Net(token, out, into, self._derive("difference@1", token, inputs))

    def _sum(self, token: str, inputs: list[Input]) -> Derived:
        return self._derive("sum@1", token, inputs)

    def _derive(self, formula: str, token: str, inputs: list[Input]) -> Derived:
        decimals = self._decimals.get(token)
        return Derived.of(
            formula,
            inputs,
            self.pinned.pin,  # type: ignore[union-attr]  # rows are there, so a pin is
            contract=token,
            decimals=decimals[0] if decimals else None,
            decimals_row_id=decimals[1] if decimals else None,
        )

    @cached_property
    def _decimals(self) -> dict[str, Input]:
        """Each token's decimals with their evidence row, where the token tells them."""
        found: dict[str, Input] = {}
        for seen in self.answer.observations:
            if seen.field == "decimals" and isinstance(seen.value, int):
                row_id = observed_row_id(self.answer, seen, "decimals")
                found[seen.answer.read.to] = (seen.value, row_id)  # type: ignore[union-attr]
        return found

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The sums and nets, for evidence rows."""
        if isinstance(self.net, Unknown):
            return ()
        return tuple(n for one in self.net for n in (one.sent, one.received, one.net))

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:
        """What a reader of this list must know; what is missing from it comes first."""
        capped = self.stopped_because == "limit"
        unscaled = [row.token for row in self.rows if isinstance(row.decimals, Unknown)]
        return (
            *((Caveat("cap_reached"),) if capped else ()),
            *(() if self.complete or capped else (Caveat("covered_range"),)),
            Caveat("value_not_queried"),
            Caveat("sends_without_events"),
            Caveat("unindexed_not_searched"),
            *((Caveat("odd_shapes"),) if self._data and self._data.odd_shapes else ()),
            *caveat("nfts", [row.token for row in self.rows if row.standard == "erc721"]),
            *caveat("multi_tokens", [row.token for row in self.rows if row.standard == "erc1155"]),
            *caveat("decimals_unknown", unscaled),
            *about_reading(self.answers, self.pinned),
        )

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per transfer, newest first. Shape: every number that a token holds is text."""
        rows = [
            (
                row.block_number,
                row.block_hash,
                row.log_index,
                row.token,
                row.sender,
                row.receiver,
                self._direction(row),
                None if row.raw_amount is None else str(row.raw_amount),
                row.decimals if isinstance(row.decimals, int) else None,
                _amount(row),
                None if row.token_id is None else str(row.token_id),
                None if row.raw_units is None else str(row.raw_units),
                row.standard,
                row_id,
            )
            for row, row_id in zip(self.rows, self.row_ids, strict=True)
        ]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")

    def _direction(self, row: Transfer) -> str:
        """Whether the address sent, received, or did both."""
        if row.sender == row.receiver:
            return "self"
        return "sent" if row.sender == self.address else "received"

    def as_json(self) -> dict[str, Any]:
        """The list as `transfers --json` writes it."""
        covered = self.covered
        return {
            "pin": pin_json(self.pinned),
            "complete": self.complete,
            "covered": None
            if covered is None
            else {"from_block": covered[0], "to_block": covered[1]},
            "stopped_because": self.stopped_because,
            "stopped_message": self.stopped_message,
            "rows": [
                _row_json(row, row_id) for row, row_id in zip(self.rows, self.row_ids, strict=True)
            ],
            "error": None if self.error is None else self.error.model_dump(mode="json"),
            "caveats": [caveat.as_json() for caveat in self.caveats],
            **({} if self.check is None else {"cross_check": _check_json(self.check)}),
        }


def _check_json(check: LogCheck) -> dict[str, Any]:
    return {
        "holds": check.holds,
        "from_block": check.from_block,
        "to_block": check.to_block,
        "ruled_out_by_bloom": check.ruled_out,
        "compared_with_receipts": check.compared,
        "unchecked": check.unchecked,
        "differs_at": check.differs_at,
        "message": None if check.error is None else str(check.error),
    }


_SCHEMA: Final = {
    "block_number": pl.Int64,
    "block_hash": pl.String,
    "log_index": pl.Int64,
    "token": pl.String,
    "from": pl.String,
    "to": pl.String,
    "direction": pl.String,
    "raw_amount": pl.String,
    "decimals": pl.Int16,
    "amount": pl.String,
    "token_id": pl.String,
    "raw_units": pl.String,
    "standard": pl.String,
    "row_id": pl.String,
}


def _field(row: Transfer) -> str:
    """The field that a transfer's evidence row has: an amount, an id, or plain bytes."""
    return {"erc20": "raw_amount", "erc721": "token_id"}.get(row.standard, "log_data")


def _amount(row: Transfer) -> str | None:
    if row.raw_amount is None or not isinstance(row.decimals, int):
        return None
    return scale(row.raw_amount, row.decimals)


def _row_json(row: Transfer, row_id: str) -> dict[str, Any]:
    return {
        "block_number": row.block_number,
        "block_hash": row.block_hash,
        "log_index": row.log_index,
        "token": row.token,
        "from": row.sender,
        "to": row.receiver,
        "raw_amount": None if row.raw_amount is None else str(row.raw_amount),
        "token_id": None if row.token_id is None else str(row.token_id),
        "raw_units": None if row.raw_units is None else str(row.raw_units),
        "decimals": row.decimals if isinstance(row.decimals, int) else None,
        "amount": _amount(row),
        "standard": row.standard,
        "reason": row.reason,
        "row_id": row_id,
    }
