"""Ports and probes on loopback, where all traffic of a control plane stays."""

from __future__ import annotations

import http.client
import random
import socket
import ssl
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

HOST = "127.0.0.1"
# Below the ports the kernel gives to outgoing connections (32768 on Linux), so that a restarted server finds its port
# free, and above the ones services are known by.
PORTS = range(20_000, 32_000)
PROBE_WITHIN = 2.0  # seconds; kube-apiserver itself gives its etcd check 2 s


class Reply(NamedTuple):
    """Status and body of an answer."""

    status: int
    body: bytes


def ask(url: str, path: str, *, ca: Path | None = None, token: str = "", body: bytes | None = None) -> Reply:
    """Return the answer to one GET (POST when there is a ``body``), status 0 when nobody answers. No proxy is asked."""
    connection = connect(url, ca)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        connection.request("GET" if body is None else "POST", path, body=body, headers=headers)
        response = connection.getresponse()
        return Reply(response.status, response.read())
    except (OSError, http.client.HTTPException):
        return Reply(0, b"")
    finally:
        connection.close()


def connect(url: str, ca: Path | None) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    if ca is None:
        return http.client.HTTPConnection(HOST, parts.port, timeout=PROBE_WITHIN)
    context = ssl.create_default_context(cafile=str(ca))
    return http.client.HTTPSConnection(HOST, parts.port, timeout=PROBE_WITHIN, context=context)


def free_port() -> int:
    """Return a loopback port nobody listens on now, at random so that two runs rarely choose the same."""
    for port in random.sample(PORTS, k=100):
        if is_free(port):
            return port
    raise OSError(f"no free port among 100 tried in {PORTS.start}-{PORTS.stop - 1} on {HOST}")


def is_free(port: int) -> bool:
    """True when a server could listen on the loopback port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def port_of(url: str) -> int:
    return urlsplit(url).port or 0
