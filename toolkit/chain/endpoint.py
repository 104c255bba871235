"""An endpoint, and what a short probe found out about it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.chain.quantities import parse_bytes, parse_hash32, parse_quantity
from toolkit.chain.transport import RpcCall, Transport
from toolkit.errors import (
    BlockNotFoundError,
    ChainMismatchError,
    EndpointMisbehavedError,
    EndpointRefusesAccessError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    MethodUnsupportedError,
    RateLimitedError,
    ReadError,
    RequestTooLargeError,
    RpcRefusedError,
    StateUnavailableError,
)
from toolkit.models import ChainId, Frozen

DEFAULT_BODY_BYTES: Final = 512_000
"""The largest request body that is tried first. Not measured: the reader learns by halving."""

_BATCH_SIZES: Final = (1_000, 100, 20)
_ZERO: Final = "0x0000000000000000000000000000000000000000"
_PROBE: Final = "0x00000000000000000000000000000000000070b1"
# Returns TIMESTAMP and BLOCKHASH(NUMBER - 1). The time tells blocks apart; NUMBER alone will not
# do, for rollups answer it differently, and some of them another hash of the parent too.
_TELL_BLOCK: Final = "0x42600052600143034060205260406000f3"
_PROBE_GAS: Final = "0x186a0"
_UNSETTLED: Final = (RateLimitedError, EndpointTimeoutError, EndpointUnreachableError)
_REFUSES_FORM: Final = (MethodUnsupportedError, RpcRefusedError)


class Capability(Frozen):
    """Whether an endpoint can do one thing. `supported` is None where that is not known.

    `wrong_block` means that it answers, and from another block than the one it was asked for.
    """

    supported: bool | None
    reason: str
    wrong_block: bool = False


class Capabilities(Frozen):
    """What a probe found. Unit: `batch_limit` calls that worked in one batch, bytes, UTC time.

    `history` is about the state halfway between genesis and head. `batch_limit` is what was
    tried and worked, not the endpoint's own limit; `body_limit_bytes` is a default.
    """

    chain_id: ChainId
    client: str
    hash_pins: Capability
    history: Capability
    overrides: Capability
    parent_hash: Capability
    batch: Capability
    batch_limit: int
    body_limit_bytes: int = DEFAULT_BODY_BYTES
    probed_at: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A way to one chain, and what is known of it."""

    chain_id: int
    transport: Transport
    capabilities: Capabilities

    @property
    def endpoint_id(self) -> str:
        """The endpoint's name; never its URL."""
        return self.transport.endpoint_id


def connect(
    transport: Transport,
    chain_id: int,
    *,
    now: Callable[[], str],
    max_batch: int | None = None,
) -> Endpoint:
    """Probe an endpoint and keep what was found with it. See `probe`."""
    found = probe(transport, chain_id, now=now, max_batch=max_batch)
    return Endpoint(chain_id=chain_id, transport=transport, capabilities=found)


def probe(
    transport: Transport,
    chain_id: int,
    *,
    now: Callable[[], str],
    max_batch: int | None = None,
) -> Capabilities:
    """Find out what an endpoint can do, in at most six requests.

    A limited endpoint is an answer, not an error. `max_batch`, where the configuration names
    one, is believed and not tried. Errors: ChainMismatchError; EndpointError where the
    endpoint cannot be spoken to at all.
    """
    probing = _Probing(transport)
    probing.greet(chain_id)
    probing.question()
    batch_limit = probing.find_batch_limit(max_batch)
    return Capabilities(
        chain_id=chain_id,
        client=_clean_client(probing.answers.get("client")),
        hash_pins=_judge_hash_pins(probing.answers),
        overrides=(overrides := _judge_overrides(probing.answers)),
        parent_hash=_judge_parent_hash(probing.answers),
        history=_judge_history(probing.answers, overrides, probing.old),
        batch=probing.batch,
        batch_limit=batch_limit,
        probed_at=now(),
    )


@dataclass(slots=True)
class _Probing:
    """The questions of a probe and their answers by name; no answer stands for 'not asked'."""

    transport: Transport
    answers: dict[str, Any] = field(default_factory=dict)
    batch: Capability = field(
        default_factory=lambda: Capability(supported=True, reason="a batch was answered")
    )
    old: int = 0

    def greet(self, chain_id: int) -> None:
        """Ask who is there. Errors: ChainMismatchError, EndpointError."""
        self._ask(
            {
                "chain": RpcCall("eth_chainId"),
                "latest": RpcCall("eth_getBlockByNumber", ("latest", False)),
                "client": RpcCall("web3_clientVersion"),
            },
            alone=("chain", "latest"),
        )
        told = self.answers["chain"]
        if isinstance(told, ReadError):
            raise told
        served = parse_quantity(told, bits=63, field="chain id")
        if served != chain_id:
            raise ChainMismatchError(
                f"Endpoint {self.transport.endpoint_id!r} serves chain {served}, "
                f"not chain {chain_id}.",
                remedy="Correct the endpoint's URL or its chain id.",
            )

    def question(self) -> None:
        """Ask the newest block and an old one what they tell about hashes, time and overrides."""
        latest = self.answers["latest"]
        if not isinstance(latest, dict):
            return
        number = parse_quantity(latest.get("number"), bits=63, field="block number")
        block_hash = parse_hash32(latest.get("hash"), field="block hash")
        self.old = number // 2
        old = hex(self.old)
        time_call = {"to": _PROBE, "data": "0x", "gas": _PROBE_GAS}
        code = {_PROBE: {"code": _TELL_BLOCK}}
        self._ask(
            {
                "unknown_hash": RpcCall("eth_getBalance", (_ZERO, _by_hash(_made_up(block_hash)))),
                "known_hash": RpcCall("eth_getBalance", (_ZERO, _by_hash(block_hash))),
                "old_balance": RpcCall("eth_getBalance", (_ZERO, old)),
                "time_now": RpcCall("eth_call", (time_call, hex(number), code)),
                "time_by_hash": RpcCall("eth_call", (time_call, _by_hash(block_hash), code)),
                "time_then": RpcCall("eth_call", (time_call, old, code)),
                "old": RpcCall("eth_getBlockByNumber", (old, False)),
            },
            alone=("unknown_hash", "known_hash", "old_balance"),
        )

    def find_batch_limit(self, max_batch: int | None) -> int:
        """Try batch sizes from the largest down, or take the configured one."""
        if not self.batch.supported:
            return 1
        if max_batch is not None:
            return max_batch
        for size in _BATCH_SIZES:
            try:
                answers = self.transport.send([RpcCall("eth_chainId")] * size)
            except ReadError:
                continue
            if not any(isinstance(answer, ReadError) for answer in answers):
                return size
        return 6

    def _ask(self, questions: dict[str, RpcCall], *, alone: Sequence[str]) -> None:
        """Ask all in one batch; where batches do not work, ask only the vital ones, singly."""
        if self.batch.supported:
            try:
                answers = self.transport.send(list(questions.values()))
            except (EndpointMisbehavedError, RequestTooLargeError, MethodUnsupportedError) as error:
                self.batch = Capability(supported=False, reason=error.message)
            else:
                self.answers |= dict(zip(questions, answers, strict=True))
                return
        for name in alone:
            try:
                (self.answers[name],) = self.transport.send([questions[name]])
            except EndpointRefusesAccessError:
                raise
            except ReadError as error:
                self.answers[name] = error


def _by_hash(block_hash: str) -> dict[str, Any]:
    """The EIP-1898 block parameter."""
    return {"blockHash": block_hash, "requireCanonical": True}


def _made_up(block_hash: str) -> str:
    """A hash that no block has, the same for the same block."""
    return "0x" + hashlib.sha256(block_hash.encode("ascii")).hexdigest()


def _clean_client(told: Any) -> str:
    """Keep what a version is made of; the rest of a node's text is not shown."""
    if not isinstance(told, str):
        return "unknown"
    return re.sub(r"[^A-Za-z0-9./-]", "", told[:200])[:60] or "unknown"


def _judge_hash_pins(answers: dict[str, Any]) -> Capability:
    """A real hash must give a number, and a made-up one must not; a call must run there, too."""
    known, unknown = answers.get("known_hash"), answers.get("unknown_hash")
    if "known_hash" not in answers or isinstance(known, _UNSETTLED):
        return Capability(supported=None, reason=_why_unknown(known))
    if isinstance(known, ReadError):
        return Capability(supported=False, reason="it refuses a block hash as block parameter")
    if not _is_quantity(known) or not _calls_by_hash(answers):
        return Capability(supported=False, reason="it answers nothing at a block hash")
    if isinstance(unknown, BlockNotFoundError | RpcRefusedError | StateUnavailableError):
        return Capability(supported=True, reason="a made-up hash was refused")
    if isinstance(unknown, ReadError):
        return Capability(supported=None, reason=_why_unknown(unknown))
    return Capability(supported=False, reason="it answers a made-up block hash")


def _calls_by_hash(answers: dict[str, Any]) -> bool:
    """Where our code ran at the newest height, it must run at that block's hash as well."""
    told, latest = answers.get("time_by_hash"), answers.get("latest")
    if not _same_time(answers.get("time_now"), latest) or isinstance(told, _UNSETTLED):
        return True
    return _same_time(told, latest)


def _judge_overrides(answers: dict[str, Any]) -> Capability:
    """Code put in by a state override must run."""
    told, latest = answers.get("time_now"), answers.get("latest")
    if isinstance(told, _REFUSES_FORM):
        return Capability(supported=False, reason="it refuses a state override")
    if "time_now" not in answers or isinstance(told, ReadError):
        return Capability(supported=None, reason=_why_unknown(told))
    if _same_time(told, latest):
        return Capability(supported=True, reason="code put in by an override ran")
    return Capability(supported=False, reason="it ignores a state override")


def _judge_parent_hash(answers: dict[str, Any]) -> Capability:
    """BLOCKHASH inside a call must be the parent's hash as the header tells it."""
    told, latest = answers.get("time_now"), answers.get("latest")
    if not isinstance(latest, dict) or not _same_time(told, latest):
        return Capability(supported=None, reason="no code of ours ran")
    if "0x" + parse_bytes(told, 64)[32:].hex() == str(latest.get("parentHash")).lower():
        return Capability(supported=True, reason="a call told its parent's hash")
    return Capability(supported=False, reason="BLOCKHASH is not the parent's hash there")


def _judge_history(answers: dict[str, Any], overrides: Capability, old: int) -> Capability:
    """The old block's own time must come back from a call at the old block."""
    balance = answers.get("old_balance")
    if isinstance(balance, StateUnavailableError):
        return Capability(supported=False, reason=f"it keeps no state at block {old}")
    if overrides.supported and old > 0:
        told = answers.get("time_then")
        if isinstance(told, StateUnavailableError):
            return Capability(supported=False, reason=f"it keeps no state at block {old}")
        if _same_time(told, answers.get("old")):
            return Capability(supported=True, reason=f"block {old} told its own time")
        if not isinstance(told, ReadError) and isinstance(answers.get("old"), dict):
            return Capability(
                supported=False,
                reason=f"it answers block {old} from another block",
                wrong_block=True,
            )
        return Capability(supported=None, reason=_why_unknown(told))
    if old == 0:
        return Capability(supported=None, reason="the chain has no old block yet")
    if isinstance(balance, ReadError) or "old_balance" not in answers:
        return Capability(supported=None, reason=_why_unknown(balance))
    return Capability(
        supported=None, reason=f"it answers at block {old}, and nothing proves from which block"
    )


def _same_time(told: Any, header: Any) -> bool:
    """Whether returned bytes are the header's timestamp; anything malformed is not."""
    if isinstance(told, ReadError) or not isinstance(header, dict):
        return False
    try:
        timestamp = parse_quantity(header.get("timestamp"), field="timestamp")
        return int.from_bytes(parse_bytes(told, 64)[:32], "big") == timestamp
    except EndpointMisbehavedError:
        return False


def _is_quantity(told: Any) -> bool:
    try:
        parse_quantity(told)
    except EndpointMisbehavedError:
        return False
    return True


def _why_unknown(answer: Any) -> str:
    return answer.message if isinstance(answer, ReadError) else "it was not asked"
