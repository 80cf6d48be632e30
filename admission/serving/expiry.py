"""Warns of a certificate that nobody renews, as long as there is time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from admission.handler import Clock
from admission.observe.processlog import ProcessLog
from admission.serving.tls import Secured, utc_datetime

SOON: Final = timedelta(days=7)
"""Before the end; cert-manager renews 30 days before the end of its 90."""

SHARE: Final = 5
"""Of a certificate that lives shorter, the last fifth."""

AGAIN: Final = timedelta(days=1)
LOOK_EVERY: Final = 60.0  # seconds


class Standing(StrEnum):
    """What there is to say of a certificate, as the message of a log line."""

    FINE = "certificate is valid"
    EXPIRES_SOON = "certificate expires soon"
    EXPIRED = "certificate has expired"


def standing(begins: datetime, expires: datetime, at: datetime) -> Standing:
    """How a certificate stands at a time."""
    if at > expires:
        return Standing.EXPIRED
    return Standing.EXPIRES_SOON if expires - at < min(SOON, (expires - begins) / SHARE) else Standing.FINE


class Expiry:
    """Says once a day, and when it gets worse, how a certificate stands that is not fine."""

    def __init__(self, secured: Callable[[], Secured], process: ProcessLog, clock: Clock) -> None:
        """``secured`` is what is served with at the time of asking."""
        self._secured = secured
        self._process = process
        self._clock = clock
        self._told = Standing.FINE
        self._told_at: datetime | None = None

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_EVERY)

    def look(self) -> None:
        """Say how the certificate stands now, if that is news."""
        at, secured = utc_datetime(self._clock()), self._secured()
        now = standing(secured.begins, secured.expires, at)
        if now is self._told and (self._told_at is None or at - self._told_at < AGAIN):
            return
        self._told, self._told_at = now, at
        if now is Standing.FINE:
            self._told_at = None
        else:
            self._process.warning(now, expires=secured.expires, consequence=_CONSEQUENCE[now])


_CONSEQUENCE: Final = {
    Standing.EXPIRES_SOON: "after that the API server calls no more, and writes pass untrimmed; renew it",
    Standing.EXPIRED: "the API server calls no more, and writes pass untrimmed; renew it",
}
