"""Opens the toolkit before an endpoint, which may be one that refuses state overrides."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from toolkit.chain.transport import HttpTransport, RpcCall
from toolkit.errors import RpcRefusedError
from toolkit.workspace import Workspace, open_workspace

REFUSED = "--refuse-overrides"


class RefusesOverrides(HttpTransport):
    """The way to an endpoint that takes no third parameter, without a proxy's time in it."""

    def send(self, calls: Sequence[RpcCall]) -> list:
        """Refuse what such an endpoint refuses, and carry the rest."""
        refused = [call.method == "eth_call" and len(call.params) > 2 for call in calls]
        if not any(refused):
            return super().send(calls)
        carried = [call for call, no in zip(calls, refused, strict=True) if not no]
        answers = iter(super().send(carried) if carried else [])
        return [RpcRefusedError("No overrides.") if no else next(answers) for no in refused]


def opened(url: str, store: str) -> Workspace:
    """Open a workspace for one endpoint, with its store in a folder."""
    environ = {"TOOLKIT_STORE": store, "TOOLKIT_RPC_1": url}
    transports = {1: transport(url)} if REFUSED in sys.argv else None
    return open_workspace(environ, Path(store), transports=transports)


def transport(url: str) -> HttpTransport:
    """The way to an endpoint, as the arguments want it."""
    kind = RefusesOverrides if REFUSED in sys.argv else HttpTransport
    return kind("bench", SecretStr(url))
