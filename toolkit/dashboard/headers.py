"""The response headers that keep the page on this machine, whatever text is on it."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Final

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = (
    "default-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    # Streamlit compiles a WebAssembly table reader; nothing needs eval of JavaScript.
    "script-src 'self' 'wasm-unsafe-eval' {own_scripts}",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    # 'self' covers the page's own websocket in current browsers.
    "connect-src 'self'",
)

_INLINE_SCRIPT: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def content_security_policy(page: str) -> str:
    """Write the policy for Streamlit's page: its own inline scripts by digest, no others."""
    digests = (
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        for script in _INLINE_SCRIPT.findall(page)
    )
    own_scripts = " ".join(f"'sha256-{digest}'" for digest in digests)
    return "; ".join(_POLICY).format(own_scripts=own_scripts)


def security_headers() -> tuple[tuple[bytes, bytes], ...]:
    """The headers of every response of this installation."""
    index = Path(streamlit.__file__).with_name("static") / "index.html"
    policy = content_security_policy(index.read_text(encoding="utf-8"))
    return (
        (b"content-security-policy", policy.encode("ascii")),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    )


class SecurityHeaders:
    """ASGI middleware that adds the headers to every HTTP response.

    A token name that reached markup by mistake could then still load nothing and run nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = security_headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the start of its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in self._headers}
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in ours]
                message["headers"] = [*kept, *self._headers]
            await send(message)

        await self._app(scope, receive, send_with_headers)
