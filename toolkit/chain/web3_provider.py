"""Reads through the provider of an existing Web3 object: IPC, WebSocket, the user's own auth.

Only the provider carries bytes; web3's middleware, contract objects and result formatting are
passed by, and what comes back is checked as strictly as over HTTP.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from toolkit.chain.http_status import error_of_status
from toolkit.chain.retry import Backoff, send_with_retries
from toolkit.chain.rpc import classify_rpc_error, refuse_forbidden
from toolkit.errors import (
    EndpointError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    ReadError,
)

if TYPE_CHECKING:
    from web3 import Web3

    from toolkit.chain.transport import RpcCall


class Web3Transport:
    """Carries calls through `web3.provider`. Not: batches; each call is a request of its own.

    web3 pairs the answers of a batch by position, so that one missing item shifts all that
    follow. A provider's answer is taken one call at a time.
    """

    source: Literal["rpc", "recording"] = "rpc"

    def __init__(
        self, web3: Web3, endpoint_id: str = "web3", *, backoff: Backoff | None = None
    ) -> None:
        self.endpoint_id = endpoint_id
        self._provider: Any = web3.provider
        self._backoff = backoff or Backoff()
        self._lock = threading.Lock()
        self._requests = 0
        self._last_id = -1

    def __repr__(self) -> str:
        return f"Web3Transport(endpoint_id={self.endpoint_id!r})"

    @property
    def requests(self) -> int:
        """Requests sent so far, each try counted."""
        return self._requests

    def send(self, calls: Sequence[RpcCall]) -> list[Any | ReadError]:
        """Carry each call through the provider, in order. See `Transport.send`."""
        refuse_forbidden(calls)
        if not calls:
            return []
        return send_with_retries(
            lambda asked: [self._ask(call) for call in asked], calls, self._backoff
        )

    def _ask(self, call: RpcCall) -> Any | ReadError:
        """Make one call. Errors: EndpointError where the provider failed."""
        failure: EndpointError | None = None
        with self._lock:
            self._requests += 1
            try:
                answer = self._provider.make_request(call.method, list(call.params))
            except Exception as error:  # noqa: BLE001 - providers raise anything, URL included
                failure = _provider_error(error)
            else:
                self._check_shape(answer)
        # Raised outside of the handler, so that the provider's exception is not its context.
        if failure is not None:
            raise failure
        if "error" in answer:
            return classify_rpc_error(call.method, answer["error"])
        return answer["result"]

    def _check_shape(self, answer: Any) -> None:
        """Refuse what is no JSON-RPC response, and an id that came before.

        The provider chooses the ids and does not tell them; they only ever grow, so an answer
        that belongs to an earlier question is seen.
        """
        whole = (
            isinstance(answer, dict)
            and answer.get("jsonrpc") == "2.0"
            and type(answer.get("id")) is int
            and ("result" in answer) != ("error" in answer)
        )
        if not whole or answer["id"] <= self._last_id:
            raise EndpointMisbehavedError(
                "The provider's answer breaks JSON-RPC: it is incomplete or not the newest one.",
                remedy="Ask another endpoint.",
            )
        self._last_id = answer["id"]


def _provider_error(error: Exception) -> EndpointError:
    """Name a provider's failure by its kind; its text may hold the URL."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if isinstance(status, int) and status != 200:
        headers = getattr(response, "headers", {})
        return error_of_status(status, headers.get("Retry-After"), time.time())
    if isinstance(error, TimeoutError) or "timeout" in type(error).__name__.lower():
        return EndpointTimeoutError(
            "The provider did not answer in time.", remedy="Ask again, or use another endpoint."
        )
    if isinstance(error, NotImplementedError | ValueError) and not isinstance(error, OSError):
        return EndpointMisbehavedError(
            "The provider's answer cannot be read.", remedy="Ask another endpoint."
        )
    return EndpointUnreachableError(
        "The provider cannot reach its endpoint.", remedy="Check the provider's own settings."
    )
