"""Calls as bytes on a connection, and what is read of their answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.review_sample import UID

HEAD = b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def uid_of(body: bytes) -> str:
    response: dict[str, Any] = json.loads(body)["response"]
    assert response["allowed"] is True
    uid: str = response["uid"]
    return uid


def framed(body: bytes) -> bytes:
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def content_length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])


async def answered(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert uid_of(await reader.readexactly(content_length(head))) == UID
