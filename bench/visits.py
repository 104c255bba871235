"""Visits of a browser to an app that was just started, with the time until a page is drawn."""

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
from urllib.request import urlopen

ROOT = Path(__file__).parent.parent
_RUNNING = '[data-testid="stApp"][data-test-script-state="notRunning"]'
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


class NoBrowserError(Exception):
    """There is no Chromium, or nothing to drive it with."""


@dataclass(frozen=True, slots=True)
class Site:
    """An app with two pages. A page is (its name in the navigation, its heading)."""

    name: str
    script: str
    front: tuple[str, str]
    other: tuple[str, str]


@dataclass(slots=True)
class Visits:
    """Unit: seconds. `up` is until the server answers, `first` a fresh server's first visit."""

    up: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    change: list[float] = field(default_factory=list)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window. Errors: NoBrowserError."""
    path = os.environ.get("TOOLKIT_CHROMIUM", "/usr/bin/chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise NoBrowserError("playwright is not installed") from error
    if not Path(path).exists():
        raise NoBrowserError("there is no Chromium; name its path in TOOLKIT_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()


def visit(browser: Any, site: Site, folder: Path, visits: Visits, rounds: int) -> None:
    """Start the app anew, visit it, and go to and fro between its pages."""
    with running(site, folder) as (address, up):
        visits.up.append(up)
        visits.first.append(_open(browser, site, address, 0)[0])
        for _ in range(rounds):
            seconds, changes = _open(browser, site, address, rounds)
            visits.later.append(seconds)
            visits.change += changes


def imported_by(browser: Any, site: Site, folder: Path) -> set[str]:
    """Every module that the server imports while both pages are shown."""
    with running(site, folder, PYTHONPROFILEIMPORTTIME="1") as (address, _):
        _open(browser, site, address, 1)
        time.sleep(2)  # Until what is imported in the background is there too.
    lines = (folder / "log").read_text("utf-8", errors="replace").splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


@contextmanager
def running(site: Site, folder: Path, **environment: str) -> Iterator[tuple[str, float]]:
    """Run an app with a store of its own and no endpoint; tell when it answered."""
    folder.mkdir(parents=True, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = {n: v for n, v in os.environ.items() if not n.startswith("TOOLKIT_")}
    kept |= {"TOOLKIT_STORE": str(folder / "store"), **environment}
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / site.script)]
    command += ["--server.headless=true", f"--server.port={port}"]
    address = f"http://127.0.0.1:{port}"
    began = time.perf_counter()
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=kept, stdout=log, stderr=log)
        try:
            _wait_until_up(address, server)
            yield address, time.perf_counter() - began
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_until_up(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen(f"{address}/_stcore/health", timeout=5):
                return
        except (URLError, ConnectionError):
            time.sleep(0.01)
    raise RuntimeError("The app did not start.")


def _open(browser: Any, site: Site, address: str, changes: int) -> tuple[float, list[float]]:
    """Open the front page in a browser that has seen nothing yet, then change pages."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    _await_drawn(page, site.front[1])
    seconds = time.perf_counter() - began
    changed = []
    for number in range(2 * changes):
        name, heading = site.front if number % 2 else site.other
        page.wait_for_timeout(300)  # A reader looks first; nothing of the last change is left.
        began = time.perf_counter()
        page.get_by_role("link", name=name).first.click()
        _await_drawn(page, heading)
        changed.append(time.perf_counter() - began)
    context.close()
    return seconds, changed


def _await_drawn(page: Any, heading: str) -> None:
    page.wait_for_selector(f'h1:has-text("{heading}")')
    page.wait_for_selector(_RUNNING)
