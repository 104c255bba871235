"""A loopback HTTP server that stands before a node and misbehaves on request."""

from __future__ import annotations

import http.client
import json
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Upstream: TypeAlias = Callable[[Any], Any]
"""Gets the parsed JSON-RPC request and gives the parsed JSON-RPC response."""


@dataclass(slots=True)
class Exchange:
    """A request, and the response that a fault may still change before it is sent.

    `cut_at` sends only so many bytes of the body that the header promised.
    """

    request: Any
    response: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut_at: int | None = None
    hold: float | None = None

    def raw(self) -> bytes:
        """The body's bytes: those that a fault wrote, else the response as JSON."""
        return json.dumps(self.response).encode() if self.body is None else self.body


Fault: TypeAlias = Callable[[Exchange], None]


class FaultsProxy:
    """Forwards to an upstream; each request meets the next of `faults`, then `always`."""

    def __init__(self, upstream: Upstream) -> None:
        self.faults: deque[Fault | None] = deque()
        self.always: Fault | None = None
        self.requests = 0
        self.calls = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.bodies: list[Any] = []
        self._upstream = upstream
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.port: int = self._server.server_address[1]

    def url(self, path: str = "/") -> str:
        """The proxy's own address."""
        return f"http://127.0.0.1:{self.port}{path}"

    def __enter__(self) -> FaultsProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def exchange(self, body: bytes) -> Exchange:
        """Ask the upstream, then let the next fault have its way."""
        request = json.loads(body)
        with self._lock:
            self.requests += 1
            self.calls += len(request) if isinstance(request, list) else 1
            self.bytes_in += len(body)
            self.bodies.append(request)
            fault = self.faults.popleft() if self.faults else self.always
        exchange = Exchange(request, self._upstream(request))
        if fault:
            fault(exchange)
        return exchange


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent where a client hung up, which is what many tests make it do."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _handler_for(proxy: FaultsProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            exchange = proxy.exchange(self.rfile.read(int(self.headers["Content-Length"])))
            if exchange.hold is not None:
                proxy.closing.wait(exchange.hold)
            raw = exchange.raw()
            sent = raw if exchange.cut_at is None else raw[: exchange.cut_at]
            proxy.bytes_out += len(sent)
            try:
                self.send_response(exchange.status)
                for name, value in exchange.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(sent)
            except OSError:
                self.close_connection = True
            if len(sent) < len(raw):
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def faults_before(upstream: Upstream) -> Iterator[FaultsProxy]:
    """Run a proxy before an upstream until the block ends."""
    with FaultsProxy(upstream) as proxy:
        yield proxy


def node_at(port: int) -> Upstream:
    """An upstream: a real node on the loopback interface."""

    def ask(request: Any) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request(
                "POST", "/", json.dumps(request), {"Content-Type": "application/json"}
            )
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    return ask


def answering(answer: Callable[[str, list[Any]], Any]) -> Upstream:
    """An upstream: a function from method and parameters to a result, or to {"error": ...}."""

    def one(request: Any) -> Any:
        result = answer(request["method"], request["params"])
        refused = isinstance(result, dict) and set(result) == {"error"}
        return {
            "jsonrpc": "2.0",
            "id": request["id"],
            **(result if refused else {"result": result}),
        }

    def ask(request: Any) -> Any:
        return [one(item) for item in request] if isinstance(request, list) else one(request)

    return ask


# Faults of the batch.


def drop_item(exchange: Exchange) -> None:
    """Leave out the first answer."""
    exchange.response = exchange.response[1:]


def add_item(exchange: Exchange) -> None:
    """Answer one more call than was asked."""
    exchange.response = [*exchange.response, {"jsonrpc": "2.0", "id": 10**9, "result": "0x1"}]


def double_item(exchange: Exchange) -> None:
    """Answer the first call twice, in place of the last."""
    exchange.response = [*exchange.response[:-1], exchange.response[0]]


def reorder(exchange: Exchange) -> None:
    """Answer backwards; JSON-RPC allows it."""
    exchange.response = exchange.response[::-1]


def renumber(exchange: Exchange) -> None:
    """Answer with foreign ids."""
    _each(exchange, lambda item: item | {"id": item["id"] + 1_000})


def write_ids_as_text(exchange: Exchange) -> None:
    """Answer with ids of another type."""
    _each(exchange, lambda item: item | {"id": str(item["id"])})


def limit_items(*positions: int, code: int = -32005) -> Fault:
    """Rate-limit some items inside an otherwise good answer."""

    def fault(exchange: Exchange) -> None:
        refused = {"code": code, "message": "request rate limited"}
        for position in positions:
            item = exchange.response[position]
            exchange.response[position] = {"jsonrpc": "2.0", "id": item["id"], "error": refused}

    return fault


def _each(exchange: Exchange, change: Callable[[Any], Any]) -> None:
    many = isinstance(exchange.response, list)
    exchange.response = (
        [change(item) for item in exchange.response] if many else change(exchange.response)
    )


# Faults of the whole answer.


def null_id_error(exchange: Exchange) -> None:
    """Refuse the request as anvil refuses a large body."""
    exchange.response = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "Invalid request"},
    }


def answer_html(status: int = 200) -> Fault:
    """Answer with a page for people."""

    def fault(exchange: Exchange) -> None:
        exchange.status = status
        exchange.headers["Content-Type"] = "text/html"
        exchange.body = b"<html><body>Sign in to continue</body></html>"

    return fault


def answer_with(body: bytes, status: int = 200, **headers: str) -> Fault:
    """Answer with these bytes."""

    def fault(exchange: Exchange) -> None:
        exchange.status = status
        exchange.body = body
        exchange.headers |= {name.replace("_", "-"): value for name, value in headers.items()}

    return fault


def with_status(status: int) -> Fault:
    """Give the right body under another status."""

    def fault(exchange: Exchange) -> None:
        exchange.status = status

    return fault


def too_many_requests(retry_after: str | None = None) -> Fault:
    """Answer 429, with advice or without."""

    def fault(exchange: Exchange) -> None:
        exchange.status = 429
        exchange.body = b"slow down"
        if retry_after is not None:
            exchange.headers["Retry-After"] = retry_after

    return fault


def redirect(location: str) -> Fault:
    """Send the client elsewhere."""

    def fault(exchange: Exchange) -> None:
        exchange.status = 307
        exchange.body = b""
        exchange.headers["Location"] = location

    return fault


def cut_body(exchange: Exchange) -> None:
    """Break off after half of the body."""
    exchange.cut_at = len(exchange.raw()) // 2


def hang(exchange: Exchange) -> None:
    """Say nothing until the proxy closes."""
    exchange.hold = 3_600.0


def delay(seconds: float) -> Fault:
    """Answer later: a far-away endpoint."""

    def fault(exchange: Exchange) -> None:
        exchange.hold = seconds

    return fault


def serve_chain(chain_id: int) -> Fault:
    """Claim another chain id, in a batch too."""

    def fault(exchange: Exchange) -> None:
        requests = exchange.request if isinstance(exchange.request, list) else [exchange.request]
        asked = {item["id"] for item in requests if item["method"] == "eth_chainId"}
        _each(
            exchange,
            lambda item: item | {"result": hex(chain_id)} if item["id"] in asked else item,
        )

    return fault


# Faults of what a result says.


def answer_null(exchange: Exchange) -> None:
    """Answer every call with null, as a node that has just been started does."""
    _each(exchange, lambda item: item | {"result": None} if "result" in item else item)


def refuse_each(message: str, code: int = -32000) -> Fault:
    """Give every call an error of its own inside an otherwise good answer."""

    def fault(exchange: Exchange) -> None:
        refused = {"code": code, "message": message}
        _each(exchange, lambda item: {"jsonrpc": "2.0", "id": item["id"], "error": refused})

    return fault


def write_quantities_as(write: Callable[[int], Any]) -> Fault:
    """Write balances, counts and the chain's id in another form than 0x and hex."""
    methods = ("eth_getBalance", "eth_getTransactionCount", "eth_chainId", "eth_blockNumber")

    def fault(exchange: Exchange) -> None:
        _change_results(exchange, methods, lambda told: write(int(told, 16)))

    return fault


def change_headers(**change: Callable[[str], Any]) -> Fault:
    """Change fields of every block header that is answered."""
    methods = ("eth_getBlockByNumber", "eth_getBlockByHash")

    def fault(exchange: Exchange) -> None:
        _change_results(
            exchange,
            methods,
            lambda told: told | {name: form(told[name]) for name, form in change.items()},
        )

    return fault


def say_twice(exchange: Exchange) -> None:
    """Write every member of the answer a second time, which JSON leaves undefined."""
    if isinstance(exchange.response, dict):
        exchange.body = exchange.raw()[:-1] + b"," + exchange.raw()[1:]
    else:
        items = [json.dumps(item) for item in exchange.response]
        exchange.body = f"[{','.join(f'{one[:-1]},{one[1:]}' for one in items)}]".encode()


def _change_results(
    exchange: Exchange, methods: tuple[str, ...], change: Callable[[Any], Any]
) -> None:
    """Change the results of some methods, wherever in the answer they stand."""
    requests = exchange.request if isinstance(exchange.request, list) else [exchange.request]
    asked = {item["id"] for item in requests if item["method"] in methods}
    _each(
        exchange,
        lambda item: (
            item | {"result": change(item["result"])}
            if item["id"] in asked and item.get("result") is not None
            else item
        ),
    )
