"""Accepts connections, as long as that leaves file descriptors for everything else."""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

SPARE_DESCRIPTORS: Final = 64
"""Kept free of reviews: some dozens of probes and scrapes at once, the files of policies and certificates, the logs."""

_SHORTAGE: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_RETRY: Final = 1.0  # seconds to wait when not even the spare ones are free; asyncio's own servers wait as long


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

    A connection whose descriptor would reach ``most`` is closed at once, and ``on_full`` is called: the API server
    then lets the write pass, while one that waits to be accepted would keep it waiting until its timeout.
    """

    def __init__(
        self, protocols: Callable[[], asyncio.Protocol], most: int, on_full: Callable[[], None], **options: Any
    ) -> None:
        """``options`` go to ``loop.connect_accepted_socket`` (``ssl``, ``ssl_handshake_timeout``)."""
        self._protocols = protocols
        self._most = most
        self._on_full = on_full
        self._options = options
        self._sockets: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self._connecting: set[asyncio.Task[None]] = set()

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
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError as error:
                if error.errno in _SHORTAGE:
                    self._on_full()
                    await asyncio.sleep(_RETRY)
                continue  # else the caller was gone before its turn
            if connection.fileno() >= self._most:
                connection.close()
                self._on_full()
            else:
                task = loop.create_task(self._connect(connection))
                self._connecting.add(task)
                task.add_done_callback(self._connecting.discard)
            await asyncio.sleep(0)  # callers that come in crowds do not keep the others waiting

    async def _connect(self, connection: socket.socket) -> None:
        with suppress(OSError):  # also of TLS: who cannot shake hands, or takes too long for it, is let go
            connection.setblocking(False)
            await asyncio.get_running_loop().connect_accepted_socket(self._protocols, connection, **self._options)


def _bound(family: int, address: Any, backlog: int) -> socket.socket:
    created = socket.create_server(address, family=family, backlog=backlog)
    created.setblocking(False)
    return created
