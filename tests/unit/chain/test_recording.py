"""What a recording answers, and what it says where it has no answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from toolkit.chain.recorded_world import RecordedWorld
from toolkit.chain.recording import ExchangeTransport, RecordedTransport, io_exchanges
from toolkit.chain.rpc import METHODS
from toolkit.chain.transport import RpcCall
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    CallRevertedError,
    ForbiddenMethodError,
    MethodUnsupportedError,
    RangeTooLargeError,
    ReadError,
    StateUnavailableError,
    UnreadableFileError,
)

DEMO = Path(__file__).resolve().parents[3] / "data" / "demo" / "world.json.gz"
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
STRANGER = "0x" + 20 * "12"
RESERVES, DECIMALS, BALANCE_OF = "0x0902f1ac", "0x313ce567", "0x70a08231"
IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"


@pytest.fixture(scope="module")
def world() -> RecordedWorld:
    """The shipped demo."""
    return RecordedWorld.load(DEMO)


@pytest.fixture
def demo(world: RecordedWorld) -> RecordedTransport:
    """The demo as an endpoint."""
    return RecordedTransport(world)


def ask(demo: RecordedTransport | ExchangeTransport, method: str, *params: Any) -> Any:
    """Send one call alone."""
    (answer,) = demo.send([RpcCall(method, params)])
    return answer


def call(demo: RecordedTransport, to: str, data: str, block: Any = "latest", **more: str) -> Any:
    """Send one eth_call."""
    return ask(demo, "eth_call", {"to": to, "data": data, **more}, block)


def test_a_read_is_known_by_what_it_asks_and_not_by_how(
    demo: RecordedTransport, world: RecordedWorld
) -> None:
    """A demo that only knows recorded bytes breaks when the reader words a request otherwise."""
    pool = world.names["pools"]["Alder MAPLE/CEDAR"]
    block_hash = world.blocks[50]["hash"]
    by_height = call(demo, pool, RESERVES, hex(50))

    assert len(by_height) == 2 + 3 * 64
    for block in (
        block_hash,
        {"blockHash": block_hash, "requireCanonical": True},
        {"blockNumber": "0x32"},
    ):
        assert call(demo, pool.upper().replace("0X", "0x"), RESERVES, block) == by_height
    assert call(demo, pool, RESERVES, hex(50), gas="0x10", **{"from": STRANGER}) == by_height


def test_state_differs_between_heights(demo: RecordedTransport, world: RecordedWorld) -> None:
    """A pin that does not decide the answer is no pin."""
    pool = world.names["pools"]["Birch MAPLE/CEDAR"]

    assert call(demo, pool, RESERVES, hex(45)) != call(demo, pool, RESERVES, "latest")
    assert ask(demo, "eth_getCode", pool, hex(1)) == "0x"
    assert call(demo, pool, RESERVES, hex(1)) == "0x"


def test_the_donated_pool_holds_more_than_its_reserve(
    demo: RecordedTransport, world: RecordedWorld
) -> None:
    """The gap between reserve and balance must be there for the analyst to see."""
    pool, cedar = world.names["pools"]["Birch MAPLE/CEDAR"], world.names["tokens"]["CEDAR"]
    reserves = call(demo, pool, RESERVES)
    side = 0 if call(demo, pool, "0x0dfe1681")[26:] == cedar[2:].lower() else 1
    reserve = int(reserves[2 + 64 * side : 66 + 64 * side], 16)
    balance = int(call(demo, cedar, BALANCE_OF + 24 * "0" + pool[2:]), 16)

    assert balance - reserve == 500 * 10**6


def test_zero_empty_and_reverted_are_three_answers(
    demo: RecordedTransport, world: RecordedWorld
) -> None:
    """An analyst must be able to tell an empty wallet from a contract that refuses."""
    accounts, tokens = world.names["accounts"], world.names["tokens"]
    mute = call(demo, tokens["MUTE"], DECIMALS)

    assert ask(demo, "eth_getBalance", accounts["Nobody"], "latest") == "0x0"
    assert call(demo, accounts["Dina"], DECIMALS) == "0x"
    assert isinstance(mute, CallRevertedError)
    assert mute.data.startswith(bytes.fromhex("08c379a0"))


def test_the_aggregate_has_no_code_and_answers_nothing(
    demo: RecordedTransport, world: RecordedWorld
) -> None:
    """A reader that took silence for an aggregate's answer would show a page of nothing."""
    aggregate = world.names["others"]["Multicall3 (no code here)"]

    assert ask(demo, "eth_getCode", aggregate, "latest") == "0x"
    assert call(demo, aggregate, "0x82ad56cb" + 64 * "0") == "0x"


def test_a_proxy_shows_its_implementation_and_an_account_an_empty_slot(
    demo: RecordedTransport, world: RecordedWorld
) -> None:
    """Who trusts a token's code must learn that another contract decides it."""
    slot, names = IMPLEMENTATION_SLOT, world.names
    implementation = names["others"]["COPPER implementation"]

    word = ask(demo, "eth_getStorageAt", names["tokens"]["COPPER"], slot, "latest")
    assert word[26:] == implementation[2:]
    word = ask(demo, "eth_getStorageAt", names["accounts"]["Bram"], slot, "latest")
    assert int(word, 16) == 0


@pytest.mark.parametrize(
    ("method", "params", "kind"),
    [
        ("eth_getBalance", (STRANGER, "latest"), StateUnavailableError),
        ("eth_call", ({"to": STRANGER, "data": DECIMALS}, "latest"), StateUnavailableError),
        ("eth_getBlockByNumber", ("0x1000", False), BlockAheadOfHeadError),
        ("eth_getBlockByHash", ("0x" + 64 * "a", False), BlockNotFoundError),
        ("eth_getBalance", (STRANGER, {"blockHash": "0x" + 64 * "a"}), BlockNotFoundError),
    ],
)
def test_outside_the_recording_an_error_says_what_is_inside(
    demo: RecordedTransport, method: str, params: tuple[Any, ...], kind: type[ReadError]
) -> None:
    """A newcomer who pastes an own address must learn what the demo can answer."""
    answer = ask(demo, method, *params)

    assert isinstance(answer, kind)
    names = ("Aiko", "PEBBLE", "Alder MAPLE/CEDAR", "`toolkit demo`")
    assert "blocks 0 to 100" in str(answer)
    # A wrong height is not mended by a list of twenty-five names.
    assert [name in str(answer) for name in names] == [kind is StateUnavailableError] * 4


def test_a_batch_is_one_request_and_one_bad_call_spoils_no_other(
    demo: RecordedTransport, world: RecordedWorld
) -> None:
    """One stray address must not cost a thousand good answers."""
    holder = world.names["accounts"]["Aiko"]
    good = RpcCall("eth_getBalance", (holder, "latest"))
    bad = [RpcCall("eth_getBalance", (STRANGER, "latest")), RpcCall("eth_getProof", ())]

    answers = demo.send([good, *bad, RpcCall("eth_getBalance", ()), good])

    assert answers[0] == answers[4]
    assert [isinstance(answer, ReadError) for answer in answers] == [False, True, True, True, False]
    assert demo.requests == 1


def test_a_recording_refuses_to_send_as_any_endpoint_does(demo: RecordedTransport) -> None:
    """A habit learned on the demo must not be one that a real endpoint would carry out."""
    with pytest.raises(ForbiddenMethodError):
        ask(demo, "eth_sendRawTransaction", "0x00")


def test_logs_are_filtered_by_range_address_and_topics(
    demo: RecordedTransport, world: RecordedWorld
) -> None:
    """A transfer that a filter loses is money that the report does not mention."""

    def logs(**wanted: Any) -> list[dict[str, Any]]:
        found = ask(demo, "eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", **wanted})
        assert isinstance(found, list)
        return found

    def word(name: str) -> str:
        return "0x" + 24 * "0" + world.names["accounts"][name][2:].lower()

    cedar = world.names["tokens"]["CEDAR"]
    sent = logs(topics=[TRANSFER, word("Bram")])
    received = logs(topics=[[TRANSFER], None, [word("Bram")]])
    either = logs(topics=[None, [word("Bram"), word("Chidi")]])

    assert len(logs()) == len(world.logs)
    assert sent != received
    assert 0 < len(sent) < len(either)
    assert all(log["address"] == cedar.lower() for log in logs(address=cedar, topics=[TRANSFER]))
    assert logs(address=[]) == logs()
    collectible = [log for log in logs(topics=[TRANSFER]) if len(log["topics"]) == 4]
    assert len(collectible) == 2
    one_block = {"blockHash": collectible[0]["blockHash"]}
    assert ask(demo, "eth_getLogs", one_block) == [collectible[0]]
    reversed_range = ask(demo, "eth_getLogs", {"fromBlock": "0x5", "toBlock": "0x1"})
    assert isinstance(reversed_range, RangeTooLargeError)


def test_a_broken_recording_is_refused_with_a_way_out(tmp_path: Path) -> None:
    """A half-copied file must not start a demo that answers half the questions."""
    broken = tmp_path / "world.json.gz"
    broken.write_bytes(DEMO.read_bytes()[:5_000])

    with pytest.raises(UnreadableFileError, match="not a recording"):
        RecordedWorld.load(broken)


def test_recorded_geth_exchanges_come_back_as_they_were(shared_data: Path) -> None:
    """The strictness of the reader is only worth something against a real node's words."""
    folder = shared_data / "execution-apis" / "tests"
    replay = ExchangeTransport.of_io_files(folder)
    count = 0
    for file in sorted(folder.glob("*/*.io")):
        for request, recorded in io_exchanges(file):
            if request.method not in METHODS:
                continue
            answer = ask(replay, request.method, *request.params)
            count += 1
            if "error" in recorded:
                assert isinstance(answer, ReadError), file.name
            else:
                assert answer == recorded["result"], file.name

    assert count > 40
    assert int(ask(replay, "eth_chainId"), 16) == 3503995874084926
    assert isinstance(ask(replay, "eth_getBalance", STRANGER, "latest"), MethodUnsupportedError)


def test_a_mainnet_token_with_a_bytes32_name_is_replayed(shared_data: Path) -> None:
    """Early tokens are still held, and their names must be tested as they really are."""
    folder = shared_data / "ethereum-etl" / "test_export_tokens_job"
    replay = ExchangeTransport.of_web3_responses(folder / "token_with_alternative_return_type")
    symbol = {"to": "0x86fa049857e0209aa7d9e616f7eb3b3b78ecfdb0", "data": "0x95d89b41"}

    answer = ask(replay, "eth_call", {**symbol, "from": STRANGER}, "latest")

    assert bytes.fromhex(answer[2:]) == b"EOS".ljust(32, b"\0")
