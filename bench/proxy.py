"""A proxy that counts what passes, and may keep it waiting, write it down, or refuse overrides.

It forwards bytes as they are. Nothing is timed through it but what the delay is about.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_OVERRIDE = b'"code"'
_REFUSAL = {"code": -32602, "message": "too many arguments, want at most 2"}


@dataclass(frozen=True, slots=True)
class Passed:
    """One request. Unit: `at` seconds since 1970, `calls` JSON-RPC calls, bytes of bodies."""

    at: float
    calls: int
    bytes_up: int
    bytes_down: int
    body: bytes | None
    answer: bytes | None


@dataclass(slots=True)
class Meter:
    """What has passed so far, and where to connect. `records` keeps the bodies too."""

    port: int
    delay_seconds: float
    refuses_overrides: bool
    records: bool
    passed: list[Passed] = field(default_factory=list)

    def between(self, start: float, end: float) -> list[Passed]:
        """The requests that arrived within a span of time, in order."""
        inside = [one for one in self.passed if start <= one.at <= end]
        return sorted(inside, key=lambda one: one.at)


@contextmanager
def metered(
    node_port: int,
    *,
    delay_seconds: float = 0.0,
    refuses_overrides: bool = False,
    records: bool = False,
) -> Iterator[Meter]:
    """Run the proxy before a node until the block ends."""
    meter = Meter(0, delay_seconds, refuses_overrides, records)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(node_port, meter))
    server.daemon_threads = True
    meter.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield meter
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(node_port: int, meter: Meter) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def setup(self) -> None:
            super().setup()
            self.upstream = http.client.HTTPConnection("127.0.0.1", node_port, timeout=60)

        def finish(self) -> None:
            self.upstream.close()
            super().finish()

        def do_POST(self) -> None:
            arrived = time.time()
            body = self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(meter.delay_seconds)
            if meter.refuses_overrides and _OVERRIDE in body:
                status, answer = 200, _without_overrides(body, self.ask)
            else:
                status, answer = self.ask(body)
            kept = (body, answer) if meter.records else (None, None)
            calls = body.count(b'"method"')
            meter.passed.append(Passed(arrived, calls, len(body), len(answer), *kept))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def ask(self, body: bytes) -> tuple[int, bytes]:
            self.upstream.request("POST", "/", body, {"Content-Type": "application/json"})
            response = self.upstream.getresponse()
            return response.status, response.read()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler


def _without_overrides(body: bytes, ask: Any) -> bytes:
    """Answer as a node without state overrides: each such call is refused, the rest asked."""
    asked = json.loads(body)
    calls = asked if isinstance(asked, list) else [asked]
    carried = [call for call in calls if not _overrides(call)]
    answers = json.loads(ask(json.dumps(carried).encode())[1]) if carried else []
    answers += [
        {"jsonrpc": "2.0", "id": call["id"], "error": _REFUSAL}
        for call in calls
        if _overrides(call)
    ]
    return json.dumps(answers if isinstance(asked, list) else answers[0]).encode()


def _overrides(call: dict[str, Any]) -> bool:
    return call["method"] == "eth_call" and len(call["params"]) > 2
