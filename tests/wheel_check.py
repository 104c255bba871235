"""Checks an installed wheel outside the checkout: the demo on the command line and in the app.

Run by .ci/run with the installed command as its argument; not a pytest file, since it must
run with what the wheel alone installs.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.request

HOLDER = "0x5aa529f4b3E947075faB4AA8af7baf8f69590100"
TOKEN = "0x81bEF8eb1E07730A3416e065442DF14426F34Baa"
START_SECONDS = 60


def compare(command: str) -> None:
    """Compare one holder's token on the shipped demo, exactly."""
    asked = ["--chain-id", "31337000", "--block", "100", "--addresses", HOLDER, "--tokens", TOKEN]
    told = subprocess.run(
        [command, "--json", "compare", *asked], capture_output=True, text=True, check=True
    )
    (cell,) = json.loads(told.stdout)["cells"]
    assert cell["raw_amount"] == "892499999999999999999999", cell


def open_app(command: str) -> None:
    """Start the dashboard and wait until it answers with its own page and policy."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = subprocess.Popen([command, "app", "--headless", "--port", str(port)])
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                    assert page.status == 200
                    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
                    return
            except OSError:
                if app.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
    finally:
        app.terminate()
        app.wait(timeout=20)


if __name__ == "__main__":
    compare(sys.argv[1])
    open_app(sys.argv[1])
    sys.stdout.write("the wheel answers: compare and app\n")
