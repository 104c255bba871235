"""What an HTTP status other than 200 means for a read."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from toolkit.errors import (
    EndpointError,
    EndpointMisbehavedError,
    EndpointRefusesAccessError,
    EndpointUnreachableError,
    RateLimitedError,
    RequestTooLargeError,
)

_MEANS_ITSELF: Final = frozenset({401, 403, 413, 429})
_LONGEST_RETRY_AFTER: Final = 30 * 86_400.0


def reads_as_rpc(status: int) -> bool:
    """Whether a body under this status may be JSON-RPC; some nodes send errors so."""
    return status >= 400 and status not in _MEANS_ITSELF


def error_of_status(status: int, retry_after: str | None, now: float) -> EndpointError:
    """Name what a status says, without the body. Unit: `now` in seconds since 1970."""
    if status == 413:
        return RequestTooLargeError(
            "The endpoint refuses a request of this size (HTTP 413).",
            remedy="Ask for less at once.",
        )
    if status == 429:
        return RateLimitedError(
            "The endpoint wants to be asked less often (HTTP 429).",
            remedy="Wait, ask for less, or configure another endpoint.",
            retry_after=parse_retry_after(retry_after, now),
        )
    if status in {401, 403}:
        return EndpointRefusesAccessError(
            f"The endpoint does not accept its key for this request (HTTP {status}).",
            remedy="Check the key in the endpoint's URL; asking again does not help.",
        )
    if status >= 500:
        return EndpointUnreachableError(
            f"The endpoint is in trouble itself (HTTP {status}).",
            remedy="Ask again later, or use another endpoint.",
        )
    if 300 <= status < 400:
        return EndpointMisbehavedError(
            f"The endpoint redirects elsewhere (HTTP {status}); redirects are not followed.",
            remedy="Configure the address that it redirects to, if you trust it.",
        )
    return EndpointMisbehavedError(
        f"The endpoint answered with HTTP {status} and no JSON-RPC.",
        remedy="Check that the endpoint's URL is a JSON-RPC address.",
    )


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Read seconds or an HTTP date as seconds from now, or None where it is neither.

    Source: RFC 9110, 10.2.3.
    """
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), _LONGEST_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(moment.timestamp() - now, 0.0), _LONGEST_RETRY_AFTER)
