"""The dashboard as it is started for people, and a browser in front of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCAL_SCHEMES = ("data", "blob", "about")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A Chromium: TOOLKIT_CHROMIUM, else /usr/bin/chromium."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("TOOLKIT_CHROMIUM", "/usr/bin/chromium")
    if not Path(path).exists():
        pytest.skip("No Chromium is here: name its path in TOOLKIT_CHROMIUM.")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The running dashboard's address, with a store of its own and no endpoint."""
    with running_dashboard(tmp_path_factory.mktemp("dashboard")) as where:
        yield where


@contextmanager
def running_dashboard(folder: Path, **settings: str) -> Iterator[str]:
    """Start the dashboard with these variables until the block ends, and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {n: v for n, v in os.environ.items() if not n.startswith("TOOLKIT_")}
    environment |= {"TOOLKIT_STORE": str(folder / "store"), **settings}
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    options = ["--server.headless=true", f"--server.port={port}"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*command, *options], cwd=ROOT, env=environment, stdout=log)
        try:
            _wait_until_up(f"http://127.0.0.1:{port}", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_until_up(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait for the health answer, as long as the server lives."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen(f"{address}/_stcore/health", timeout=5):
                return
        except (URLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail("The dashboard did not start.")


@dataclass
class Screen:
    """One browser page, and all that it did behind the reader's back."""

    page: Any
    address: str
    asked: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def open(self, path: str = "", **link: str) -> None:
        """Open a page by its link, and wait until it is drawn."""
        self.page.goto(f"{self.address}/{path}?{urlencode(link)}")
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run and its elements are drawn."""
        running = '[data-testid="stApp"][data-test-script-state="notRunning"]'
        self.page.wait_for_selector(".pin-strip")
        self.page.wait_for_timeout(400)
        self.page.wait_for_selector(running)

    def click_table(self, key: str, x: int, y: int) -> None:
        """Click into a table, which the browser draws on a canvas. Unit: pixels from its corner."""
        grid = self.page.locator(f".st-key-{key} canvas").first
        grid.scroll_into_view_if_needed()
        box = grid.bounding_box()
        self.page.mouse.click(box["x"] + x, box["y"] + y)
        self.settle()

    def leaked(self) -> list[str]:
        """Every request that left this machine."""
        home = urlsplit(self.address).netloc
        return [
            url
            for url in self.asked
            if urlsplit(url).scheme not in LOCAL_SCHEMES and urlsplit(url).netloc != home
        ]


@pytest.fixture
def screen(chromium: Any, address: str) -> Iterator[Screen]:
    """A fresh browser window of 1280 by 900."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    seen = Screen(page, address)
    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("pageerror", lambda error: seen.faults.append(str(error)))
    page.on("console", lambda message: _note_refusal(seen, message))
    yield seen
    context.close()


def _note_refusal(seen: Screen, message: Any) -> None:
    """Keep what the security policy refused; a missing file under a page's path is normal."""
    if message.type == "error" and "404" not in message.text:
        seen.faults.append(message.text)
