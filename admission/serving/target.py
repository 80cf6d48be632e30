"""What a call asks for, and why it is refused before its body is read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from aiohttp import hdrs, web

from admission.engine.instant import parse_duration

MUTATE: Final = "/mutate"
JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Target:
    """What a request line asks for. ``timeout`` is the caller's, in nanoseconds, or None."""

    known: bool
    timeout: int | None = None


@lru_cache(maxsize=256)  # the API server asks for one and the same target again and again
def target_of(raw_path: str) -> Target:
    """The target of a request line."""
    path, _, query = raw_path.partition("?")
    if path != MUTATE:
        return Target(known=False)
    timeouts = parse_qs(query).get("timeout", [""])
    return Target(known=True, timeout=parse_duration(timeouts[-1]) or None)


def refusal(target: Target, request: web.BaseRequest) -> tuple[HTTPStatus, str] | None:
    """The status and the words with which a call is refused; None for one that is read on."""
    if not target.known:
        return HTTPStatus.NOT_FOUND, f"there is nothing here; reviews are answered at {MUTATE}"
    if request.method != hdrs.METH_POST:
        return HTTPStatus.METHOD_NOT_ALLOWED, "send a review with POST"
    headers = request.headers
    if headers.get(hdrs.CONTENT_TYPE) != JSON and request.content_type != JSON:
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send a review as {JSON}"
    if headers.get(hdrs.CONTENT_ENCODING, "identity") != "identity":
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send a review uncompressed"
    return None
