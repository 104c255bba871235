"""Every fault of the proxy, met by a mixed batch through the public door: right or refused."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from pydantic import SecretStr

from tests.chain import faults
from tests.chain.anvil import NoAnvilError, running_anvil
from tests.chain.deployments import (
    NoContractError,
    UniswapV2,
    deploy_odd_tokens,
    deploy_uniswap_v2,
)
from tests.chain.faults import Exchange, Fault, FaultsProxy, faults_before, node_at
from tests.chain.node import Node
from toolkit.chain.retry import Backoff
from toolkit.chain.transport import HttpLimits, HttpTransport
from toolkit.errors import AnswerError, ToolkitError
from toolkit.models.result import ErrorCode
from toolkit.tools import ToolAnswer
from toolkit.workspace import Workspace, open_workspace

CHAIN = 31337
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

# What the factories among the faults are called with. One that is missing here fails a test.
GIVEN: dict[str, list[tuple[Any, ...]]] = {
    "limit_items": [(0,), (0, 1)],
    "answer_html": [(), (401,), (404,), (413,), (503,)],
    "answer_with": [(b"",), (b"{}",), (b"\xff\xfe",), (b"[" * 5_000,), (b"null",)],
    "with_status": [(400,), (500,)],
    "too_many_requests": [(), ("1",), ("86400",)],
    "redirect": [("http://127.0.0.1:9/elsewhere",)],
    "delay": [(0.02,)],
    "serve_chain": [(10,), (2**70,)],
    "refuse_each": [
        ("missing trie node",),
        ("429 Too Many Requests: over rate limit",),
        ("header not found",),
        ("<b>read me</b>", -39_999),
        ("x" * 100_000, 10**30),
    ],
    "write_quantities_as": [
        (lambda number: f"-{number:#x}",),
        (lambda number: number,),
        (str,),
        (lambda number: f"0x0{number:x}",),
        (lambda number: hex(number + 2**256),),
        (float,),
    ],
    "change_headers": [
        ({"extraData": lambda _: "0x" + "ab" * 97},),
        ({"timestamp": lambda told: hex(int(told, 16) * 10**9)},),
        ({"number": lambda told: hex(int(told, 16) + 1)},),
        ({"hash": lambda told: "0x" + "ab" * 32},),
        ({"parentHash": lambda _: None, "stateRoot": lambda _: 7},),
    ],
}  # fmt: skip


def _all_faults() -> Iterator[Any]:
    """Every fault of the module: those that are one, and those that are made."""
    for name, made in inspect.getmembers(faults, inspect.isfunction):
        signature = inspect.signature(made)
        if name.startswith("_") or made.__module__ != faults.__name__:
            continue
        if list(signature.parameters) == ["exchange"]:
            yield pytest.param(made, id=name)
        elif signature.return_annotation == "Fault":
            for at, given in enumerate(GIVEN.get(name, [])):
                named, args = _split(given)
                yield pytest.param(made(*args, **named), id=f"{name}-{at}")


def _split(given: tuple[Any, ...]) -> tuple[dict[str, Any], tuple[Any, ...]]:
    return (given[0], ()) if given and isinstance(given[0], dict) else ({}, given)


@dataclass(frozen=True)
class Scene:
    """A chain that stands still, what is asked of it, and what the node itself says."""

    node: Node
    calls: list[tuple[str, dict[str, Any]]]
    truth: list[Any]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Pools, tokens and transfers on an anvil of their own."""
    try:
        with running_anvil(tmp_path_factory.mktemp("scene"), chain_id=CHAIN) as node:
            swap, odd = deploy_uniswap_v2(node), deploy_odd_tokens(node)
            payment = "transfer(address,uint256)"
            for amount in (5, 2**70):
                node.transact(swap.owner, swap.token_a, payment, node.accounts[3], amount)
            yield _scene(node, swap, odd)
    except (NoAnvilError, NoContractError) as error:
        pytest.skip(str(error))


def _scene(node: Node, swap: UniswapV2, odd: dict[str, str]) -> Scene:
    block = str(node.height)
    asked: list[tuple[str, dict[str, Any], Any]] = []
    for who in node.accounts[:5]:
        wei = int(node.ask("eth_getBalance", who, "latest"), 16)
        asked.append(("get_native_balance", {"address": who, "block": block}, wei))
    for who in (*node.accounts[:4], swap.pair):
        for token, decimals in ((swap.token_a, 18), (odd["whole"], 0), (odd["bytes32"], 18)):
            raw = node.call_uint(token, "balanceOf(address)", who)
            question = {"holder": who, "token": token, "block": block}
            asked.append(("get_erc20_balance", question, (raw, decimals)))
    nobody = {"holder": swap.owner, "token": node.accounts[4], "block": block}
    asked.append(("get_erc20_balance", nobody, "not_a_contract"))
    described = {"token": swap.token_a, "block": block}
    asked.append(("get_token_metadata", described, (b"Token A", b"TKA", 18, 10**27)))
    broken = {"token": odd["reverting"], "block": block}
    asked.append(("get_token_metadata", broken, "not_supported_by_contract"))
    reserves = node.call(swap.pair, "getReserves()")
    words = tuple(int.from_bytes(reserves[at : at + 32], "big") for at in (0, 32))
    asked.append(("get_pool_reserves", {"pool": swap.pair, "block": block}, words))
    listed = {"address": node.accounts[3], "from_block": "1", "to_block": block, "limit": 50}
    asked.append(("list_recent_transfers", listed, _transfers(node, node.accounts[3])))
    calls = [(tool, {"chain_id": CHAIN, **arguments}) for tool, arguments, _ in asked]
    return Scene(node, calls, [truth for *_, truth in asked])


def _transfers(node: Node, who: str) -> list[tuple[int, int]]:
    """Block and amount of what an address received, newest first, as the node tells it."""
    word = "0x" + who[2:].lower().rjust(64, "0")
    wanted = {"fromBlock": "0x1", "toBlock": "latest", "topics": [TRANSFER, None, word]}
    logs = node.ask("eth_getLogs", wanted)
    return [(int(log["blockNumber"], 16), int(log["data"], 16)) for log in reversed(logs)]


class Bite:
    """A fault that counts how often it met an answer that it could spoil."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self.met = 0

    def __call__(self, exchange: Exchange) -> None:
        before = copy.deepcopy(exchange)
        try:
            self._fault(exchange)
        except (LookupError, TypeError, AttributeError):  # A fault of batches met a single call.
            for name in ("response", "status", "headers", "body", "cut_at", "hold"):
                setattr(exchange, name, getattr(before, name))
            return
        self.met += 1


Opened = Callable[..., contextlib.AbstractContextManager[Workspace]]


@pytest.fixture
def opened(tmp_path) -> Opened:
    """Opens a workspace over a port as a new process would, all of them on one store."""

    @contextlib.contextmanager
    def open_(port: int, seconds: float = 20.0) -> Iterator[Workspace]:
        transport = HttpTransport(
            "primary",
            SecretStr(f"http://127.0.0.1:{port}/v3/secret"),
            limits=HttpLimits(total_seconds=seconds),
            backoff=Backoff(sleep=lambda _seconds: None),
        )
        with (
            contextlib.closing(transport),
            open_workspace(
                {}, tmp_path, store=tmp_path / "store", transports={CHAIN: transport}
            ) as workspace,
        ):
            yield workspace

    return open_


def _seen(answer: ToolAnswer) -> Any:
    """What an answer says, in the form of the truth."""
    data: Any = answer.data
    if answer.error is not None:
        return answer.error.code
    return {
        "get_native_balance": lambda: data.raw_amount,
        "get_erc20_balance": lambda: (data.raw_amount, data.decimals),
        "get_token_metadata": lambda: (
            data.name.raw,
            data.symbol.raw,
            data.decimals,
            data.raw_total_supply,
        ),
        "get_pool_reserves": lambda: (data.raw_reserve0, data.raw_reserve1),
        "list_recent_transfers": lambda: [(t.block_number, t.raw_amount) for t in data.rows],
    }[answer.tool.name]()


def _check(scene: Scene, proxy: FaultsProxy, answers: list[ToolAnswer]) -> None:
    """Each answer is the truth, or an error with a name that blames nobody wrongly."""
    assert len(answers) == len(scene.calls)
    for answer, truth in zip(answers, scene.truth, strict=True):
        seen = _seen(answer)
        if answer.error is None:
            known = truth
            if not getattr(answer.data, "complete", True):
                assert answer.data.stopped_because, "a list that is short says why"
                known = [row for row in truth if row in seen]
            assert seen == known, answer.arguments
            continue
        assert isinstance(answer.error, ToolkitError)
        assert seen in get_args(ErrorCode)
        assert seen == truth or not isinstance(answer.error, AnswerError), answer.error
        told = str(answer.error)
        for hidden in (f":{proxy.port}", "127.0.0.1", "secret", "read me", "Traceback"):
            assert hidden not in told


def test_no_fault_is_left_without_its_arguments():
    """A fault that nobody tries is a promise that nobody keeps."""
    factories = {
        name
        for name, made in inspect.getmembers(faults, inspect.isfunction)
        if inspect.signature(made).return_annotation == "Fault" and not name.startswith("_")
    }

    assert factories == set(GIVEN)


@pytest.mark.parametrize("fault", list(_all_faults()))
def test_a_fault_ends_in_the_right_value_or_in_an_error_with_a_name(scene, opened, fault):
    """Whoever compares forty numbers cannot see that the endpoint was ill for one of them."""
    bite = Bite(fault)
    seconds = 0.3 if fault is faults.hang else 20.0
    with faults_before(node_at(scene.node.port)) as proxy:
        proxy.always = bite
        with opened(proxy.port, seconds) as from_the_start:
            _check(scene, proxy, from_the_start.tools.batch(scene.calls))
        proxy.always = None
        with opened(proxy.port, seconds) as later:
            later.pin(chain_id=CHAIN, block="latest")
            proxy.always = bite
            met = bite.met
            _check(scene, proxy, later.tools.batch(scene.calls))
            assert bite.met > met

        proxy.always = None
        with opened(proxy.port) as healthy:
            answers = healthy.tools.batch(scene.calls)

    assert [_seen(answer) for answer in answers] == scene.truth


@pytest.mark.parametrize("fault", list(_all_faults()))
def test_a_fault_that_passes_spoils_nothing_wherever_it_falls(scene, opened, tmp_path, fault):
    """One bad answer between good ones is the kind that is believed."""
    bite = Bite(fault)
    seconds = 0.3 if fault is faults.hang else 20.0
    with faults_before(node_at(scene.node.port)) as proxy:
        for at in range(6):
            with opened(proxy.port, seconds) as workspace:
                workspace.pin(chain_id=CHAIN, block="latest")
                proxy.faults.extend([*[None] * at, bite])
                answers = workspace.tools.batch(scene.calls)
                proxy.faults.clear()
            _check(scene, proxy, answers)
            for file in (tmp_path / "store").glob("*"):
                file.unlink()

    assert bite.met > 0
