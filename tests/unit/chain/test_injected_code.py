"""The injected code: what its source says, and the same on a second EVM."""

from __future__ import annotations

import pytest
from eth.chains.base import MiningChain
from eth.constants import GENESIS_BLOCK_NUMBER
from eth.db.atomic import AtomicDB
from eth.vm import forks
from eth.vm.message import Message

from tests.chain.anvil import node_modules
from toolkit.chain.injected import AGGREGATOR_CODE, build
from toolkit.chain.packed import PACKED
from toolkit.chain.reads import READER_CALLER, BalanceRead, CallRead
from toolkit.models import checksummed

TARGET, SILENT, HOG, EMPTY = (checksummed("0x" + pair * 20) for pair in ("7a", "51", "b0", "00"))
MACHINES = {
    "byzantium": forks.ByzantiumVM,
    "shanghai": forks.ShanghaiVM,
    "cancun": forks.CancunVM,
}
# Returns its first argument word; returns nothing; loops until its gas ends.
CODES = {TARGET: "60043560005260206000f3", SILENT: "00", HOG: "5b600056"}


def test_the_code_is_what_the_source_compiles_to():
    """A reviewer reads the source; the bytes that run must be that and nothing else."""
    if not (node_modules() / "solc").is_dir():
        pytest.skip("solc is missing: `npm install solc@0.8.37`, TOOLKIT_NODE_MODULES.")

    code, version = build.compiled(node_modules().resolve())

    assert "0x" + code == AGGREGATOR_CODE
    assert version == "0.8.37"


@pytest.mark.parametrize("fork", MACHINES)
def test_a_second_evm_answers_the_same(fork):
    """One EVM's reading of our code could be one EVM's mistake."""
    holders = [checksummed(f"0x{n:040x}") for n in range(1, 9)]
    reads = [BalanceRead(TARGET), BalanceRead(HOG)]
    reads += [CallRead(TARGET, b"\1\2\3\4" + bytes(12) + bytes.fromhex(h[2:])) for h in holders]
    reads += [CallRead(SILENT, b"\1\2\3\4"), CallRead(HOG, b"\1\2\3\4"), CallRead(EMPTY, b"\1")]
    (aggregate,) = PACKED.aggregates(reads, room=10**6, gas=50_000_000)
    call = PACKED.call(aggregate, "0x0", gas=50_000_000).params[0]

    answer, block = _run(fork, bytes.fromhex(call["data"][2:]))
    brought = PACKED.understand(answer, aggregate)

    values = dict(brought.values)
    assert [values[read] for read in reads[:2]] == [(5).to_bytes(32, "big"), bytes(32)]
    assert [values[read] for read in reads[2:10]] == [
        bytes(12) + bytes.fromhex(holder[2:]) for holder in holders
    ]
    assert [values[reads[10]], values[reads[12]]] == [b"", b""]
    assert brought.failed == [reads[11]]
    assert (brought.timestamp, brought.number) == block


def _run(fork: str, data: bytes) -> tuple[bytes, tuple[int, int]]:
    """Run the code in py-evm at Multicall3's address, and return its answer and its block."""
    chain_class = MiningChain.configure(
        __name__="Trial", vm_configuration=((GENESIS_BLOCK_NUMBER, MACHINES[fork]),), chain_id=1
    )
    accounts = {**CODES, READER_CALLER: AGGREGATOR_CODE[2:]}
    state = {
        bytes.fromhex(address[2:]): {
            "balance": 5 if address == TARGET else 0,
            "nonce": 0,
            "code": bytes.fromhex(code),
            "storage": {},
        }
        for address, code in accounts.items()
    }
    chain = chain_class.from_genesis(
        AtomicDB(), {"difficulty": 0, "gas_limit": 10**8, "timestamp": 1_767_571_200}, state
    )
    header = chain.get_canonical_block_header_by_number(0)
    machine = chain.get_vm(header)
    here = bytes.fromhex(READER_CALLER[2:])
    message = Message(
        gas=50_000_000,
        to=here,
        sender=here,
        value=0,
        data=data,
        code=bytes.fromhex(AGGREGATOR_CODE[2:]),
    )
    context = machine.state.get_transaction_context(_Anyone())
    computation = machine.state.computation_class.apply_message(machine.state, message, context)
    computation.raise_if_error()
    return computation.output, (header.timestamp, header.block_number)


class _Anyone:
    """What py-evm wants to know of a transaction."""

    gas_price = max_fee_per_gas = max_priority_fee_per_gas = max_fee_per_blob_gas = 0
    blob_versioned_hashes = ()
    sender = bytes(20)
