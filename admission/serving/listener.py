"""Accepts connections, as long as that leaves file descriptors for everything else."""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from admission.serving.connection import SLOW, Closed, Witness
from admission.serving.connections import Connections

SPARE_DESCRIPTORS: Final = 64
"""Kept free of reviews: some dozens of probes and scrapes at once, the files of policies and certificates, the logs."""

CROWD: Final = 64
"""Connections from which on each gets a receive buffer of :data:`NARROW`: three API servers have 20 each by then."""

NARROW: Final = 64_000
"""Bytes that the system keeps of what a client in a crowd sends, and that are read at once: TLS buffers grow to four
times of that where reading pauses, and stay so, while they grow to a megabyte where the system decides. Large reviews
cost a sixth more so, which is why the first connections are spared it."""

_SHORTAGE: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_RETRY: Final = 1.0  # seconds to wait when not even the spare ones are free; asyncio's own servers wait as long
_FIRST_RETRY: Final = 0.01  # after any other failure, doubled with each in a row: what is passing keeps nobody waiting
_MOST_DOUBLINGS: Final = 7  # 1.28 s


def most_descriptors() -> int:
    """The number that no connection for reviews may reach, by this process's limit of open files.

    The system gives the lowest free number to what is opened: as long as no connection has a number from here on,
    at least :data:`SPARE_DESCRIPTORS` are free for others, whatever else is open. A limit too low for that is halved.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return 2**31
    return max(limit - SPARE_DESCRIPTORS, limit // 2)


class Listener:
    """Listens on every address of a host and hands connections to protocols.

    When there are ``most`` of them, one that is missed less makes room; when there is none, or a connection has a
    descriptor from ``descriptors`` on, the new one is closed at once. The API server takes that like a refused
    connection and lets the write pass within milliseconds, while one that waits to be accepted, or to be told so over
    TLS, would keep it waiting until its timeout.
    """

    def __init__(
        self,
        connections: Connections,
        witness: Witness,
        *,
        most: int,
        descriptors: int,
        monotonic: Callable[[], int] = time.monotonic_ns,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
        **options: Any,
    ) -> None:
        """``options`` go to ``loop.connect_accepted_socket`` (``ssl``, ``ssl_handshake_timeout``).

        ``pause`` waits for seconds after a connection could not be accepted.
        """
        self._connections = connections
        self._witness = witness
        self._most = most
        self._descriptors = descriptors
        self._monotonic = monotonic
        self._pause = pause
        self._options = options
        self._sockets: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self._connecting: dict[asyncio.Task[None], int] = {}
        """Those that shake hands, and since when: the oldest first."""

    def secure(self, context: ssl.SSLContext) -> None:
        """Shake hands by this context from the next connection on."""
        self._options["ssl"] = context

    async def listen(self, host: str, port: int, backlog: int) -> Sequence[socket.socket]:
        """Start to accept; returns the sockets that are bound.

        Raises:
            OSError: an address cannot be found or bound; then none is.
        """
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        try:
            for family, _, _, _, address in dict.fromkeys(found):
                self._sockets.append(_bound(family, address, backlog))
        except OSError:
            self.close()
            raise
        self._accepting += [loop.create_task(self._accept(each)) for each in self._sockets]
        return self._sockets

    def close(self) -> None:
        """Accept no more; connections that are open stay."""
        for task in self._accepting:
            task.cancel()
        for each in self._sockets:
            each.close()

    async def _accept(self, listening: socket.socket) -> None:
        loop, failures = asyncio.get_running_loop(), 0
        while True:
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError as error:
                failures += 1
                await self._pause(self._until_next_try(error, failures))
                continue
            failures = 0
            self._take(connection)
            await asyncio.sleep(0)  # callers that come in crowds do not keep the others waiting

    def _until_next_try(self, error: OSError, failures: int) -> float:
        """Tell why a connection could not be accepted, for so many times in a row; seconds to wait."""
        if error.errno == errno.ECONNABORTED:  # the caller was gone before its turn, and is out of the queue
            return 0
        if error.errno in _SHORTAGE:
            self._witness.closed(Closed.DESCRIPTORS)
            return _RETRY
        self._witness.not_accepted(error)
        return min(_RETRY, _FIRST_RETRY * (1 << min(failures - 1, _MOST_DOUBLINGS)))

    def _take(self, connection: socket.socket) -> None:
        refusal = self._refusal(connection)
        if refusal is None:
            self._narrow(connection)
            task = asyncio.get_running_loop().create_task(self._connect(connection))
            self._connecting[task] = self._monotonic()
            task.add_done_callback(self._connected)
        else:
            connection.close()
            self._witness.closed(refusal)

    def _connected(self, task: asyncio.Task[None]) -> None:
        self._connecting.pop(task, None)

    def _narrow(self, connection: socket.socket) -> None:
        """Let a connection in a crowd take less memory."""
        if self._there >= CROWD:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, NARROW)

    @property
    def _there(self) -> int:
        return len(self._connecting) + self._connections.open

    def _refusal(self, connection: socket.socket) -> Closed | None:
        if connection.fileno() >= self._descriptors:
            self._make_room()  # for the next
            return Closed.DESCRIPTORS
        if self._there >= self._most and not self._make_room():
            return Closed.MAX_CONNECTIONS
        return None

    def _make_room(self) -> bool:
        """Who takes long over TLS has nothing to lose yet."""
        oldest = next(iter(self._connecting.items()), None)
        if oldest is not None and oldest[1] < self._monotonic() - SLOW:
            task, _ = oldest
            task.cancel()
            del self._connecting[task]
            return True
        return self._connections.make_room()

    async def _connect(self, connection: socket.socket) -> None:
        try:
            connection.setblocking(False)
            await asyncio.get_running_loop().connect_accepted_socket(self._connections, connection, **self._options)
        except ssl.SSLError as error:
            self._witness.closed(Closed.HANDSHAKE, error.reason or "")
        except (OSError, asyncio.CancelledError):  # who is gone, or takes too long
            self._witness.closed(Closed.HANDSHAKE)


def _bound(family: int, address: Any, backlog: int) -> socket.socket:
    created = socket.create_server(address, family=family, backlog=backlog)
    created.setblocking(False)
    return created
