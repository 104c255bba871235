"""Endpoints from the environment and toolkit.toml, and what is said where they are wrong."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from toolkit.config import add_endpoint, data_folder, load_settings
from toolkit.errors import (
    InvalidArgumentError,
    ToolkitError,
    UnknownChainError,
    UnreadableFileError,
)

KEY = "k3y-that-nobody-may-see"
URL = f"https://user:{KEY}@node.example/v3/{KEY}"


@pytest.fixture
def load(tmp_path):
    """Load settings with nothing of this machine in them."""

    def run(toml: str | None = None, **environ: str):
        if toml is not None:
            (tmp_path / "toolkit.toml").write_text(toml, encoding="utf-8")
        return load_settings(environ, tmp_path, settings_folder=tmp_path / "own")

    return run


def test_seven_chains_at_once_keep_their_endpoints_apart(load):
    """A read on a chain that was not named would be a number from nowhere."""
    chains = (1, 10, 56, 100, 137, 8453, 42161)
    settings = load(**{f"TOOLKIT_RPC_{chain}": f"https://node{chain}.example" for chain in chains})

    assert settings.chain_ids() == chains
    for chain in chains:
        (endpoint,) = settings.endpoints_of(chain)
        assert endpoint.url.get_secret_value() == f"https://node{chain}.example"
    with pytest.raises(UnknownChainError):
        settings.endpoints_of(5)


def test_several_urls_of_one_chain_are_named_by_their_order(load):
    """Evidence names the endpoint; the name must stay the same from run to run."""
    settings = load(TOOLKIT_RPC_1="https://a.example, https://b.example,https://c.example")

    assert [endpoint.id for endpoint in settings.endpoints_of(1)] == ["primary", "second", "third"]
    assert settings.endpoint(1, "second").url.get_secret_value() == "https://b.example"
    with pytest.raises(InvalidArgumentError, match="primary, second, third"):
        settings.endpoint(1, "fourth")


def test_file_and_environment_are_read_together_and_the_environment_comes_first(load):
    """A variable set for one run must win over yesterday's file."""
    settings = load(
        '[[endpoint]]\nid = "primary"\nchain_id = 1\nurl = "https://file.example"\n'
        '[[endpoint]]\nid = "archive"\nchain_id = 1\nurl_env = "MY_NODE"\nmax_batch = 50\n'
        "timeout_seconds = 5\nrequests_per_second = 10\nquorum = true\n",
        TOOLKIT_RPC_1="https://environment.example",
        MY_NODE=URL,
        TOOLKIT_STORE="/somewhere/store",
    )

    primary, archive = settings.endpoints_of(1)
    assert primary.url.get_secret_value() == "https://environment.example"
    assert (archive.id, archive.max_batch, archive.timeout_seconds) == ("archive", 50, 5)
    assert archive.url.get_secret_value() == URL
    assert settings.store_folder == Path("/somewhere/store")


def test_a_secret_is_in_no_form_of_the_settings(load):
    """Settings end up in logs, notebooks and bug reports."""
    settings = load(f'[[endpoint]]\nid = "a"\nchain_id = 1\nurl = "{URL}"', TOOLKIT_RPC_10=URL)

    told = repr(settings) + str(settings)
    told += "".join(endpoint.model_dump_json() for endpoint in settings.endpoints)
    assert KEY not in told
    assert "node.example" not in told


def test_an_unknown_chain_is_told_with_the_variable_to_set(load):
    """The first thing a newcomer meets must say what to type."""
    with pytest.raises(UnknownChainError) as caught:
        load(TOOLKIT_RPC_1=URL).endpoints_of(8453)

    assert "TOOLKIT_RPC_8453" in str(caught.value)
    assert "node.example" not in str(caught.value)


def test_an_unset_url_variable_hurts_only_its_own_chain(load):
    """The demo must open though one of seven keys is missing."""
    settings = load('[[endpoint]]\nid = "a"\nchain_id = 1\nurl_env = "MY_NODE"')

    with pytest.raises(UnknownChainError, match="MY_NODE"):
        settings.endpoints_of(1)


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ('[[endpoint]]\nid = "a\nchain_id = 1\n', "line 2"),
        ("a = 1\na = 2\n", "line 2"),
        ("[[endpoint]", "is not TOML"),
        ("wrong = 1", "wrong"),
        ("endpoint = 1", "endpoint"),
        ("endpoint = [1]", "endpoint 1"),
        ("store = 1", "store"),
        (f'[[endpoint]]\nid = "a"\nchain_id = 1\nurll = "{URL}"', "endpoint 1, urll"),
        (f'[[endpoint]]\nid = "a"\nchain_id = "x"\nurl = "{URL}"', "endpoint 1, chain_id"),
        (f'[[endpoint]]\nid = "a"\nchain_id = 0\nurl = "{URL}"', "endpoint 1, chain_id"),
        (f'[[endpoint]]\nid = "{URL}"\nchain_id = 1\nurl = "{URL}"', "endpoint 1, id"),
        (f'[[endpoint]]\nid = "a"\nchain_id = 1\nurl = "ws{KEY}"', "endpoint 1, url"),
        (f'[[endpoint]]\nid = "a"\nchain_id = 1\nurl = ["{URL}"]', "endpoint 1, url"),
        (f'[[endpoint]]\nid = "a"\nchain_id = 1\nurl_env = "{URL}"', "endpoint 1, url_env"),
        ('[[endpoint]]\nid = "a"\nchain_id = 1', "needs url or url_env"),
        (2 * f'[[endpoint]]\nid = "a"\nchain_id = 1\nurl = "{URL}"\n', "endpoint 2, id"),
        (f'[[endpoint]]\nid = "a"\nchain_id = 1\nurl = "{URL}"\nmax_batch = 0', "max_batch"),
    ],
)
def test_a_wrong_file_is_told_by_file_and_place_without_its_secrets(load, tmp_path, toml, named):
    """Somebody must be able to mend the line without reading a traceback, or leaking the key."""
    with pytest.raises(ToolkitError) as caught:
        load(toml)

    told = str(caught.value)
    assert str(tmp_path / "toolkit.toml") in told
    assert named in told
    assert KEY not in told
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("variable", "value"),
    [("TOOLKIT_RPC_mainnet", URL), ("TOOLKIT_RPC_0", URL), ("TOOLKIT_RPC_", URL),
     ("TOOLKIT_RPC_1", f"ws://{KEY}"), ("TOOLKIT_RPC_1", f"{URL},,{URL}"), ("TOOLKIT_RPC_1", KEY)],
)  # fmt: skip
def test_a_wrong_variable_is_told_by_its_name_alone(load, variable, value):
    """The value is a secret even where it is wrong."""
    with pytest.raises(InvalidArgumentError) as caught:
        load(**{variable: value})

    assert variable in str(caught.value)
    assert KEY not in str(caught.value)


def test_the_demo_s_chain_id_is_refused_where_it_would_be_passed_by(load):
    """An endpoint that is silently never asked looks as if it had answered."""
    with pytest.raises(InvalidArgumentError, match=r"TOOLKIT_RPC_31337000 names .* demo"):
        load(TOOLKIT_RPC_31337000=URL)
    with pytest.raises(InvalidArgumentError, match="shipped demo"):
        load(f'[[endpoint]]\nid = "a"\nchain_id = 31337000\nurl = "{URL}"')


def test_a_file_that_was_named_must_be_there(tmp_path):
    """Falling back in silence would read another chain's endpoint than the one meant."""
    with pytest.raises(UnreadableFileError, match="cannot be opened"):
        load_settings({"TOOLKIT_CONFIG": str(tmp_path / "absent.toml")}, tmp_path)


def test_an_added_endpoint_is_found_and_what_stood_there_stays(tmp_path):
    """The page's form must not eat the comments of a hand-written file."""
    own = tmp_path / "own"
    own.mkdir()
    file = own / "endpoints.toml"
    file.write_text(f'# my nodes\n[[endpoint]]\nid = "a" # old\nchain_id = 1\nurl = "{URL}"')

    assert add_endpoint(own, endpoint_id="b", chain_id=1, url=SecretStr(URL), max_batch=7) == file

    settings = load_settings({}, tmp_path, settings_folder=own)
    assert [endpoint.id for endpoint in settings.endpoints_of(1)] == ["a", "b"]
    assert settings.endpoint(1, "b").max_batch == 7
    assert file.read_text().startswith('# my nodes\n[[endpoint]]\nid = "a" # old\n')
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in own.iterdir()] == ["endpoints.toml"]


@pytest.mark.parametrize(
    ("endpoint_id", "url"),
    [("a", URL), ("b", f"ws://{KEY}"), ("b", f'https://x"\n[[endpoint]]\n{KEY}'), ("B b", URL)],
)
def test_a_refused_endpoint_leaves_the_file_as_it_was(tmp_path, endpoint_id, url):
    """Half an entry would lock the analyst out of every endpoint."""
    add_endpoint(tmp_path, endpoint_id="a", chain_id=1, url=SecretStr(URL))
    before = (tmp_path / "endpoints.toml").read_bytes()

    with pytest.raises(InvalidArgumentError) as caught:
        add_endpoint(tmp_path, endpoint_id=endpoint_id, chain_id=1, url=SecretStr(url))

    assert KEY not in str(caught.value)
    assert "endpoints.toml" not in str(caught.value)
    assert (tmp_path / "endpoints.toml").read_bytes() == before


def test_an_added_endpoint_counts_beside_the_working_folders_file(tmp_path):
    """An endpoint added on the page and ignored because another file exists looks broken."""
    (tmp_path / "toolkit.toml").write_text(f'[[endpoint]]\nid = "a"\nchain_id = 1\nurl = "{URL}"')
    own = tmp_path / "own"
    add_endpoint(own, endpoint_id="b", chain_id=10, url=SecretStr(URL))

    settings = load_settings({}, tmp_path, settings_folder=own)

    assert settings.chain_ids() == (1, 10)


def test_the_shipped_data_is_found():
    """Without it neither the demo nor a single chain's name is there."""
    assert (data_folder() / "chains.toml").is_file()
