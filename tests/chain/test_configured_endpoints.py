"""Endpoints as they are configured: several of a chain, a quorum, and what is remembered."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

import toolkit as tk
from tests.chain import faults
from tests.chain.endpoints import Clock, Endpoints, endpoints_of
from tests.command_line import CommandLine
from toolkit.analysis import pin_json
from toolkit.chain.transport import RpcCall
from toolkit.errors import (
    EndpointsDisagreeError,
    InvalidArgumentError,
    StateUnavailableError,
    UnknownChainError,
)
from toolkit.workspace import Workspace, open_workspace
from toolkit.workspace.tables import pin_line

KEY = "/v3/0123456789abcdef"


@pytest.fixture
def two(anvil) -> Iterator[Endpoints]:
    """Two endpoints of one chain."""
    anvil.mine(40)
    with endpoints_of(anvil, 2) as endpoints:
        yield endpoints


@pytest.fixture
def opened(two, tmp_path) -> Iterator[Callable[..., Workspace]]:
    """A workspace over both endpoints, as a new process would open it on one store."""
    spaces = []
    clock = Clock()

    def open_it(*lines: str, later: float = 0.0, **environ: str) -> Workspace:
        (tmp_path / "toolkit.toml").write_text(_settings(two, *lines), "utf-8")
        workspace = open_workspace(environ, tmp_path, store=tmp_path / "store")
        clock.seconds += later
        workspace._endpoints.clock = clock
        spaces.append(workspace)
        return workspace

    yield open_it
    for workspace in spaces:
        workspace.close()


def _settings(endpoints: Endpoints, *lines: str) -> str:
    tables = [
        f'[[endpoint]]\nid = "{name}"\nchain_id = {endpoints.node.chain_id}\n'
        f'url = "{proxy.url(KEY)}"\ntimeout_seconds = 5.0\n'
        for name, proxy in zip(("first", "second"), endpoints.proxies, strict=True)
    ]
    more = [*lines, "", ""][:2]
    return "\n".join(f"{table}{line}\n" for table, line in zip(tables, more, strict=True))


def _balance(workspace: Workspace, node, block: str = "latest"):
    call = {"chain_id": node.chain_id, "address": node.accounts[0], "block": block}
    return workspace.tools.call("get_native_balance", call).envelope()


def test_an_answer_comes_from_the_second_endpoint_where_the_first_is_down(two, opened):
    """One provider's outage must not be the analyst's."""
    two.proxies[0].always = faults.answer_html(502)
    answer = _balance(opened(), two.node)

    assert answer.error is None
    assert answer.provenance.endpoint_id == "second"
    assert answer.provenance.assurance == "single"


def test_an_endpoint_that_is_not_needed_is_not_even_probed(two, opened):
    """A second provider need not learn what is asked of the first one."""
    assert _balance(opened(), two.node).error is None

    assert two.asked[1] == 0


def test_one_answer_from_the_store_needs_no_endpoint(two, opened):
    """What was read once must be there on the train, too."""
    finalized = opened().pin(chain_id=two.node.chain_id, block="1").pin
    _balance(opened(), two.node, finalized.hash)
    for proxy in two.proxies:
        proxy.always = faults.answer_html(502)

    answer = _balance(opened(), two.node, finalized.hash)

    assert answer.error is None
    assert answer.provenance.from_cache is True


def test_a_quorum_in_the_settings_is_asked_together_and_said(two, opened):
    """Whoever asks for two opinions must be told that there were two."""
    workspace = opened("quorum = true", "quorum = true")
    answer = _balance(workspace, two.node)

    assert answer.provenance.assurance == "quorum"
    assert min(two.asked) > 0

    two.glasses[1].changes["eth_getBalance"] = lambda _params, _result: "0x7"
    other = workspace.tools.call(
        "get_native_balance",
        {"chain_id": two.node.chain_id, "address": two.node.accounts[1], "block": "latest"},
    ).envelope()
    assert other.error.code == EndpointsDisagreeError.code
    assert "'second' says 0x" in other.error.message


@pytest.mark.parametrize("lines", [("quorum = true",), ("", "quorum = true")], ids=str)
def test_a_quorum_of_one_is_refused_with_the_way_out(two, opened, lines):
    """A quorum that silently is none is worse than none."""
    answer = _balance(opened(*lines), two.node)

    assert answer.error.code == InvalidArgumentError.code
    assert "quorum of one" in answer.error.message
    assert "second endpoint" in answer.error.remedy
    assert two.asked == [0, 0]


def test_one_endpoint_can_be_named_and_is_then_the_only_one(two, opened, tmp_path, monkeypatch):
    """Who compares two providers must know which of them spoke."""
    opened("quorum = true", "quorum = true")
    monkeypatch.setenv("TOOLKIT_CONFIG", str(tmp_path / "toolkit.toml"))
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "other"))
    node = tk.connect(chain_id=two.node.chain_id, endpoint="second")
    pinned = node.at(block=3)
    reading = pinned.native_balances([two.node.accounts[0]])
    node.close()

    assert "second" in repr(pinned)
    assert reading.frame.height == 1
    assert two.asked[0] == 0
    with pytest.raises(UnknownChainError):
        tk.connect(chain_id=10)


def test_where_nothing_says_what_is_final_the_blocks_above_are_counted(two, opened, capsys):
    """ "Not final" for ever helps nobody to decide when a number is old enough."""
    two.glasses[0].without_tags = True
    workspace = opened()
    block = two.node.height - 7
    envelope = _balance(workspace, two.node, str(block))
    pinned = workspace.pin(chain_id=two.node.chain_id, block=block)

    assert (envelope.provenance.finality, envelope.provenance.blocks_above) == ("unknown", 7)
    assert "unknown; 7 blocks stood above it" in pin_line(pinned, "en")
    assert pin_json(pinned)["blocks_above"] == 7


# What is remembered.


def test_what_the_probe_found_is_remembered_for_a_day(two, opened):
    """Each start that probes anew costs three requests before the first number."""
    _balance(opened(), two.node)
    two.forget()
    _balance(opened(later=3_600.0), two.node)
    again = two.asked[0]
    two.forget()
    _balance(opened(later=24 * 3_600.0), two.node)

    assert again == 1
    assert two.asked[0] > 2


def test_limits_that_were_learned_outlive_the_process_but_not_the_day(two, opened):
    """A limit that is met anew each morning costs the same refused requests each morning."""
    settings = opened().settings.endpoints[0]
    learned = opened()._endpoints.limits(settings)
    learned.narrow(batch=7, body_bytes=40_000, gas=1_000_000, overrides=False)

    kept = opened()._endpoints.limits(settings).now
    assert (kept.batch, kept.body_bytes, kept.gas, kept.overrides) == (7, 40_000, 1_000_000, False)
    assert opened(later=25 * 3_600.0)._endpoints.limits(settings).now.batch > 7


def test_overrides_are_used_where_the_probe_saw_them_run(two, opened):
    """An aggregate by override on a node that ignores it answers for an empty account."""
    settings = opened().settings.endpoints
    two.glasses[1].refuses = {"code": -32602, "message": "too many arguments, want at most 2"}
    two.glasses[1].methods = ("eth_call",)
    endpoints = opened()._endpoints

    assert endpoints.limits(settings[0]).now.overrides is True
    assert endpoints.limits(settings[1]).now.overrides is False


def test_a_learned_rate_outlives_the_process(two, opened):
    """The first request of each run must not be the one that gets the key blocked."""
    workspace = opened()
    settings = workspace.settings.endpoints[0]
    workspace._endpoints.limits(settings)
    two.proxies[0].faults.append(faults.too_many_requests("0"))
    workspace._endpoints.transport(settings).send([RpcCall("eth_chainId")])
    rate = workspace._endpoints.transport(settings).pace.rate
    workspace.close()

    later = opened()
    later._endpoints.limits(settings)
    assert rate is not None
    assert later._endpoints.transport(settings).pace.rate == pytest.approx(rate)


# The doctor.


def test_the_doctor_says_how_each_endpoint_stands(two, opened):
    """A list of names tells nobody which of them to trust."""
    head = two.node.height
    two.glasses[1].head = head - 9
    first, second = (one.health for one in opened().doctor())

    assert (first.standing, second.standing) == ("in_use", "standing_by")
    assert (first.tip, first.lag, second.tip, second.lag) == (head, 0, head - 9, 9)
    assert first.batch_limit
    assert first.hash_pins
    assert first.serves_chain


def test_the_doctor_names_the_endpoint_of_another_chain(two, opened):
    """It is excluded by every read; somebody has to say so."""
    two.glasses[0].chain_id = 10
    first, second = (one.health for one in opened().doctor())

    assert (first.standing, second.standing) == ("excluded", "in_use")
    assert "serves chain 10" in first.why
    assert first.serves_chain is False


def test_the_doctor_finds_how_far_back_a_pruned_endpoint_reaches(two, opened):
    """ "Archive needed" is half an answer; the other half is from which block on."""
    two.node.mine(160)
    two.glasses[0].keeps_from = two.node.height - 70
    workspace = opened()
    two.forget()
    found = workspace.doctor()[0].health
    spent = two.asked[0]
    two.proxies[1].always = faults.answer_html(502)
    answer = _balance(workspace, two.node, "5")

    assert two.glasses[0].keeps_from <= found.history_from <= two.node.height - 64
    assert spent <= 3 + 1 + 14
    assert answer.error.code == StateUnavailableError.code
    assert f"keeps state from about block {found.history_from} on" in answer.error.message


def test_the_doctor_s_json_holds_the_health_and_no_url(two, opened, tmp_path, monkeypatch, capsys):
    """What goes into a ticket must help, and must not give the key away."""
    opened()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLKIT_STORE", str(tmp_path / "other"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    two.proxies[1].always = faults.answer_html(502)
    command_line = CommandLine(capsys)
    told = command_line("doctor", "--json")
    shown = command_line("doctor")

    assert [one["health"]["standing"] for one in told.document["endpoints"]] == [
        "in_use",
        "resting",
    ]
    assert "HTTP 502" in told.document["endpoints"][1]["health"]["why"]
    for words in ("standing: in use", "standing: left alone", "newest block seen: ", "pace: "):
        assert words in shown.out
    for secret in ("0123456789abcdef", str(two.proxies[0].port)):
        assert secret not in json.dumps(told.document) + shown.out + shown.err
