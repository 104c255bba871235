"""Resolves latest, safe and finalized among endpoints that do not stand at the same block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from toolkit.chain.failover import Refusals, is_worth_another
from toolkit.chain.member import Member
from toolkit.chain.members import Members
from toolkit.chain.reader import PinnedBlock
from toolkit.errors import BlockAheadOfHeadError, ReadError
from toolkit.models import BlockHeight, BlockTag

_ASKED_AGAIN: Final = 2


class _Candidate(NamedTuple):
    member: Member
    pinned: PinnedBlock


class TagFloors:
    """The highest block that each tag has named in this process.

    Not: on a development chain, which its owner may set back on purpose.
    """

    def __init__(self, *, development: bool) -> None:
        self._development = development
        self._highest: dict[str, PinnedBlock] = {}

    def above(self, tag: BlockTag, pinned: PinnedBlock) -> PinnedBlock | None:
        """The block that the tag already named above this one, if any."""
        known = self._highest.get(tag.tag)
        if self._development or known is None or known.pin.number <= pinned.pin.number:
            return None
        return known

    def keep(self, tag: BlockTag, pinned: PinnedBlock) -> PinnedBlock:
        """Note that the tag named this block, and return it."""
        if self.above(tag, pinned) is None:
            self._highest[tag.tag] = pinned
        return pinned

    def not_below(
        self,
        tag: BlockTag,
        pinned: PinnedBlock,
        again: Callable[[], PinnedBlock],
        at: Callable[[BlockHeight], PinnedBlock],
    ) -> PinnedBlock:
        """Never let a tag go back: ask again, then for the height that was named before.

        Who knows that height has a head at or above it, on whichever branch stands there now.
        Errors: BlockAheadOfHeadError where nobody has that height any more; ReadError.
        """
        known = self.above(tag, pinned)
        for _ in range(_ASKED_AGAIN if known else 0):
            pinned = again()
            if self.above(tag, pinned) is None:
                return self.keep(tag, pinned)
        if known is None:
            return self.keep(tag, pinned)
        try:
            return self.keep(tag, at(BlockHeight(number=known.pin.number)))
        except ReadError as error:
            raise _went_back(tag, known, pinned, error) from None


class TagPinner:
    """Resolves a tag on one endpoint, passing over those that are seen to lag."""

    def __init__(self, members: Members, floors: TagFloors) -> None:
        self._members = members
        self._floors = floors

    def pin(self, tag: BlockTag) -> PinnedBlock:
        """Resolve a tag: one request where the first endpoint keeps up.

        Errors: BlockAheadOfHeadError where every head stands below the one that was pinned
        before; ReadError, the most telling one, where no endpoint answers.
        """
        chosen = self._chosen(tag)

        def again() -> PinnedBlock:
            return chosen.member.pin(tag)

        return self._floors.not_below(tag, chosen.pinned, again, self._at)

    def _chosen(self, tag: BlockTag) -> _Candidate:
        """The first endpoint in turn that does not lag, else the highest of all."""
        refusals = Refusals()
        candidates: list[_Candidate] = []
        for member in self._members.in_turn():
            if member.rests and (candidates or refusals.are_told):
                break
            try:
                candidates.append(_Candidate(member, member.pin(tag)))
            except ReadError as error:
                if not is_worth_another(error):
                    raise
                refusals.add(member.endpoint_id, error)
                continue
            if not (self._members.lags(member) or self._members.may_be_stale(member)):
                break
        if not candidates:
            raise refusals.worst
        keeping_up = [one for one in candidates if not self._members.lags(one.member)]
        return keeping_up[0] if keeping_up else max(candidates, key=_height)

    def _at(self, height: BlockHeight) -> PinnedBlock:
        """The block at a height, from whoever has it."""
        refusals = Refusals()
        for member in self._members.in_turn():
            try:
                return member.pin(height)
            except ReadError as error:
                refusals.add(member.endpoint_id, error)
        raise refusals.worst


def _height(candidate: _Candidate) -> int:
    return candidate.pinned.pin.number


def _went_back(
    tag: BlockTag, known: PinnedBlock, pinned: PinnedBlock, error: ReadError
) -> BlockAheadOfHeadError:
    """Say that the chain seems to have become shorter, with both heights."""
    was, now = known.pin.number, pinned.pin.number
    return BlockAheadOfHeadError(
        f"{tag} of chain {pinned.pin.chain_id} stood at block {was} a moment ago, and endpoint "
        f"{pinned.endpoint_id!r} now stands at {now}: it has fallen behind, or the chain has.",
        remedy=f"Ask again in a moment, use another endpoint, or pin a height up to {now}.",
        attempts=error.attempts + _ASKED_AGAIN,
    )
