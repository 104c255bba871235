"""`toolkit app`: the dashboard, started with the settings that ship with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from toolkit.cli.exits import DONE
from toolkit.cli.session import Session, session_of
from toolkit.config import data_folder
from toolkit.errors import InvalidArgumentError, ToolUnavailableError

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def command(
    context: typer.Context,
    *,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. Others than this machine can reach it "
            "where it is not 127.0.0.1."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The port; 0 takes a free one.")
    ] = 8501,
    headless: Annotated[bool, typer.Option("--headless", help="Open no browser.")] = False,
) -> int:
    """Open the dashboard in the browser. Ctrl-C ends it. Nothing leaves this machine but reads."""
    session = session_of(context)
    page = shipped_page()
    if host not in _LOOPBACK:
        session.screen.say(
            f"Anyone who can reach {host} can use your endpoints: the page has no login."
        )
    arguments = ["--server.address", host, "--server.port", str(port)]
    arguments += ["--server.headless", str(headless).lower()]
    return _serve([sys.executable, "-m", "streamlit", "run", str(page), *arguments], session)


def shipped_page() -> Path:
    """Find app.py: beside the data in the wheel, or in the checkout.

    Errors: ToolUnavailableError where the installation is broken.
    """
    page = data_folder().parent / "app.py"
    if not page.is_file():
        raise ToolUnavailableError(
            "The dashboard is missing from this installation.", remedy="Install the package again."
        )
    return page


def _serve(arguments: list[str], session: Session) -> int:
    """Run the server until it ends. Ctrl-C reaches it as well, and it stops by itself."""
    try:
        process = subprocess.Popen(arguments, env=_environment(session))  # noqa: S603 - our own line
    except OSError as error:
        raise InvalidArgumentError("Python could not be started for the dashboard.") from error
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        return DONE
    finally:
        signal.signal(signal.SIGTERM, before)
        if process.poll() is None:
            process.kill()


def _environment(session: Session) -> dict[str, str]:
    """Pass the global options on: the page reads the same settings as every command."""
    environment = dict(os.environ)
    if session.store is not None:
        environment["TOOLKIT_STORE"] = str(session.store.absolute())
    if session.config is not None:
        environment["TOOLKIT_CONFIG"] = str(session.config.absolute())
    return environment
