"""The moment at which samples are judged, and times around it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from admission.engine.instant import SECOND

NOW_TEXT: Final = "2026-01-01T12:00:00Z"
NOW: Final = 1_767_268_800 * SECOND
"""Always the same: what is judged today is judged so tomorrow. Nanoseconds since the epoch."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_AGO: Final = 100 * 365 * 86_400


def rfc3339(at: int, *, fraction: bool = False) -> str:
    """A time as Kubernetes writes it; what lies more than a century back is a century back."""
    seconds = max(at, NOW - _LONGEST_AGO * SECOND) // SECOND
    moment = _EPOCH + timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}{'.250000' if fraction else ''}Z"
