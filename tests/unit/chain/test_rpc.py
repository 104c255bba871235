"""The strict JSON-RPC layer: what may be asked, and to whom an answer belongs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.chain.rpc import (
    METHODS,
    classify_rpc_error,
    encode_request,
    pair_answers,
    parse_address_hex,
    parse_bytes,
    parse_hash32,
    parse_quantity,
    refuse_forbidden,
)
from toolkit.chain.transport import RpcCall
from toolkit.errors import (
    BlockAheadOfHeadError,
    BlockNotFoundError,
    CallRevertedError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    ForbiddenMethodError,
    MethodUnsupportedError,
    OutOfGasError,
    RangeTooLargeError,
    RateLimitedError,
    ReadError,
    ReorgedError,
    RequestTooLargeError,
    RpcRefusedError,
    StateUnavailableError,
    ToolkitError,
)

FORBIDDEN = [
    "eth_sendRawTransaction", "eth_sendTransaction",
    "eth_sendRawTransactionConditional", "eth_sendBundle", "eth_sign",
    "eth_signTransaction", "eth_signTypedData", "eth_signTypedData_v3",
    "eth_signTypedData_v4", "eth_sendUserOperation", "eth_accounts",
    "eth_requestAccounts", "eth_coinbase", "eth_mining", "eth_submitWork",
    "eth_submitHashrate", "eth_getWork", "eth_newFilter", "eth_newBlockFilter",
    "eth_uninstallFilter", "eth_newPendingTransactionFilter", "eth_getFilterChanges",
    "eth_getFilterLogs", "eth_subscribe", "eth_unsubscribe", "eth_estimateGas",
    "eth_createAccessList", "eth_gasPrice", "eth_feeHistory",
    "eth_getTransactionByHash", "eth_getTransactionReceipt",
    "eth_pendingTransactions", "eth_callMany", "eth_simulateV1", "eth_fillTransaction",
    "eth_resend", "personal_sign", "personal_unlockAccount", "personal_sendTransaction",
    "personal_importRawKey", "personal_newAccount", "personal_listAccounts",
    "admin_addPeer", "admin_startHTTP", "admin_startRPC", "admin_exportChain",
    "admin_importChain", "debug_setHead", "debug_traceCall", "debug_traceTransaction",
    "debug_traceBlockByNumber", "debug_freeOSMemory", "debug_getRawHeader",
    "trace_call", "trace_callMany", "trace_filter", "miner_start", "miner_stop",
    "miner_setGasPrice", "txpool_content", "txpool_status", "engine_newPayloadV3",
    "engine_forkchoiceUpdatedV3", "clique_propose", "anvil_setBalance", "anvil_setCode",
    "anvil_setStorageAt", "anvil_mine", "anvil_reset", "anvil_reorg",
    "anvil_impersonateAccount", "hardhat_setBalance", "hardhat_impersonateAccount",
    "hardhat_mine", "evm_mine", "evm_snapshot", "evm_revert", "evm_increaseTime",
    "evm_setNextBlockTimestamp", "tenderly_setBalance", "wallet_sendCalls",
    "wallet_addEthereumChain", "wallet_switchEthereumChain",
    "wallet_grantPermissions", "net_version", "net_listening", "web3_sha3", "rpc_modules",
    "les_addBalance", "shh_post", "parity_setChain", "ETH_CALL", "eth_call\x00", "eth_callX",
    "xeth_call", "eth_getbalance",
]  # fmt: skip


@pytest.mark.parametrize("method", [*FORBIDDEN, "", " eth_call", "eth_call "])
def test_a_method_outside_the_list_is_refused(method):
    """An analyst's machine must never be able to change a chain, whatever asks it to."""
    with pytest.raises(ForbiddenMethodError, match="nothing was sent"):
        refuse_forbidden([RpcCall("eth_call"), RpcCall(method)])


def test_the_list_of_methods_is_the_one_in_the_specification():
    """A method added in passing would widen what the whole toolkit may do."""
    refuse_forbidden([RpcCall(method) for method in METHODS])
    assert sorted(METHODS) == [
        "eth_blockNumber",
        "eth_call",
        "eth_chainId",
        "eth_getBalance",
        "eth_getBlockByHash",
        "eth_getBlockByNumber",
        "eth_getBlockReceipts",
        "eth_getCode",
        "eth_getLogs",
        "eth_getProof",
        "eth_getStorageAt",
        "eth_getTransactionCount",
        "eth_syncing",
        "web3_clientVersion",
    ]


@pytest.mark.parametrize(
    "value",
    [
        "0x", "0x00", "0x01", "-0x5", "0x-5", "5", 5, 5.0, None, True, "0X5", " 0x5", "0x5 ",
        "0x5\n",
        "0xg", "5e3", "0x" + "f" * 65, hex(2**256), [], {}, "0x٣", "0x1_0",
    ],
)  # fmt: skip
def test_a_malformed_quantity_is_never_a_number(value):
    """web3.py reads "-0x5", 5 and 2^300 as balances; an analyst would publish them."""
    with pytest.raises(EndpointMisbehavedError, match="balance"):
        parse_quantity(value, field="balance")


@given(st.integers(0, 2**256 - 1))
def test_every_256_bit_quantity_is_read_exactly(number):
    """A digit lost here is lost in every report."""
    assert parse_quantity(hex(number)) == number == parse_quantity("0x" + f"{number:X}")


def test_a_quantity_and_bytes_are_bounded():
    """A narrower field must not silently take a wider number, nor a hash another length."""
    assert parse_quantity("0xff", bits=8) == 255
    assert parse_bytes("0x") == b""
    assert parse_hash32("0x" + "AB" * 32) == "0x" + "ab" * 32
    assert parse_address_hex("0x" + "ca11bde05977b3631167028862be2a173976ca11").startswith(
        "0xcA11b"
    )
    for call in (
        lambda: parse_quantity("0x100", bits=8),
        lambda: parse_bytes("0x123"),
        lambda: parse_bytes("1234"),
        lambda: parse_bytes("0x12\n"),
        lambda: parse_bytes("0x12", 32),
        lambda: parse_hash32("0x" + "ab" * 31),
        lambda: parse_address_hex("0x" + "ab" * 32),
    ):
        with pytest.raises(EndpointMisbehavedError):
            call()


REASON = "0x08c379a0" + 31 * "00" + "20"


MEANINGS = {
    CallRevertedError: (
        "eth_call 3 execution reverted: x",
        "eth_call -32000 execution reverted",
        "eth_call -32603 VM Exception while processing transaction: reverted with reason 'x'",
        "eth_call -32000 VM Exception while processing transaction: revert x",
        "eth_call -32603 EVM error InvalidFEOpcode",
        "eth_call -32000 invalid opcode: INVALID",
        # A contract writes its reason: it cannot pose as another kind.
        "eth_call 3 execution reverted: rate limit exceeded",
        "eth_call -32000 execution reverted: missing trie node",
        "eth_call 3 execution reverted: out of gas",
    ),
    OutOfGasError: (
        "eth_call -32603 EVM error OutOfGas",
        "eth_call -32000 gas required exceeds allowance (50000000)",
        "eth_call -32000 err: out of gas",
        "eth_call -32015 VM execution error. OutOfGas",
    ),
    RateLimitedError: (
        "eth_call 429 Your app has exceeded its compute units per second capacity",
        "eth_call -32005 daily request count exceeded, request rate limited",
        "eth_call -32000 rate limit exceeded",
        "eth_getBalance -32016 over rate limit",
        "eth_getBalance -32000 429 Too Many Requests",
        "eth_getLogs -32005 daily request count exceeded, request rate limited",
        "eth_getLogs -32000 project ID request rate exceeded",
        "eth_call -32007 50/second request limit reached - reduce calls per second",
        "eth_call -32003 daily request limit reached - upgrade your account",
        "eth_call -32029 Too Many Requests, this key has reached its limit",
        "eth_getBalance -32090 Too many requests, call rate limit exhausted, retry in 10s",
        "eth_getBalance -32000 you have exceeded the RPS limit available on the current plan",
        "eth_call -32000 failed to forward: 429 Too Many Requests: over rate limit",
        "eth_call -32001 Exceeded the quota usage",
        "eth_call 429 Monthly capacity limit exceeded",
    ),
    StateUnavailableError: (
        "eth_getBalance -32000 missing trie node 1f (path ) state 0x2 is not available",
        "eth_call -32000 required historical state unavailable (reexec=128)",
        "eth_call -32000 historical state 0xab is not available",
        "eth_call -32002 No state available for block 0xab",
        "eth_getBalance -32603 state at block #5 is pruned",
        "eth_getBalance -32000 block is out of range",
        "eth_call -32602 BlockOutOfRangeError: block height is 80 but requested was 5",
    ),
    BlockAheadOfHeadError: (
        "eth_call -32602 BlockOutOfRangeError: block height is 5 but requested was 80",
        "eth_getLogs -32602 block range extends beyond current head block",
    ),
    BlockNotFoundError: (
        "eth_call -32000 header not found",
        "eth_call -32000 header for hash not found",
        "eth_getLogs -32000 unknown block",
        "eth_getBalance -32000 header for block 429 not found",
        "eth_getBalance -32001 Resource not found",
    ),
    ReorgedError: ("eth_getBalance -32000 hash is not currently canonical",),
    MethodUnsupportedError: (
        "eth_getProof -32601 the method eth_getProof does not exist/is not available",
        "eth_getProof -32000 Method not supported",
    ),
    RequestTooLargeError: (
        "eth_call -32003 response too large",
        "eth_call -32600 batch too large",
    ),
    RangeTooLargeError: (
        "eth_getLogs -32005 query returned more than 10000 results",
        "eth_getLogs -32600 eth_getLogs block range is limited to 2000",
    ),
    EndpointTimeoutError: ("eth_call -32000 execution aborted (timeout = 5s)",),
    RpcRefusedError: (
        "eth_getBalance -32602 invalid argument 1: cannot unmarshal object",
        "eth_call -32000 <script>alert(1)</script>",
    ),
}


@pytest.mark.parametrize(
    ("kind", "told"), [(kind, told) for kind, texts in MEANINGS.items() for told in texts]
)
def test_an_error_object_means_what_its_client_meant(kind, told):
    """A pruned, limited or reverted read must each be told apart, and never be a zero."""
    method, code, message = told.split(" ", 2)

    meaning = classify_rpc_error(method, {"code": int(code), "message": message})

    assert type(meaning) is kind
    assert message not in str(meaning)


@pytest.mark.parametrize(
    "error", [None, [], "execution reverted", {}, {"code": "3"}, {"code": True}, {"code": 10**400}]
)
def test_a_malformed_error_object_is_a_misbehaving_endpoint(error):
    """What cannot be read must not be taken for a revert."""
    assert isinstance(classify_rpc_error("eth_call", error), EndpointMisbehavedError)


@pytest.mark.parametrize(
    "data",
    [
        REASON,
        "Reverted " + REASON,
        {"data": REASON},
        {"0xhash": {"error": "revert", "return": REASON}},
    ],
)
def test_revert_bytes_are_found_in_every_client_s_form(data):
    """The reason of a revert is evidence; losing it on one client makes two facts of one."""
    meaning = classify_rpc_error("eth_call", {"code": 3, "message": "reverted", "data": data})

    assert isinstance(meaning, CallRevertedError)
    assert meaning.data == bytes.fromhex(REASON[2:])


TWO = [RpcCall("eth_chainId"), RpcCall("eth_blockNumber")]


def _ok(answer_id, result="0x1"):
    return {"jsonrpc": "2.0", "id": answer_id, "result": result}


def test_a_batch_in_another_order_is_put_right():
    """Servers may answer out of order; by position, A's balance would be B's."""
    body = json.dumps([_ok(8, "0xb"), _ok(7, "0xa")]).encode()

    assert pair_answers(body, TWO, [7, 8]) == ["0xa", "0xb"]


@pytest.mark.parametrize(
    "answers",
    [
        [_ok(7)], [_ok(7), _ok(7)], [_ok(7), _ok(9)], [_ok(7), _ok(8), _ok(9)], [_ok(7), _ok("8")],
        [_ok(7), _ok(8.0)], [_ok(7), _ok(True)], [_ok(7), None], [], {}, "x", 1, None, _ok(7),
        [_ok(7), {"jsonrpc": "2.0", "id": 8}], [_ok(7), {"id": 8, "result": 1}],
        [_ok(7), _ok(8) | {"error": {"code": 1, "message": ""}}],
        [_ok(7), _ok(8) | {"error": None}],
    ],
)  # fmt: skip
def test_a_batch_that_does_not_match_is_thrown_away_whole(answers):
    """One missing item shifts every later balance to the wrong address."""
    with pytest.raises(EndpointMisbehavedError):
        pair_answers(json.dumps(answers).encode(), TWO, [7, 8])


@pytest.mark.parametrize(
    "answer", [_ok(8), _ok("7"), _ok(None), [_ok(7)], {"id": 7, "result": 1}, [], None, "0x1"]
)
def test_a_single_answer_must_bear_its_own_id(answer):
    """An answer to another question is not an answer."""
    with pytest.raises(EndpointMisbehavedError):
        pair_answers(json.dumps(answer).encode(), TWO[:1], [7])


@pytest.mark.parametrize("calls", [TWO[:1], TWO])
def test_an_error_without_an_id_asks_for_a_smaller_request(calls):
    """Anvil says so of a body above 2 MiB; read as a failure, a large page could not be made."""
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}'

    with pytest.raises(RequestTooLargeError):
        pair_answers(body, calls, [7, 8][: len(calls)])


def test_geth_s_refusal_of_a_large_batch_asks_for_a_smaller_one():
    """Geth answers a batch above its limit with one item that bears the first id."""
    body = b'[{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"batch too large"}}]'

    with pytest.raises(RequestTooLargeError):
        pair_answers(body, TWO, [7, 8])


def test_half_an_answer_is_a_broken_connection_and_not_nonsense():
    """A broken connection is worth another try; a misbehaving endpoint is not."""
    with pytest.raises(EndpointUnreachableError):
        pair_answers(json.dumps(_ok(7)).encode()[:20], TWO[:1], [7])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "result", "error", "code", "message", "data", "x"]),
            inner | st.sampled_from(["2.0", 7, 8, -32005, 3]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_body_whatever_escapes_the_tree_of_errors(body):
    """An exception of another kind would end the analyst's page in a traceback."""
    for calls in (TWO[:1], TWO):
        try:
            answers = pair_answers(body, calls, [7, 8][: len(calls)])
        except ToolkitError:
            continue
        assert len(answers) == len(calls)


@pytest.mark.parametrize("body", [b"[" * 100_000, b"NaN", b'{"id":7,"result":Infinity}', b"\xff"])
def test_hostile_json_is_a_misbehaving_endpoint(body):
    """A nested body must not exhaust the stack, and NaN is not JSON."""
    with pytest.raises(ReadError):
        pair_answers(body, TWO[:1], [7])


def test_a_batch_is_an_array_and_a_single_call_is_not():
    """Some endpoints take no batches; one call must not look like one."""
    one, two = (json.loads(encode_request(calls, range(len(calls)))) for calls in (TWO[:1], TWO))

    assert isinstance(one, dict)
    assert [item["id"] for item in two] == [0, 1]


def test_the_errors_recorded_from_geth_are_known(shared_data: Path):
    """The recorded texts are what a real client says today."""
    seen = 0
    for file in sorted((shared_data / "execution-apis" / "tests").glob("*/*.io")):
        for line in file.read_text().splitlines():
            answer = json.loads(line[3:]) if line.startswith("<< ") else {}
            if "error" in answer:
                seen += 1
                meaning = classify_rpc_error(file.parent.name, answer["error"])
                if file.parent.name == "eth_call":
                    assert isinstance(meaning, CallRevertedError)
                    assert meaning.data == bytes.fromhex(answer["error"]["data"][2:])
                assert answer["error"]["message"] not in str(meaning)
    assert seen >= 8
