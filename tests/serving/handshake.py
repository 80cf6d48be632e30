"""A handshake without a network."""

from __future__ import annotations

import ssl


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> str | None:
    """Shake hands; returns the protocol's version.

    Raises:
        ssl.SSLError: one of them refuses the other.
    """
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    serving = server.wrap_bio(to_server, to_client, server_side=True)
    calling = client.wrap_bio(to_client, to_server, server_hostname=name)
    for _ in range(3):
        for end in (calling, serving):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return calling.version()
