"""All connections of a port: how many there may be, for how long each is used, and which one makes room."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from aiohttp import web

from admission.engine.instant import SECOND
from admission.serving.connection import SLOW, Closed, Connection, Patience, Witness
from admission.serving.inflight import InFlight

JITTER: Final = 0.2
"""Share by which the ages of connections differ, so that those opened together do not end together."""

PIECE: Final = 1 << 18
"""Bytes that are read at once, at most."""

_LINGERING: Final = 2.0  # seconds that a refused body is read on, so that the refusal arrives before the end
_NEVER: Final = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On which terms connections are kept. Times are seconds; ``age`` 0 is for ever."""

    keep_alive: float
    patience: Patience
    age: float = 0.0


class Connections(web.Server):
    """Makes connections and keeps track of them."""

    def __init__(
        self,
        answer: Any,
        terms: Terms,
        in_flight: InFlight,
        witness: Witness,
        *,
        monotonic: Callable[[], int] = time.monotonic_ns,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """``answer`` is the coroutine function that answers calls; ``chance`` gives numbers from 0 to 1."""
        super().__init__(answer)
        self._terms = terms
        self._in_flight = in_flight
        self._witness = witness
        self._monotonic = monotonic
        self._chance = chance

    def __call__(self) -> Connection:
        return Connection(
            self,
            self._terms.patience,
            self._in_flight,
            self._witness,
            self._monotonic,
            self._expiry(),
            loop=asyncio.get_running_loop(),
            keepalive_timeout=self._terms.keep_alive,
            access_log=None,
            lingering_time=_LINGERING,
            read_bufsize=PIECE,
            auto_decompress=False,
        )

    @property
    def open(self) -> int:
        """How many there are, without those that still shake hands."""
        return len(self._connections)

    def make_room(self) -> bool:
        """Close the connection that is missed least; False when each of them is in the middle of a call.

        That is the one that has been idle for longest, or one whose client has been slow for :data:`SLOW`.
        """
        crowd = cast("list[Connection]", self.connections)
        least = min(crowd, key=_merit, default=None)
        if least is None or not (least.idle or least.since < self._monotonic() - SLOW):
            return False
        least.end(Closed.MAX_CONNECTIONS)
        return True

    def _expiry(self) -> int:
        if not self._terms.age:
            return _NEVER
        return self._monotonic() + int(self._terms.age * SECOND * (1 + JITTER * (2 * self._chance() - 1)))


def _merit(connection: Connection) -> tuple[bool, int]:
    return not connection.idle, connection.since
