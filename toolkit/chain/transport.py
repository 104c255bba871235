"""How JSON-RPC calls travel: one protocol, and the strict HTTP form of it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol
from urllib.parse import unquote

import urllib3
from pydantic import SecretStr
from urllib3 import exceptions as http_errors
from urllib3.util import Timeout, make_headers, parse_url

from toolkit.chain.http_status import error_of_status, reads_as_rpc
from toolkit.chain.pace import Pace, Turn
from toolkit.chain.retry import Backoff, send_with_retries
from toolkit.chain.rpc import encode_request, pair_answers, refuse_forbidden
from toolkit.errors import (
    EndpointError,
    EndpointMisbehavedError,
    EndpointTimeoutError,
    EndpointUnreachableError,
    InvalidArgumentError,
    RateLimitedError,
    ReadError,
    RequestTooLargeError,
)

_CHUNK: Final = 262_144


@dataclass(frozen=True, slots=True)
class RpcCall:
    """One JSON-RPC call. `params` is plain JSON."""

    method: str
    params: tuple[Any, ...] = ()


class Transport(Protocol):
    """Carries calls to one endpoint. A seam: HTTP, a recording, or a web3 provider."""

    @property
    def endpoint_id(self) -> str:
        """The endpoint's name; its URL never leaves the transport."""

    @property
    def source(self) -> Literal["rpc", "recording"]:
        """Whether answers come from a node now or from a recording of one."""

    @property
    def requests(self) -> int:
        """Requests sent so far, each try counted."""

    def send(self, calls: Sequence[RpcCall]) -> list[Any | ReadError]:
        """Carry the calls in ONE request (a JSON-RPC batch when there is more than one).

        Each item is the call's JSON result, or the ReadError that its JSON-RPC error means.
        Errors: EndpointError where the request as a whole failed, after bounded retries;
        ForbiddenMethodError before anything is sent.
        """


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What one request may cost. Unit: seconds, bytes after decompression.

    Requests of all threads start at least `pause_seconds` apart, and further apart where the
    endpoint asks for it.
    """

    connect_seconds: float = 5.0
    total_seconds: float = 30.0
    answer_bytes: int = 64 * 1024 * 1024
    connections: int = 8
    pause_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _HttpAnswer:
    """A response that arrived whole."""

    status: int
    retry_after: str | None
    body: bytes = field(repr=False)


class HttpTransport:
    """Carries calls over HTTP with kept-alive connections; any thread may use it.

    No redirects, no proxies from the process environment, no compression bombs. The URL and
    any key in it stay inside: not in messages, reprs, logs or chained exceptions.
    """

    source: Literal["rpc", "recording"] = "rpc"

    def __init__(
        self,
        endpoint_id: str,
        url: SecretStr,
        *,
        limits: HttpLimits | None = None,
        backoff: Backoff | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.endpoint_id = endpoint_id
        self._limits = limits or HttpLimits()
        self._backoff = backoff or Backoff()
        self._clock = clock
        self._wall_clock = wall_clock
        self._lock = threading.Lock()
        self._requests = 0
        self._has_answered = False
        self._next_id = 1
        pause = self._limits.pause_seconds
        self.pace = Pace(1 / pause if pause else None, clock=clock)
        self._target, self._headers, host = _split_url(endpoint_id, url)
        self._pool = urllib3.PoolManager(
            num_pools=1, maxsize=self._limits.connections, block=True, retries=False
        )
        self._silence = _SilenceHost(host)
        logging.getLogger("urllib3.connectionpool").addFilter(self._silence)

    def __repr__(self) -> str:
        return f"HttpTransport(endpoint_id={self.endpoint_id!r})"

    @property
    def requests(self) -> int:
        """Requests sent so far, each try counted."""
        return self._requests

    def close(self) -> None:
        """Close the kept-alive connections."""
        self._pool.clear()
        logging.getLogger("urllib3.connectionpool").removeFilter(self._silence)

    def send(self, calls: Sequence[RpcCall]) -> list[Any | ReadError]:
        """Carry the calls in one request, and ask again what may pass. See `Transport.send`."""
        refuse_forbidden(calls)
        if not calls:
            return []
        # Who has never answered gets no second chance to make a person wait.
        backoff = replace(
            self._backoff, repeats_timeouts=self._backoff.repeats_timeouts and self._has_answered
        )
        return send_with_retries(self._send_once, calls, backoff)

    def _send_once(self, calls: Sequence[RpcCall]) -> list[Any | ReadError]:
        """Make one request and read its answer."""
        with self._lock:
            first = self._next_id
            self._next_id += len(calls)
            self._requests += 1
        turn = self.pace.take_turn()
        if turn.wait > 0:
            self._backoff.sleep(turn.wait)
        ids = range(first, first + len(calls))
        try:
            answers = self._exchange(calls, ids)
        except RateLimitedError as error:
            self._slow_down(turn, error.retry_after)
            raise
        limited = [answer for answer in answers if isinstance(answer, RateLimitedError)]
        if limited:
            waits = [error.retry_after for error in limited if error.retry_after is not None]
            self._slow_down(turn, max(waits, default=None))
        else:
            self.pace.answered()
        return answers

    def _slow_down(self, turn: Turn, retry_after: float | None) -> None:
        """Lower the rate for all threads; nobody is held longer than one would wait to retry."""
        hold = None if retry_after is None else min(retry_after, self._backoff.longest_wait)
        self.pace.refused(turn, hold)

    def _exchange(self, calls: Sequence[RpcCall], ids: range) -> list[Any | ReadError]:
        """Post one request and understand its answer. Errors: EndpointError."""
        answer = self._post(encode_request(calls, ids))
        if isinstance(answer, EndpointError):
            raise answer
        self._has_answered = True
        if answer.status == 200:
            return pair_answers(answer.body, calls, ids)
        refusal = error_of_status(answer.status, answer.retry_after, self._wall_clock())
        if reads_as_rpc(answer.status):
            paired = _paired_or_refused(answer, calls, ids)
            if isinstance(paired, list):
                return paired
            refusal = paired or refusal
        raise refusal

    def _post(self, body: bytes) -> _HttpAnswer | EndpointError:
        """Exchange one request for one whole response, or say what broke.

        The failure is returned, not raised, because urllib3's exceptions name the host and
        would stay attached as context.
        """
        deadline = self._clock() + self._limits.total_seconds
        timeout = Timeout(
            connect=min(self._limits.connect_seconds, self._limits.total_seconds),
            read=self._limits.total_seconds,
            total=self._limits.total_seconds,
        )
        response: urllib3.BaseHTTPResponse | None = None
        try:
            response = self._pool.request(
                "POST",
                self._target.get_secret_value(),
                body=body,
                headers=self._headers,
                redirect=False,
                retries=False,
                preload_content=False,
                timeout=timeout,
            )
            answer = self._read_whole(response, deadline)
            if isinstance(answer, _HttpAnswer):
                response.release_conn()
                response = None
        except (http_errors.HTTPError, OSError) as error:
            return self._connection_error(error)
        else:
            return answer
        finally:
            if response is not None:
                response.close()

    def _read_whole(
        self, response: urllib3.BaseHTTPResponse, deadline: float
    ) -> _HttpAnswer | EndpointError:
        """Collect the body within the limits of size and time."""
        collected = bytearray()
        while chunk := response.read1(_CHUNK, decode_content=True):
            collected += chunk
            refusal = self._over_a_limit(len(collected), deadline)
            if refusal is not None:
                response.close()
                # Closed alone it keeps its place in the pool, which then waits for it for ever.
                response.release_conn()
                return refusal
        return _HttpAnswer(response.status, response.headers.get("Retry-After"), bytes(collected))

    def _over_a_limit(self, received_bytes: int, deadline: float) -> EndpointError | None:
        """Say which limit an answer has passed, if any."""
        if received_bytes > self._limits.answer_bytes:
            return RequestTooLargeError(
                f"Endpoint {self.endpoint_id!r} sent more than "
                f"{self._limits.answer_bytes} bytes for one request.",
                remedy="Ask for less at once.",
            )
        return self._too_slow() if self._clock() > deadline else None

    def _connection_error(self, error: Exception) -> EndpointError:
        """Name a connection's failure without its address."""
        name = repr(self.endpoint_id)
        # A refused connection is a TimeoutError by class in urllib3, and not one by nature.
        refused = isinstance(error, http_errors.NewConnectionError)
        if isinstance(error, http_errors.TimeoutError | TimeoutError) and not refused:
            return self._too_slow()
        if isinstance(error, http_errors.DecodeError):
            return EndpointMisbehavedError(
                f"Endpoint {name} sent a body that cannot be decompressed.",
                remedy="Ask another endpoint.",
            )
        if isinstance(error, http_errors.SSLError):
            what = "TLS with endpoint {} failed."
        elif refused:
            what = "Endpoint {} cannot be reached."
        else:
            what = "The connection to endpoint {} broke in the middle of an answer."
        return EndpointUnreachableError(
            what.format(name), remedy="Check the network and the endpoint's address, or try later."
        )

    def _too_slow(self) -> EndpointTimeoutError:
        return EndpointTimeoutError(
            f"Endpoint {self.endpoint_id!r} did not answer within "
            f"{self._limits.total_seconds:g} seconds.",
            remedy="Ask for less at once, raise timeout_seconds, or use another endpoint.",
        )


def _paired_or_refused(
    answer: _HttpAnswer, calls: Sequence[RpcCall], ids: Sequence[int]
) -> list[Any | ReadError] | EndpointError | None:
    """Read JSON-RPC that came with an HTTP error status; None where the body is none."""
    try:
        return pair_answers(answer.body, calls, ids)
    except RateLimitedError as error:
        return error
    except RequestTooLargeError as error:
        # An overloaded gateway also answers with a null id, but with a status of its own.
        return error if answer.status < 500 else None
    except ReadError:
        return None


def _split_url(endpoint_id: str, url: SecretStr) -> tuple[SecretStr, dict[str, str], str]:
    """Take the user's name and password out of a URL and into a header."""
    try:
        parts = parse_url(url.get_secret_value())
    except http_errors.LocationParseError:
        parts = None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.host:
        raise InvalidArgumentError(
            f"The URL of endpoint {endpoint_id!r} is not an http or https URL.",
            remedy="Write it as https://host/path.",
        )
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "gzip",
        "User-Agent": "blockpin",
    }
    if parts.auth:
        headers |= make_headers(basic_auth=unquote(parts.auth))
    return SecretStr(parts._replace(auth=None, fragment=None).url), headers, parts.host


class _SilenceHost(logging.Filter):
    """Drops urllib3's debug lines about one host: they hold the path, and the path may be a key."""

    def __init__(self, host: str) -> None:
        super().__init__()
        self._host = host.strip("[]")

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep a record that does not concern the host."""
        arguments = record.args if isinstance(record.args, tuple) else (record.args,)
        return not any(self._host in str(argument) for argument in arguments)
