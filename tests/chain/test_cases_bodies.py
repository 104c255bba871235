"""Bodies that no node should send, against a pin, a read and a scan: refused, or right."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from tests.chain.anvil import NoAnvilError, running_anvil
from tests.chain.deployments import MULTICALL3, NoContractError, deploy_uniswap_v2, multicall3_code
from tests.chain.faults import Exchange, Fault, FaultsProxy, faults_before, node_at
from toolkit.chain.facts import Answer, Fact, Failure, Outcome, Value
from toolkit.chain.limits import Limits
from toolkit.chain.logs import Log, LogScan
from toolkit.chain.reader import PinnedBlock
from toolkit.chain.reads import BalanceRead, CallRead, CodeRead, NonceRead, Read, StorageRead
from toolkit.chain.retry import Backoff
from toolkit.chain.rpc_reader import RpcReader
from toolkit.chain.transport import HttpTransport
from toolkit.errors import ToolkitError
from toolkit.models import BlockHash, BlockHeight, BlockTag, checksummed
from toolkit.tools.abi import TRANSFER_TOPIC, address_word, selector

FORMS = (Limits(), Limits(overrides=True, parent_hash=True), Limits(hash_pins=False, batch=1))

# What may stand in a result's place and can be no result: nothing here is a value that an honest
# node could have meant, because a well-formed lie is found out by a second endpoint alone.
_JUNK = (
    st.none()
    | st.booleans()
    | st.integers(-(2**300), 2**300)
    | st.floats()
    | st.sampled_from(["", "0", "5", "0X5", " 0x5", "0x5 ", "-0x5", "0x-5", "0xg", "0x1_0", "0x٣"])
    | st.sampled_from(
        ["0x" + "f" * 65, "0x00005", "0x12 34", "0x\u202e12", "latest", "null", "NaN"]
    )
    | st.text(st.characters(exclude_characters="0"), min_size=1, max_size=20)
)
_JUNKS = st.recursive(
    _JUNK,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "result", "hash", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
_ERRORS = st.fixed_dictionaries(
    {},
    optional={
        "code": st.sampled_from([-32000, -32601, -32602, -32603, -39999, 0, 2**70, None, "3", 1.5]),
        "message": st.sampled_from(
            ["weird", "", None, 7, "\ud83d\ude00\u202e", "missing trie node"]
        )
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="rR"), max_size=30),
        "data": _JUNKS,
    },
)
_PLACES = st.lists(st.integers(0, 2**16), max_size=6)


@dataclass(frozen=True)
class Mutation:
    """One way to spoil an answer: where in the document, and what becomes of that place."""

    kind: str
    place: tuple[int, ...] = ()
    junk: Any = None
    at: float = 0.0

    def __call__(self, exchange: Exchange) -> None:
        exchange.body = getattr(self, self.kind)(copy.deepcopy(exchange.response))

    def raw(self, _document: Any) -> bytes:
        """Any bytes at all."""
        return bytes(self.junk)

    def cut(self, document: Any) -> bytes:
        """A body that ends early, and says so in its length."""
        body = json.dumps(document).encode()
        return body[: int(len(body) * self.at)]

    def wrap(self, document: Any) -> bytes:
        """The document, with bytes before and after it."""
        return bytes(self.junk) + json.dumps(document).encode() + bytes(self.junk)

    def inject(self, document: Any) -> bytes:
        """Bytes that are neither JSON nor UTF-8, somewhere in the middle."""
        body = json.dumps(document).encode()
        at = int(len(body) * self.at)
        return body[:at] + b"\xff\x00" + body[at:]

    def replace(self, document: Any) -> bytes:
        """Another value at a place."""
        holder, key = _find(document, self.place)
        holder[key] = self.junk
        return json.dumps(document).encode("utf-8", "surrogatepass")

    def deepen(self, document: Any) -> bytes:
        """A value that is nested beyond reason at a place."""
        holder, key = _find(document, self.place)
        holder[key] = "@"
        return json.dumps(document).encode().replace(b'"@"', b"[" * 3_000 + b"]" * 3_000)

    def spell(self, document: Any) -> bytes:
        """A number that JSON does not have, or that no type holds, at a place."""
        holder, key = _find(document, self.place)
        holder[key] = "@"
        return json.dumps(document).encode().replace(b'"@"', self.junk)

    def fail(self, document: Any) -> bytes:
        """An error object in place of a call's result, or beside it."""
        item = _item(document, self.place)
        if self.at < 0.5:
            item.pop("result", None)
        item["error"] = self.junk
        return json.dumps(document).encode("utf-8", "surrogatepass")

    def repeat(self, document: Any) -> bytes:
        """A member that stands twice: once as it should be, once as junk, in either order."""
        item = _item(document, self.place)
        key = sorted(item)[len(self.place) % len(item)]
        good = json.dumps(item[key])
        bad = json.dumps(self.junk)
        item["@"] = 0
        first, last = (good, bad) if self.at < 0.5 else (bad, good)
        item.pop(key)
        text = json.dumps(document)
        return text.replace('"@": 0', f'"{key}": {first}, "{key}": {last}').encode()

    def remove(self, document: Any) -> bytes:
        """A member that is missing."""
        holder, key = _find(document, self.place)
        if isinstance(holder, dict):
            del holder[key]
        return json.dumps(document).encode()


def _item(document: Any, place: tuple[int, ...]) -> dict[str, Any]:
    """One response object of a document."""
    if isinstance(document, dict):
        return document
    item: dict[str, Any] = document[(place or (0,))[0] % len(document)]
    return item


def _find(document: Any, place: tuple[int, ...]) -> tuple[Any, Any]:
    """Walk into a document, and return what holds the place that the walk ends at."""
    holder, key, here = [document], 0, document
    for step in place or (0,):
        if not isinstance(here, dict | list) or not here:
            break
        keys = sorted(here) if isinstance(here, dict) else range(len(here))
        holder, key = here, keys[step % len(keys)]
        here = here[key]
    return holder, key


_NUMBERS = [b"NaN", b"-Infinity", b"1e999", b"-0", b"01", b"0x5", b"9" * 5_000, b"1.0"]
MUTATIONS = (
    st.builds(Mutation, st.just("raw"), junk=st.binary(max_size=60))
    | st.builds(Mutation, st.just("wrap"), junk=st.binary(min_size=1, max_size=9))
    | st.builds(Mutation, st.sampled_from(["cut", "inject"]), at=st.floats(0, 0.999))
    | st.builds(Mutation, st.just("replace"), _PLACES.map(tuple), _JUNKS)
    | st.builds(Mutation, st.just("replace"), _PLACES.map(tuple), _JUNKS)
    | st.builds(Mutation, st.sampled_from(["deepen", "remove"]), _PLACES.map(tuple))
    | st.builds(Mutation, st.just("spell"), _PLACES.map(tuple), st.sampled_from(_NUMBERS))
    | st.builds(Mutation, st.just("fail"), _PLACES.map(tuple), _ERRORS | _JUNKS, st.floats(0, 1))
    | st.builds(Mutation, st.just("repeat"), _PLACES.map(tuple), _JUNKS, st.floats(0, 1))
)


@dataclass(frozen=True, repr=False)
class Truth:
    """A chain that stands still, and what reads, scan and pins of it must say."""

    port: int
    pins: tuple[PinnedBlock, ...]
    reads: tuple[Read, ...]
    outcomes: tuple[Outcome, ...]
    logs: tuple[Log, ...]


def _reader(port: int, limits: Limits) -> Iterator[RpcReader]:
    transport = HttpTransport(
        "primary",
        SecretStr(f"http://127.0.0.1:{port}"),
        backoff=Backoff(attempts=2, sleep=lambda _seconds: None),
    )
    with contextlib.closing(transport):
        yield RpcReader(
            transport, chain_id=31337, development=True, now=lambda: "now", limits=limits
        )


opened = contextlib.contextmanager(_reader)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Truth]:
    """What the node says when nobody stands between."""
    try:
        with running_anvil(tmp_path_factory.mktemp("bodies")) as node:
            swap = deploy_uniswap_v2(node)
            node.set_code(MULTICALL3, multicall3_code())
            node.mine(3)
            token = checksummed(swap.token_a)
            owners = [checksummed(one) for one in (swap.owner, swap.pair, *node.accounts[3:6])]
            reads: list[Read] = [BalanceRead(one) for one in owners]
            reads += [
                CallRead(token, selector("balanceOf(address)") + address_word(one))
                for one in owners
            ]
            reads += [CallRead(token, selector("symbol()")), NonceRead(owners[0])]
            reads += [CodeRead(token), StorageRead(token, 0), StorageRead(owners[1], 8)]
            with opened(node.port, Limits()) as reader:
                pins = tuple(
                    reader.pin(block)
                    for block in (BlockTag(tag="latest"), BlockHeight(number=node.height - 1))
                )
                answers = reader.read(pins[0].pin, reads)
                logs = reader.scan(pins[0].pin, _scan(pins[0])).logs
            outcomes = tuple(one.outcome for one in answers if isinstance(one, Fact))
            assert len(outcomes) == len(reads)
            assert logs
            yield Truth(node.port, pins, tuple(reads), outcomes, logs)
    except (NoAnvilError, NoContractError) as error:
        pytest.skip(str(error))


def _scan(pinned: PinnedBlock) -> LogScan:
    return LogScan(((TRANSFER_TOPIC,),), 1, pinned.pin.number, 100)


@pytest.fixture
def proxy(truth: Truth) -> Iterator[FaultsProxy]:
    """A proxy before that node."""
    with faults_before(node_at(truth.port)) as running:
        yield running


def _spoil(proxy: FaultsProxy, fault: Fault, at: int) -> None:
    """Let a fault meet the request at this place, and all after it where it is negative."""
    proxy.bodies.clear()
    proxy.faults.clear()
    proxy.always = fault if at < 0 else None
    if at >= 0:
        proxy.faults.extend([*[None] * at, fault])


def _check(answers: list[Answer], truth: Truth) -> None:
    """No answer is a number that the node did not say."""
    assert len(answers) == len(truth.reads)
    for answer, outcome in zip(answers, truth.outcomes, strict=True):
        if isinstance(answer, Failure):
            assert isinstance(answer.error, ToolkitError)
        else:
            assert answer.outcome == outcome
            assert isinstance(answer.outcome, Value)


FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@FUZZ
@given(mutation=MUTATIONS, at=st.integers(-1, 1), limits=st.sampled_from(FORMS))
@example(mutation=Mutation("spell", (0, 2, 3), b"NaN"), at=0, limits=FORMS[0])
def test_no_body_makes_a_pin_of_another_block(truth, proxy, mutation, at, limits):
    """Every number of a page stands under its pin; a wrong pin makes all of them wrong."""
    with opened(proxy.port, limits) as reader:
        for pinned in truth.pins:
            _spoil(proxy, mutation, at)
            for block in (
                BlockHeight(number=pinned.pin.number),
                BlockHash(hash=pinned.pin.hash),
            ):
                with contextlib.suppress(ToolkitError):
                    found = reader.pin(block)
                    assert found.pin == pinned.pin
                    assert found.pin.timestamp == pinned.pin.timestamp
                    assert found.pin.parent_hash == pinned.pin.parent_hash
                    assert found.pin.lineage == pinned.pin.lineage
                    assert found.finality.status in (pinned.finality.status, "unknown", "unsafe")


@FUZZ
@given(mutation=MUTATIONS, at=st.integers(-1, 3), limits=st.sampled_from(FORMS))
def test_no_body_makes_a_number_that_the_node_did_not_say(truth, proxy, mutation, at, limits):
    """A page of a thousand balances is believed because none of them can be nonsense."""
    with opened(proxy.port, limits) as reader:
        proxy.always = None
        proxy.faults.clear()
        pinned = reader.pin(BlockHeight(number=truth.pins[0].pin.number))
        _spoil(proxy, mutation, at)

        _check(reader.read(pinned.pin, truth.reads), truth)

        with contextlib.suppress(ToolkitError):
            reader.confirm(pinned)


@FUZZ
@given(mutation=MUTATIONS, at=st.integers(-1, 2), limits=st.sampled_from(FORMS))
def test_no_body_makes_a_log_that_is_not_there_nor_hides_one_in_silence(
    truth, proxy, mutation, at, limits
):
    """A list that is whole by its own word is added up."""
    pinned = truth.pins[0]
    with opened(proxy.port, limits) as reader:
        _spoil(proxy, mutation, at)

        page = reader.scan(pinned.pin, _scan(pinned))

    assert set(page.logs) <= set(truth.logs)
    if page.complete and not page.unproven:
        assert page.logs == truth.logs
    else:
        assert page.stopped_because or page.unproven
