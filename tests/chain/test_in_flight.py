"""Two threads that ask the same at the same time cost one request, and neither hangs."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.chain.endpoints import endpoints_of
from tests.chain.faults import Exchange
from toolkit.chain.facts import Failure
from toolkit.chain.in_flight import InFlight
from toolkit.chain.pool import Pool
from toolkit.chain.reads import BalanceRead, CodeRead
from toolkit.errors import EndpointTimeoutError
from toolkit.models import BlockTag, Pin, checksummed

WHO = [checksummed(f"0x{number:040x}") for number in range(70_000, 70_010)]
READS = [BalanceRead(address) for address in WHO]
PIN = Pin(1, 5, "0x" + "ab" * 32, "0x" + "cd" * 32, 1_767_571_200, "0x" + "ef" * 32)
PATIENCE = 20.0


class Gate:
    """An asker that waits until it is let through, and then does what it was told."""

    def __init__(self, outcome=None):
        self.asked = []
        self.entered, self.open = threading.Event(), threading.Event()
        self._outcome = outcome

    def __call__(self, reads):
        self.asked.append(list(reads))
        self.entered.set()
        assert self.open.wait(PATIENCE)
        if self._outcome is not None:
            raise self._outcome
        return [Failure(read, EndpointTimeoutError("It did not answer.")) for read in reads]


def _at_once(reads):
    return [Failure(read, EndpointTimeoutError("Asked by the second one.")) for read in reads]


def test_two_threads_that_ask_the_same_cost_one_request(anvil):
    """Two pages opened at once must not ask for everything twice."""
    anvil.mine(3)
    with endpoints_of(anvil, 1) as one, ThreadPoolExecutor(2) as threads:
        pool = one.reader(Pool)
        pin = pool.pin(BlockTag(tag="latest")).pin
        held, let_go = threading.Event(), threading.Event()

        def hold(_exchange: Exchange) -> None:
            held.set()
            assert let_go.wait(PATIENCE)

        one.proxies[0].faults.append(hold)
        one.forget()
        first = threads.submit(pool.read, pin, READS)
        assert held.wait(PATIENCE)
        second = threads.submit(pool.read, pin, [*READS[3:], CodeRead(WHO[0])])
        while one.asked[0] < 2:  # The second one asks for what nobody is asking: the code.
            assert not second.done()
        let_go.set()
        answers = [first.result(PATIENCE), second.result(PATIENCE)]

        asked = [body for body in one.proxies[0].bodies if "eth_getBalance" in str(body)]

    assert answers[0][3:] == answers[1][:-1]
    assert answers[1][-1].read == CodeRead(WHO[0])
    assert len(asked) <= 1


def test_a_shared_failure_is_told_to_both_and_remembered_for_nobody():
    """A failure that is kept would outlive the second in which it was true."""
    flight, gate = InFlight(), Gate()
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(flight.share, PIN, READS, gate)
        assert gate.entered.wait(PATIENCE)
        second = threads.submit(flight.share, PIN, READS, gate)
        gate.open.set()
        assert first.result(PATIENCE) == second.result(PATIENCE)

    gate.asked.clear()
    flight.share(PIN, READS, gate)
    assert gate.asked == [READS]


@pytest.mark.parametrize("end", [KeyboardInterrupt(), ValueError("broken")], ids=repr)
def test_a_first_that_was_cancelled_does_not_hang_the_second(end):
    """A page that was closed must not leave another one waiting for ever."""
    flight, gate = InFlight(), Gate(end)
    ended = []

    def first() -> None:
        try:
            flight.share(PIN, READS, gate)
        except (KeyboardInterrupt, ValueError) as error:
            ended.append(error)

    thread = threading.Thread(target=first)
    thread.start()
    assert gate.entered.wait(PATIENCE)
    with ThreadPoolExecutor(1) as threads:
        second = threads.submit(flight.share, PIN, READS, _at_once)
        gate.open.set()
        answers = second.result(PATIENCE)
    thread.join(PATIENCE)

    assert ended == [end]
    assert [answer.read for answer in answers] == READS


def test_the_same_read_at_two_blocks_is_two_reads():
    """Yesterday's balance given for today's is the very mistake that pins prevent."""
    flight, gate = InFlight(), Gate()
    other = Pin(1, 6, "0x" + "cc" * 32, PIN.hash, 1_767_571_212, PIN.state_root)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(flight.share, PIN, READS, gate)
        assert gate.entered.wait(PATIENCE)
        answers = flight.share(other, READS, _at_once)
        gate.open.set()
        first.result(PATIENCE)

    assert "second" in answers[0].error.message


def test_a_read_that_is_asked_twice_in_one_batch_has_two_places():
    """A list with the same address twice must come back as long as it went."""
    flight = InFlight()
    first = flight.share(PIN, [READS[0], READS[0]], _at_once)

    assert len(first) == 2
