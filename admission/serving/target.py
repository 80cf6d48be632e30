"""What a call asks for, and why it is refused before its body is read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from aiohttp import hdrs, web

from admission.engine.instant import parse_duration
from admission.handler import Phase

MUTATE: Final = "/mutate"
VALIDATE: Final = "/validate"
_PHASES: Final = {MUTATE: Phase.MUTATING, VALIDATE: Phase.VALIDATING}
JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Target:
    """What a request line asks for: a review of a ``phase``, or (None) something that is not here.

    ``timeout`` is the caller's, in nanoseconds, or None.
    """

    phase: Phase | None
    timeout: int | None = None


@lru_cache(maxsize=256)  # the API server asks for one and the same target again and again
def target_of(raw_path: str) -> Target:
    """The target of a request line."""
    path, _, query = raw_path.partition("?")
    phase = _PHASES.get(path)
    if phase is None:
        return Target(None)
    timeouts = parse_qs(query).get("timeout", [""])
    return Target(phase, timeout=parse_duration(timeouts[-1]) or None)


def refusal(target: Target, request: web.BaseRequest) -> tuple[HTTPStatus, str] | None:
    """The status and the words with which a call is refused; None for one that is read on."""
    if target.phase is None:
        return HTTPStatus.NOT_FOUND, f"there is nothing here; reviews are answered at {MUTATE} and {VALIDATE}"
    if request.method != hdrs.METH_POST:
        return HTTPStatus.METHOD_NOT_ALLOWED, "send a review with POST"
    headers = request.headers
    if headers.get(hdrs.CONTENT_TYPE) != JSON and request.content_type != JSON:
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send a review as {JSON}"
    if headers.get(hdrs.CONTENT_ENCODING, "identity") != "identity":
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send a review uncompressed"
    return None
