"""Answers are read as servers send them: with a length or in chunks, in pieces of any size."""

from __future__ import annotations

import pytest

from tests.bench.wire import Incoming, Reply

COUNTED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\nhello world"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n"


@pytest.mark.parametrize("answer", [COUNTED, CHUNKED], ids=["counted", "chunked"])
@pytest.mark.parametrize("piece", [1, 7, 1_000])
def test_an_answer_is_complete_with_its_last_byte(answer: bytes, piece: int) -> None:
    incoming = Incoming()
    pieces = [answer[start : start + piece] for start in range(0, len(answer), piece)]
    replies = [incoming.feed(part) for part in pieces]
    assert replies == [None] * (len(pieces) - 1) + [Reply(200, b"hello world")]


def test_one_connection_reads_answer_after_answer() -> None:
    incoming = Incoming()
    assert [incoming.feed(answer) for answer in (COUNTED, CHUNKED, COUNTED)] == [Reply(200, b"hello world")] * 3


def test_an_error_has_its_status() -> None:
    assert Incoming().feed(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n") == Reply(413, b"")


def test_more_bytes_than_promised_are_an_error() -> None:
    with pytest.raises(ValueError, match="2 bytes more"):
        Incoming().feed(COUNTED + b"!!")
