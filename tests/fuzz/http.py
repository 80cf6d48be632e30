"""Mangled HTTP against a server in a process of its own: it must neither break, nor answer nonsense, nor keep anything.

Each call has a number of its own from which it is made anew. It is sent on a connection of its own, in pieces, with a
good review behind it: either that one is answered, too, or the connection ends.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.controlplane.waiting import eventually
from tests.e2e.product import Statuscap
from tests.fuzz.review import STRIDE
from tests.review_sample import review
from tests.serving.calls import framed
from tests.serving.target import POLICY, Reply, Stream, Target, reply, well_answered

LAST: Final = "the-last-one"
AT_ONCE: Final = 32
GOOD_EVERY: Final = 25
STATUSES: Final = frozenset({100, 200, 400, 404, 405, 408, 413, 415, 417})
CAUSES: Final = frozenset({"bad_review", "undecodable", "too_deep", "bad_document", "too_many_connections"})
"""Faults that a caller can be blamed for."""

# A client that leaves something out is let go soon, so that a run does not wait for it
FLAGS: Final = ("--header-timeout", "300ms", "--body-timeout", "300ms")
_LONGEST: Final = 10_000  # bytes of what is repeated: a thousand reviews in a call would be a test of patience
_WITHIN: Final = 60.0  # seconds for an answer or an end, on a busy machine
_BEHIND: Final = framed(review(uid=LAST))
_LINE: Final = b"\r\n"
_END: Final = b"\r\n\r\n"
_WORDS: Final = (
    b"", b" ", b"\t", b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b":", b";", b",", b"-1", b"0", b"+1", b"0x10", b"1e3",
    b"99999999999999999999", b"chunked", b"gzip", b"HTTP/0.9", b"HTTP/1.0", b"HTTP/1.1", b"HTTP/2.0",
    b"GET", b"POST", b"PRI", b"CONNECT", b"Host: x", b"Content-Length: 5", b"Transfer-Encoding: chunked", b"%00", b"..",
    b"Connection: close", b"Connection: upgrade", b"Upgrade: websocket", b"Expect: 100-continue", b"\xff", b"\xc3\x28",
    b"Content-Encoding: gzip", b"?timeout=1s", b"?timeout=-1s", b"http://x/mutate", b"*", b"{", b'"', b"\\u",
)  # fmt: skip


@dataclass(slots=True)
class HttpSummary:
    """What a run found. ``failures`` say what is wrong, and with which call."""

    calls: int = 0
    good: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        shares = ", ".join(f"{count} {name}" for name, count in self.answers.most_common())
        return f"{self.calls} mangled calls ({shares}), {self.good} good ones: {len(self.failures)} failed"


# --- making a call ---------------------------------------------------------------------------------------------------


def call(seed: int, number: int) -> tuple[bytes, ...]:
    """The pieces of a mangled call."""
    chance = random.Random(seed * STRIDE + number)
    sent = _form(chance)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        sent = chance.choice(MANGLINGS)(chance, sent)
    cuts = sorted(chance.randrange(len(sent) + 1) for _ in range(chance.choice((0, 0, 1, 3))))
    return tuple(sent[start:end] for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True))


def _form(chance: random.Random) -> bytes:
    """A good review in one of the forms that HTTP has for it."""
    whole = framed(review(uid=f"u-{chance.randrange(1_000)}"))
    head, _, body = whole.partition(_END)
    form = chance.randrange(4)
    if form == 0:
        size = chance.choice((1, 7, 100, 1_000, 10_000))
        chunks = [body[at : at + size] for at in range(0, len(body), size)]
        lines = head.split(_LINE)[:-1]
        framing = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
        return _LINE.join([*lines, b"Transfer-Encoding: chunked"]) + _END + framing + b"0\r\n\r\n"
    if form == 1:
        return head + b"\r\nExpect: 100-continue" + _END + body
    return whole


def _flip_bits(chance: random.Random, sent: bytes) -> bytes:
    flipped = bytearray(sent)
    for _ in range(chance.choice((1, 1, 8))):
        if flipped:
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _flip_head(chance: random.Random, sent: bytes) -> bytes:
    head, _, body = sent.partition(_END)
    return _flip_bits(chance, head) + _END + body


def _cut(chance: random.Random, sent: bytes) -> bytes:
    return sent[: chance.randrange(len(sent) + 1)]


def _leave_out(chance: random.Random, sent: bytes) -> bytes:
    start = chance.randrange(len(sent) + 1)
    return sent[:start] + sent[start + chance.choice((1, 2, 10, 200)) :]


def _insert(chance: random.Random, sent: bytes) -> bytes:
    at = chance.randrange(min(len(sent), chance.choice((200, len(sent) or 1))) + 1)
    return sent[:at] + chance.choice(_WORDS) * chance.choice((1, 1, 3)) + sent[at:]


def _bend_length(chance: random.Random, sent: bytes) -> bytes:
    length = b"Content-Length: %d" % (len(sent.partition(_END)[2]) + chance.choice((-1, 1, -100, 100, 10**6, 10**9)))
    lines = [length if line.startswith(b"Content-Length") else line for line in sent.split(_LINE)]
    return _LINE.join(lines)


def _shuffle_lines(chance: random.Random, sent: bytes) -> bytes:
    head, _, body = sent.partition(_END)
    lines = head.split(_LINE)
    kind = chance.randrange(3)
    if kind == 0:
        chance.shuffle(lines)
    elif kind == 1:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
    else:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(_WORDS))
    return _LINE.join(lines) + _END + body


def _replace_word(chance: random.Random, sent: bytes) -> bytes:
    head, _, body = sent.partition(_END)
    words = head.split(b" ")
    words[chance.randrange(len(words))] = chance.choice(_WORDS)
    return b" ".join(words) + _END + body


def _surround(chance: random.Random, sent: bytes) -> bytes:
    garbage = chance.choice((chance.randbytes(chance.choice((1, 50, 5_000))), chance.choice(_WORDS), sent[:100]))
    return garbage + sent if chance.random() < 0.5 else sent + garbage


def _twice(chance: random.Random, sent: bytes) -> bytes:
    return sent * chance.choice((2, 3, 40)) if len(sent) < _LONGEST else sent


MANGLINGS: Final[tuple[Callable[[random.Random, bytes], bytes], ...]] = (
    _flip_bits, _flip_head, _cut, _leave_out, _insert, _bend_length, _shuffle_lines, _replace_word, _surround, _twice,
)  # fmt: skip


# --- sending and judging ---------------------------------------------------------------------------------------------


def run_http(seed: int, numbers: Sequence[int], on_call: Callable[[], None] = lambda: None) -> HttpSummary:
    """Send the calls of these numbers to a server that is started for it, and judge its answers, its log, its end."""
    summary = HttpSummary()
    with Statuscap([POLICY], flags=FLAGS) as server:
        asyncio.run(_run(Target(server), seed, numbers, summary, on_call))
        summary.failures += _of_the_end(server)
    return summary


async def _run(
    target: Target, seed: int, numbers: Sequence[int], summary: HttpSummary, on_call: Callable[[], None]
) -> None:
    await target.is_well()
    opened = _sockets(target)
    waiting = iter(numbers)

    async def caller() -> None:
        for number in waiting:
            await _call_and_judge(target, seed, number, summary)
            if number % GOOD_EVERY == 0:
                await _good(target, number, summary)
            on_call()

    await asyncio.gather(*[caller() for _ in range(AT_ONCE)])
    await target.rests()

    async def closed() -> bool:
        return _sockets(target) <= opened

    try:
        await eventually(closed, within=_WITHIN, what="the end of all connections")
    except TimeoutError as error:
        summary.failures.append(f"leak: {error}")


def _sockets(target: Target) -> int:
    links = (str(path.readlink()) for path in Path(f"/proc/{target.server.pid}/fd").iterdir())
    return sum(1 for link in links if link.startswith("socket:"))


async def _good(target: Target, number: int, summary: HttpSummary) -> None:
    summary.good += 1
    try:
        await target.is_well()
    except Exception as error:  # whatever it is, the run goes on
        summary.failures.append(f"the good review after call {number}: {error!r}")


async def _call_and_judge(target: Target, seed: int, number: int, summary: HttpSummary) -> None:
    summary.calls += 1
    try:
        async with asyncio.timeout(_WITHIN), target.connection() as stream:
            answers = await _exchange(stream, call(seed, number))
    except Exception as error:  # an answer that is none, or neither an answer nor an end
        summary.failures.append(f"call {number} of seed {seed}: {error!r}")
        return
    summary.answers.update(str(answer.status) for answer in answers[:1] or [Reply(0, {}, b"")])
    for answer in answers:
        summary.failures += [f"call {number} of seed {seed}: {wrong}" for wrong in wrong_with(answer)]


async def _exchange(stream: Stream, pieces: Sequence[bytes]) -> list[Reply]:
    """Every answer until that to the good review behind the call, or until the connection ends."""
    reader, writer = stream
    with suppress(ConnectionError):
        for piece in (*pieces, _BEHIND):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
    answers: list[Reply] = []
    with suppress(ConnectionError):
        while not answers or LAST.encode() not in answers[-1].body:
            try:
                answers.append(await reply(reader))
            except asyncio.IncompleteReadError as error:
                if error.partial and not reader.exception():
                    raise
                break
    return answers


def wrong_with(answer: Reply) -> Iterator[str]:
    """What is wrong with an answer, whatever was asked."""
    if answer.status not in STATUSES:
        yield f"status {answer.status}"
    if answer.status != 200:
        return
    try:
        body = json.loads(answer.body)
        response = body["response"]
        if (body["kind"], body["apiVersion"]) != ("AdmissionReview", "admission.k8s.io/v1"):
            yield "the answer is no AdmissionReview"
        if response["allowed"] is not True or not response["uid"]:
            yield f"not allowed, or nobody is: {response}"
        if "patch" in response and not isinstance(json.loads(base64.b64decode(response["patch"], validate=True)), list):
            yield "the patch is no list"
        if response["uid"] == LAST and "patch" in response:  # else its end came to lie in another body
            well_answered(answer, LAST)
    except (ValueError, KeyError, TypeError, binascii.Error, AssertionError) as error:
        yield f"the answer is none: {error!r}"


def _of_the_end(server: Statuscap) -> Iterator[str]:
    """What the log and the exit code tell."""
    if code := server.terminate():
        yield f"the server ended with {code}"
    for line in map(json.loads, server.log.read_text().splitlines()):
        if line["message"] == "fault" and line["cause"] not in CAUSES:
            yield f"a fault that no caller can be blamed for: {line}"
