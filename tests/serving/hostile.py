"""What callers do to a server that they wish ill, or that they have bugs for: each a coroutine function of a target and
a number of whatever it is many of. Each asserts what it gets back; that the server is well afterwards, its caller does.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tests.controlplane.waiting import eventually
from tests.review_sample import custom_resource, review
from tests.serving.calls import HEAD, framed, uid_of
from tests.serving.target import PATIENCE, Stream, Target, reply, well_answered

MEGABYTE: Final = 1_000_000
GOOD: Final = review()


def large(size: int) -> bytes:
    """A good review whose body has about so many bytes, in what no policy reads."""
    return review(object=custom_resource(4) | {"zz": "x" * size})


async def _allowed_or_late(stream: Stream) -> None:
    answer = await reply(stream[0])
    assert answer.status in (200, 408), answer
    if answer.status == 200:
        uid_of(answer.body)


# --- many, large, slow -----------------------------------------------------------------------------------------------


async def large_reviews_at_once(target: Target, number: int) -> None:
    """So many reviews of 1.2 MB at a time, five times."""
    body = framed(large(1_200_000))
    async with target.connections(number) as streams:
        for _ in range(5):
            for _, writer in streams:
                writer.write(body)
            for reader, _ in streams:
                well_answered(await reply(reader))


async def ends_held_back(target: Target, number: int) -> None:
    """Bodies of 30 MB without their last bytes; then those, too."""
    body = framed(large(30 * MEGABYTE))
    async with target.connections(number) as streams:
        for few in (streams[at : at + 10] for at in range(0, number, 10)):
            for _, writer in few:
                writer.write(memoryview(body)[:-100])
            await asyncio.gather(*[writer.drain() for _, writer in few])
        await target.is_well()
        for _, writer in streams:
            writer.write(body[-100:])
        await asyncio.gather(*map(_allowed_or_late, streams))


async def crowd(target: Target, number: int) -> None:
    """Connections that do nothing."""
    async with target.connections(number):
        await target.is_well()


async def crowd_at_the_probes(target: Target, number: int) -> None:
    """Connections to the probes that do nothing, or never end their call."""
    port = int(target.server.probe_url.rpartition(":")[2])
    async with target.connections(number, tls=False, port=port) as streams:
        for _, writer in streams[::2]:
            writer.write(b"GET /readyz HTTP/1.1\r\n")
        assert await eventually(lambda: asyncio.to_thread(target.server.ready), what="readiness")
        await target.is_well()


async def slow_senders(target: Target, number: int) -> None:
    """Reviews byte by byte, and headers that do not end."""
    request = framed(GOOD)
    async with target.connections(number) as streams:
        for end in range(1, 60):
            for _, writer in streams:
                writer.write(request[end - 1 : end])
            await asyncio.sleep(0)
        await target.is_well()
        for _, writer in streams[::2]:
            writer.write(request[59:])
        for reader, _ in streams[::2]:
            well_answered(await reply(reader))


async def slow_readers(target: Target, number: int) -> None:
    """Reviews with large answers that nobody reads, one behind the other."""
    request = framed(review(object=custom_resource() | {"status": {"output": "x" * 600_000}}))
    async with target.connections(number, receive=4096) as streams:

        async def pour(writer: asyncio.StreamWriter) -> None:
            with suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(2):
                    for _ in range(20):
                        writer.write(request)
                        await writer.drain()

        await asyncio.gather(*[pour(writer) for _, writer in streams])
        await target.is_well()


async def pipelining(target: Target, number: int) -> None:
    """So many reviews on one connection, sent without waiting for answers."""
    async with target.connection() as (reader, writer):
        writer.writelines(framed(review(uid=f"u-{each}")) for each in range(number))
        for each in range(number):
            well_answered(await reply(reader), f"u-{each}")


async def pipelining_without_reading(target: Target, number: int) -> None:
    """So many connections that send reviews without end and read no answer."""
    request = framed(large(100_000))
    async with target.connections(number) as streams:

        async def pour(writer: asyncio.StreamWriter) -> None:
            with suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(2):
                    while True:
                        writer.write(request)
                        await writer.drain()

        await asyncio.gather(*[pour(writer) for _, writer in streams])
        await target.is_well()


# --- gone ------------------------------------------------------------------------------------------------------------


async def hang_ups(target: Target, number: int) -> None:
    """Clients that are gone in the middle of headers, of a body, and of an answer."""
    request = framed(large(1_200_000))
    for sent in (request[:40], request[:500_000], request):
        async with target.connections(number) as streams:
            for _, writer in streams:
                writer.write(sent)
            await asyncio.gather(*[writer.drain() for _, writer in streams])
    await target.rests()


async def half_open(target: Target, number: int) -> None:
    """Connections that never begin with TLS, or break it off, or speak something else."""
    hello = bytes.fromhex("16030100c8010000c40303") + bytes(20)
    for sent in (b"", b"GET / HTTP/1.0\r\n\r\n", hello, bytes(range(256)), b"\x15\x03\x01\x00\x02\x02\x28"):
        async with target.connections(number, tls=False) as streams:
            for _, writer in streams:
                writer.write(sent)
            await target.is_well()


async def no_goodbye(target: Target, number: int) -> None:
    """Clients that are refused, and keep their side open."""
    async with target.connections(number) as streams:
        for _, writer in streams:
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        for reader, _ in streams:
            assert (await reply(reader)).status == 404
        await target.is_well()


# --- odd -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Odd:
    """One odd call: its bytes, and the statuses that it may be answered with; 0 is the end of the connection."""

    name: str
    sent: bytes
    statuses: tuple[int, ...]


def _chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n", head: bytes = HEAD) -> bytes:
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(chunks) + end


def _chunk(data: bytes, line: bytes = b"%x\r\n") -> bytes:
    return line % len(data) + data + b"\r\n"


def _with(header: bytes, body: bytes = GOOD) -> bytes:
    return framed(body).replace(b"\r\n\r\n", b"\r\n" + header + b"\r\n\r\n", 1)


_LENGTH: Final = b"Content-Length: %d\r\n" % len(GOOD)
_SINGLE: Final = [_chunk(GOOD[at : at + 1]) for at in range(len(GOOD))]
_LATE: Final = GOOD.replace(b'"dryRun":false', b'"zz":"' + b"y" * MEGABYTE + b'\xff","dryRun":false')
_NESTED: Final = review(object="X").replace(b'"X"', b"[" * 100_000 + b"]" * 100_000)
_UNCLOSED: Final = review(object="X").replace(b'"X"', b'{"a":' * 100_000)

ODD: Final[tuple[Odd, ...]] = (
    Odd("a review", framed(GOOD), (200,)),
    Odd("a body of gzip", framed(gzip.compress(GOOD)), (400,)),
    Odd("a compressed review", _with(b"Content-Encoding: gzip", gzip.compress(GOOD)), (415,)),
    Odd("a bomb", _with(b"Content-Encoding: gzip", gzip.compress(bytes(30 * MEGABYTE))), (415,)),
    Odd("GET", framed(GOOD).replace(b"POST", b"GET", 1), (405,)),
    Odd("TRACE", framed(GOOD).replace(b"POST", b"TRACE", 1), (400, 405)),
    Odd("CONNECT", b"CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n", (400, 404, 405)),
    Odd("a method of its own", framed(GOOD).replace(b"POST", b"BREW", 1), (400, 405)),
    Odd("a method in lower case", framed(GOOD).replace(b"POST", b"post", 1), (400, 405)),
    Odd("another path", framed(GOOD).replace(b"/mutate", b"/", 1), (404,)),
    Odd("a path with dots", framed(GOOD).replace(b"/mutate", b"/x/../mutate", 1), (404,)),
    Odd("a path that is none", framed(GOOD).replace(b"/mutate", b"mutate", 1), (400, 404)),
    Odd("a path with NUL", framed(GOOD).replace(b"/mutate", b"/mut\x00ate", 1), (400, 404)),
    Odd("a path of 100 kB", framed(GOOD).replace(b"/mutate", b"/" + b"x" * 100_000, 1), (400,)),
    Odd("a target with a host", framed(GOOD).replace(b"/mutate", b"https://x/mutate", 1), (200, 404)),
    Odd("an asterisk", b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", (400, 404, 405)),
    Odd("HTTP/2", _with(b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA"), (200, 400)),
    Odd("an upgrade to a web socket", _with(b"Connection: Upgrade\r\nUpgrade: websocket"), (200, 400)),
    Odd("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400,)),
    Odd("HTTP/0.9", b"GET /mutate\r\n\r\n", (400, 405)),
    Odd("HTTP/1.0", framed(GOOD).replace(b"HTTP/1.1", b"HTTP/1.0", 1), (200,)),
    Odd("HTTP/1.9", framed(GOOD).replace(b"HTTP/1.1", b"HTTP/1.9", 1), (200, 400)),
    Odd("HTTP/11", framed(GOOD).replace(b"HTTP/1.1", b"HTTP/11", 1), (400,)),
    Odd("no host", framed(GOOD).replace(b"Host: x\r\n", b"", 1), (200, 400)),
    Odd("nothing", b"\r\n\r\n" * 10 + b"x\r\n\r\n", (400,)),
    Odd("binary", bytes(range(256)), (400,)),
    Odd("200 headers", HEAD + b"X-A: b\r\n" * 200 + _LENGTH + b"\r\n" + GOOD, (400,)),
    Odd("a header of 100 kB", HEAD + b"X-A: " + b"b" * 100_000 + b"\r\n" + _LENGTH + b"\r\n" + GOOD, (400,)),
    Odd("a folded header", HEAD + b"X-A: b\r\n c\r\n" + _LENGTH + b"\r\n" + GOOD, (200, 400)),
    Odd("a blank before the colon", HEAD + b"Content-Length : 5\r\n\r\nhello", (400,)),
    Odd("a bare line feed", framed(GOOD).replace(b"\r\n", b"\n", 4), (200, 400)),
    Odd("two lengths that agree", HEAD + _LENGTH + _LENGTH + b"\r\n" + GOOD, (200, 400)),
    Odd("two lengths that differ", HEAD + b"Content-Length: 5\r\n" + _LENGTH + b"\r\n" + GOOD, (400,)),
    Odd("a list of lengths", HEAD + b"Content-Length: 5, 5\r\n\r\nhello", (400,)),
    Odd("a negative length", HEAD + b"Content-Length: -1\r\n\r\n", (400,)),
    Odd("a signed length", HEAD + b"Content-Length: +5\r\n\r\nhello", (400,)),
    Odd("a length in hex", HEAD + b"Content-Length: 0x5\r\n\r\nhello", (400,)),
    Odd("a length beyond 64 bits", HEAD + b"Content-Length: 99999999999999999999\r\n\r\n", (400,)),
    Odd("a length of a petabyte", HEAD + b"Content-Length: 1000000000000000\r\n\r\n", (413,)),
    Odd("no length", HEAD + b"\r\n", (400,)),
    Odd("a length and chunks", _chunked(_chunk(GOOD), head=HEAD + b"Content-Length: 5\r\n"), (400,)),
    Odd("chunks twice", _chunked(_chunk(GOOD), head=HEAD + b"Transfer-Encoding: chunked\r\n"), (400,)),
    Odd("identity in chunks", _chunked(_chunk(GOOD)).replace(b": chunked", b": chunked, identity", 1), (400,)),
    Odd("chunks of gzip", _chunked(_chunk(GOOD)).replace(b": chunked", b": gzip, chunked", 1), (200, 400, 415)),
    Odd("chunks with a vertical tab", _chunked(_chunk(GOOD)).replace(b": chunked", b": \x0bchunked", 1), (400,)),
    Odd("a transfer encoding of its own", _chunked(_chunk(GOOD)).replace(b": chunked", b": xchunked", 1), (400,)),
    Odd("a chunk", _chunked(_chunk(GOOD)), (200,)),
    Odd("chunks of a byte", _chunked(*_SINGLE), (200,)),
    Odd("a chunk with extensions", _chunked(_chunk(GOOD, b'%x;a=b;c="d"\r\n')), (200, 400)),
    Odd("a chunk with an extension of 100 kB", _chunked(_chunk(GOOD, b"%x;" + b"a" * 100_000 + b"\r\n")), (200, 400)),
    Odd("a chunk with zeros before its size", _chunked(_chunk(GOOD, b"00000%x\r\n")), (200, 400)),
    Odd("a chunk in upper case", _chunked(_chunk(GOOD, b"%X\r\n")), (200,)),
    Odd("a trailer", _chunked(_chunk(GOOD), end=b"0\r\nX-A: b\r\n\r\n"), (200, 400)),
    Odd("a chunk of 2^64", _chunked(b"10000000000000005\r\nhello\r\n"), (400,)),
    Odd("a negative chunk", _chunked(b"-5\r\nhello\r\n"), (400,)),
    Odd("a chunk that is longer than it says", _chunked(b"3\r\nhello\r\n"), (400,)),
    Odd("a chunk without a size", _chunked(b"\r\nhello\r\n"), (400,)),
    Odd("a request behind chunks", _chunked(_chunk(GOOD), end=b"0\r\n\r\nGET /mutate HTTP/1.1\r\n"), (200,)),
    Odd("too many bytes", framed(GOOD) + b"more\r\n\r\n", (200, 400)),
    Odd("an expectation", HEAD + b"Expect: 100-continue\r\n" + _LENGTH + b"\r\n" + GOOD, (100, 200)),
    Odd("an expectation of its own", HEAD + b"Expect: tea\r\n" + _LENGTH + b"\r\n" + GOOD, (200, 417)),
    Odd("an expectation of too much", HEAD + b"Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n", (413,)),
    Odd("deep nesting", framed(_NESTED), (200,)),
    Odd("nesting that does not end", framed(_UNCLOSED), (200,)),
    Odd("bad UTF-8 found late", framed(_LATE), (200,)),
    Odd("bad UTF-8 in the status", framed(GOOD.replace(b"phase change 3", b"phase \xff\xfe 3")), (200,)),
    Odd("lone surrogates", framed(GOOD.replace(b"phase change 3", rb"phase \ud800 3")), (200,)),
    Odd("a mark of the byte order", framed(b"\xef\xbb\xbf" + GOOD), (200, 400)),
    Odd("30 MB of blanks", framed(b" " * 30 * MEGABYTE), (400,)),
    Odd("too long by its length", framed(b" " * 40 * MEGABYTE), (413,)),
    Odd("too long in chunks", _chunked(*[_chunk(b" " * MEGABYTE)] * 40), (413,)),
)  # fmt: skip


async def odd_call(target: Target, odd: Odd) -> None:
    """Send it; the answer must be one that it may get, and whole."""
    answer = await target.exchange(odd.sent)
    assert (0 if answer is None else answer.status) in odd.statuses, (odd.name, answer)
    if answer is not None and answer.status == 200:
        assert json.loads(answer.body)["response"]["allowed"] is True


async def whatever_is_odd(target: Target, number: int) -> None:
    """All of it, so many times."""
    for odd in ODD * number:
        await odd_call(target, odd)


MIXES: Final[dict[str, tuple[Callable[[Target, int], Awaitable[None]], int, int]]] = {
    "large reviews at once": (large_reviews_at_once, 8, 8),
    "ends held back": (ends_held_back, 10, 100),
    "a crowd": (crowd, 300, 5_000),
    "a crowd at the probes": (crowd_at_the_probes, 200, 1_000),
    "slow senders": (slow_senders, 100, 900),
    "slow readers": (slow_readers, 40, 400),
    "pipelining": (pipelining, 1_000, 1_000),
    "pipelining without reading": (pipelining_without_reading, 20, 200),
    "hang-ups": (hang_ups, 20, 100),
    "half open": (half_open, 40, 400),
    "no goodbye": (no_goodbye, 40, 400),
    "whatever is odd": (whatever_is_odd, 1, 1),
}
"""Each with how many in a test, and how many when it is measured."""


async def quiet(target: Target) -> None:
    """Wait for the end of a mix, and assert that the server is well."""
    async with asyncio.timeout(2 * PATIENCE):
        await target.rests()
        await target.is_well()
        assert await eventually(lambda: asyncio.to_thread(target.server.ready), what="readiness")
