"""What this machine is set up to use: endpoints, the store's folder, the shipped data.

Settings come from the environment and one `toolkit.toml`. A URL is a secret: it is held as a
SecretStr and occurs in no message.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import platformdirs
from pydantic import ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from toolkit.errors import InvalidArgumentError, UnknownChainError, UnreadableFileError
from toolkit.models import ChainId, Frozen

DEMO_CHAIN_ID: Final = 31_337_000
"""The chain id of the shipped demo, which is a recording and is asked through no endpoint."""

CONFIG_NAME: Final = "toolkit.toml"
ADDED_NAME: Final = "endpoints.toml"
"""Endpoints that were added by a command or a page: a private file, read beside toolkit.toml."""

_APP: Final = "blockpin"
_RPC_VARIABLE: Final = "TOOLKIT_RPC_"
_ORDINALS: Final = (
    "primary", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
)  # fmt: skip
_URL: Final = re.compile(r"https?://[!-~]+", re.IGNORECASE)
_AT: Final = re.compile(r"line (\d+)")
_ENDPOINT_ID: Final = r"^[a-z][a-z0-9_-]{0,31}$"

EndpointId = Annotated[str, Field(pattern=_ENDPOINT_ID)]


class EndpointSettings(Frozen):
    """One way to one chain. `url` is None where the variable `url_env` is not set.

    Unit: `timeout_seconds` for a whole request, `max_batch` in calls per JSON-RPC batch.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: EndpointId
    chain_id: ChainId
    url: SecretStr | None = None
    url_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    quorum: bool = False
    max_batch: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    requests_per_second: Annotated[float, Field(gt=0, le=10_000)] | None = None
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 30.0

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not is_http_url(url.get_secret_value()):
            raise ValueError("it must be an http or https URL")
        return url

    @model_validator(mode="after")
    def _one_source(self) -> EndpointSettings:
        if self.url is None and self.url_env is None:
            raise ValueError("it needs url or url_env")
        return self


@dataclass(frozen=True, slots=True)
class Settings:
    """What is configured. `config_file` is the file that was read, None where there is none."""

    endpoints: tuple[EndpointSettings, ...]
    store_folder: Path
    settings_folder: Path
    config_file: Path | None = None

    def chain_ids(self) -> tuple[int, ...]:
        """The chains that have an endpoint, in ascending order."""
        return tuple(sorted({endpoint.chain_id for endpoint in self.endpoints}))

    def endpoints_of(self, chain_id: int) -> tuple[EndpointSettings, ...]:
        """The usable endpoints of a chain, in the order of preference.

        Errors: UnknownChainError that says what to set.
        """
        of_chain = [endpoint for endpoint in self.endpoints if endpoint.chain_id == chain_id]
        usable = tuple(endpoint for endpoint in of_chain if endpoint.url is not None)
        if usable:
            return usable
        if of_chain:
            raise UnknownChainError(
                f"Endpoint {of_chain[0].id!r} of chain {chain_id} has no URL: the variable "
                f"{of_chain[0].url_env} is not set.",
                remedy=f"Set {of_chain[0].url_env} to the endpoint's URL.",
            )
        raise UnknownChainError(
            f"No endpoint is configured for chain {chain_id}.",
            remedy=f"Set {_RPC_VARIABLE}{chain_id} to the URL of one, or run "
            f"`toolkit endpoint add`.",
        )

    def endpoint(self, chain_id: int, endpoint_id: str | None = None) -> EndpointSettings:
        """One endpoint of a chain: the named one, else the first.

        Errors: UnknownChainError; InvalidArgumentError that lists the names there are.
        """
        usable = self.endpoints_of(chain_id)
        if endpoint_id is None:
            return usable[0]
        for endpoint in usable:
            if endpoint.id == endpoint_id:
                return endpoint
        raise InvalidArgumentError(
            f"Chain {chain_id} has no endpoint of that name.",
            remedy=f"It has: {', '.join(endpoint.id for endpoint in usable)}.",
        )


def load_settings(
    environ: Mapping[str, str],
    working_folder: Path,
    config_file: Path | None = None,
    *,
    settings_folder: Path | None = None,
) -> Settings:
    """Read the environment, one toolkit.toml, and the endpoints that were added.

    An endpoint of the environment comes first, an added one last; the first of a name counts.
    Added endpoints stand beside a configuration that was named, else in the user's own folder.
    Errors: InvalidArgumentError, UnreadableFileError, each naming variable, or file and key.
    """
    named = config_file or _named_file(environ)
    own_folder = settings_folder or (named.parent if named else platformdirs.user_config_path(_APP))
    file = named or _found_file(working_folder, own_folder)
    document = read_toml(file) if file else {}
    endpoints = _endpoints_of_environment(environ)
    endpoints += _endpoints_of_file(document, file, environ) if file else []
    added = own_folder / ADDED_NAME
    endpoints += _endpoints_of_file(read_toml(added), added, environ) if added.is_file() else []
    store = environ.get("TOOLKIT_STORE") or document.get("store")
    return Settings(
        endpoints=_first_of_each_name(endpoints),
        store_folder=Path(store).expanduser() if store else platformdirs.user_data_path(_APP),
        settings_folder=own_folder,
        config_file=file,
    )


def _first_of_each_name(endpoints: list[EndpointSettings]) -> tuple[EndpointSettings, ...]:
    """Keep the order, and of two endpoints of one name the one that comes first."""
    kept: dict[tuple[int, str], EndpointSettings] = {}
    for endpoint in endpoints:
        kept.setdefault((endpoint.chain_id, endpoint.id), endpoint)
    return tuple(kept.values())


def is_http_url(text: str) -> bool:
    """Whether this can be an endpoint's URL: http or https, printable ASCII, no space."""
    return bool(_URL.fullmatch(text))


def data_folder() -> Path:
    """Find the data that ships with the toolkit: beside the checkout's package, or in the wheel.

    Errors: UnreadableFileError where the installation is broken.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "_shipped" / "data", package.parent / "data"):
        if (folder / "chains.toml").is_file():
            return folder
    raise UnreadableFileError(
        "The data that ships with the toolkit is missing from this installation.",
        remedy="Install the package again.",
    )


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file. Errors: UnreadableFileError naming the file and the line."""
    line = None
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError:
        problem = "cannot be opened"
    except UnicodeDecodeError:
        problem = "is not UTF-8 text"
    except tomllib.TOMLDecodeError as error:
        line = _AT.search(str(error))
        problem = f"is not TOML: see line {line[1]}" if line else "is not TOML: see its end"
    raise UnreadableFileError(
        f"The file {file} {problem}.", remedy="Mend it, or name another file."
    )


def _named_file(environ: Mapping[str, str]) -> Path | None:
    """The file that TOOLKIT_CONFIG names; it must be there."""
    named = environ.get("TOOLKIT_CONFIG")
    return Path(named).expanduser() if named else None


def _found_file(*folders: Path) -> Path | None:
    """The first toolkit.toml that is there."""
    return next((f for folder in folders if (f := folder / CONFIG_NAME).is_file()), None)


def _endpoints_of_environment(environ: Mapping[str, str]) -> list[EndpointSettings]:
    """Read TOOLKIT_RPC_<chain_id>=URL[,URL...]."""
    endpoints: list[EndpointSettings] = []
    for variable in sorted(environ):
        if not variable.startswith(_RPC_VARIABLE) or not environ[variable].strip():
            continue
        chain = variable.removeprefix(_RPC_VARIABLE)
        if not re.fullmatch(r"[1-9][0-9]{0,18}", chain) or int(chain) >= 2**63:
            raise InvalidArgumentError(
                f"The variable {variable[:80]} does not end in a chain id.",
                remedy=f"Write it as {_RPC_VARIABLE}1 for Ethereum.",
            )
        if int(chain) == DEMO_CHAIN_ID:
            raise _demo_needs_none(f"The variable {variable}", "Unset it, or correct its number.")
        for index, url in enumerate(environ[variable].split(",")):
            if not is_http_url(url.strip()):
                raise InvalidArgumentError(
                    f"Entry {index + 1} of the variable {variable} is not an http or https URL.",
                    remedy="Write one URL, or several with commas between.",
                )
            name = _ORDINALS[index] if index < len(_ORDINALS) else f"endpoint{index + 1}"
            endpoints.append(
                EndpointSettings(id=name, chain_id=int(chain), url=SecretStr(url.strip()))
            )
    return endpoints


def _endpoints_of_file(
    document: dict[str, Any], file: Path, environ: Mapping[str, str]
) -> list[EndpointSettings]:
    """Read [[endpoint]] tables strictly."""
    for key in document:
        if key not in {"endpoint", "store"}:
            raise _wrong_key(file, key[:60], "it is not a key that is known here")
    if not isinstance(document.get("store", ""), str):
        raise _wrong_key(file, "store", "it must be text: the folder's path")
    tables = document.get("endpoint", [])
    if not isinstance(tables, list):
        raise _wrong_key(file, "endpoint", "write it as [[endpoint]]")
    endpoints: list[EndpointSettings] = []
    for number, table in enumerate(tables, start=1):
        endpoint = _endpoint_of_table(table, file, number, environ)
        if endpoint.chain_id == DEMO_CHAIN_ID:
            where = f"Endpoint {endpoint.id!r} in the file {file}"
            raise _demo_needs_none(where, "Take it out, or correct its chain_id.")
        if any((endpoint.id, endpoint.chain_id) == (one.id, one.chain_id) for one in endpoints):
            raise _wrong_key(file, f"endpoint {number}, id", "this chain has the same id twice")
        endpoints.append(endpoint)
    return endpoints


def _endpoint_of_table(
    table: Any, file: Path, number: int, environ: Mapping[str, str]
) -> EndpointSettings:
    """Read one table, and fetch its URL from the environment where it says so."""
    problem: tuple[str, str] | None = None
    try:
        endpoint = EndpointSettings.model_validate(table)
        if endpoint.url is None and (url := environ.get(endpoint.url_env or "", "").strip()):
            endpoint = EndpointSettings.model_validate({**table, "url": url})
    except ValidationError as error:
        # Only the place and the rule are kept: pydantic's own error holds the input, a secret.
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:60]
        problem = (f"endpoint {number}" + (f", {where}" if where else ""), first["msg"])
    if problem:
        raise _wrong_key(file, *problem)
    return endpoint


def _demo_needs_none(what: str, remedy: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{what} names chain {DEMO_CHAIN_ID}, which is the shipped demo and has no endpoint.",
        remedy=remedy,
    )


def _wrong_key(file: Path, key: str, why: str) -> InvalidArgumentError:
    why = why.removeprefix("Value error, ")
    return InvalidArgumentError(
        f"The file {file} is wrong at {key}: {why[:1].lower()}{why[1:]}.",
        remedy="An [[endpoint]] has id, chain_id, url or url_env, and may have quorum, max_batch, "
        "requests_per_second and timeout_seconds.",
    )


def add_endpoint(
    settings_folder: Path,
    *,
    endpoint_id: str,
    chain_id: int,
    url: SecretStr,
    max_batch: int | None = None,
) -> Path:
    """Write one more [[endpoint]] into the settings folder's endpoints.toml, and return the file.

    What stands there stays, comments too. The file is replaced whole and is the user's alone
    (mode 0600). Errors: InvalidArgumentError for a bad name, chain id or URL, for the demo's
    chain id, and for a name that is taken.
    """
    _check_added(endpoint_id, chain_id, url.get_secret_value())
    file = settings_folder / ADDED_NAME
    before = file.read_text(encoding="utf-8") if file.is_file() else ""
    known = _endpoints_of_file(read_toml(file), file, {}) if before else []
    if any((endpoint_id, chain_id) == (each.id, each.chain_id) for each in known):
        raise InvalidArgumentError(
            f"Chain {chain_id} already has an endpoint {endpoint_id!r}.",
            remedy="Choose another name, or edit the file.",
        )
    table = {"id": endpoint_id, "chain_id": chain_id, "url": url.get_secret_value()}
    if max_batch is not None:
        table["max_batch"] = max_batch
    _endpoint_of_table(table, file, len(known) + 1, {})
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    after = "\n".join([*([before.rstrip("\n"), ""] if before else []), "[[endpoint]]", *lines, ""])
    _replace_private(file, after)
    return file


def _check_added(endpoint_id: str, chain_id: int, url: str) -> None:
    """Refuse what no endpoint can have, in words for whoever typed it. Errors: as `add_endpoint`.

    The URL is never repeated, nor a name that looks like one.
    """
    if not re.fullmatch(_ENDPOINT_ID, endpoint_id):
        shown = "" if "/" in endpoint_id else f" {endpoint_id[:40]!r}"
        raise InvalidArgumentError(
            f"The name{shown} is not possible.",
            remedy="Use up to 32 lower-case letters, digits, - and _, starting with a letter.",
        )
    if not 1 <= chain_id < 2**63:
        raise InvalidArgumentError(
            f"{chain_id} is not a chain id.", remedy="Write its decimal number, such as 1."
        )
    if chain_id == DEMO_CHAIN_ID:
        raise _demo_needs_none("The new endpoint", "Write your own chain's number.")
    if not is_http_url(url):
        raise InvalidArgumentError(
            "The URL must start with http:// or https:// and hold no spaces.",
            remedy="Copy it from your provider as it stands there.",
        )


def _replace_private(file: Path, text: str) -> None:
    """Write beside the file, then put it in its place: no reader ever sees half of it."""
    problem = False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # mkstemp opens with mode 0600 from the start, so the secret is never readable by others.
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".toolkit-", suffix=".toml")
        beside = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
    except OSError:
        problem = True
    if problem:
        raise UnreadableFileError(
            f"The file {file} cannot be written.", remedy="Check the folder's permissions."
        )
