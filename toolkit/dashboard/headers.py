"""The response headers that keep the page on this machine, whatever text is on it."""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        # Streamlit compiles a WebAssembly table reader; nothing needs eval of JavaScript.
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        # 'self' covers the page's own websocket in current browsers.
        "connect-src 'self'",
    )
)

HEADERS: Final = (
    (b"content-security-policy", _POLICY.encode("ascii")),
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the start of its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in HEADERS}
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in ours]
                message["headers"] = [*kept, *HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers)
