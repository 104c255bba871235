"""A proxy that counts what passes, and may keep it waiting like a far-away endpoint.

It forwards bytes as they are. Nothing is timed through it but what the delay is about.
"""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Passed:
    """One request. Unit: `at` seconds since 1970, `calls` JSON-RPC calls, bytes of bodies."""

    at: float
    calls: int
    bytes_up: int
    bytes_down: int


@dataclass(slots=True)
class Meter:
    """What has passed so far, and where to connect."""

    port: int
    delay_seconds: float
    passed: list[Passed] = field(default_factory=list)

    def between(self, start: float, end: float) -> list[Passed]:
        """The requests that arrived within a span of time."""
        return [one for one in self.passed if start <= one.at <= end]


@contextmanager
def metered(node_port: int, *, delay_seconds: float = 0.0) -> Iterator[Meter]:
    """Run the proxy before a node until the block ends."""
    meter = Meter(0, delay_seconds)
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
            self.upstream.request("POST", "/", body, {"Content-Type": "application/json"})
            response = self.upstream.getresponse()
            answer = response.read()
            calls = body.count(b'"method"')
            meter.passed.append(Passed(arrived, calls, len(body), len(answer)))
            self.send_response(response.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
