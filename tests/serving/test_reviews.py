"""What ``/mutate`` answers over TLS, to the API server and to everybody else."""

import asyncio
import gzip
import json

import aiohttp
import pytest

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome, Reason, unchanged
from admission.engine.policy import PolicySet
from admission.handler import Answer, Cause, Handler, Phase
from admission.serving.reviews import TURN
from admission.serving.tls import Pair
from tests.review_sample import UID, review
from tests.serving.calls import framed, uid_of
from tests.serving.clock import SECOND, Clock
from tests.serving.listening import TRIMMED, listening, trims, until


async def test_answers_a_review(pair: Pair) -> None:
    async with listening(pair) as server:
        response, body = await server.post(review())
        await server.recorder.heard()
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json")
    assert response.headers["Server"] == "statuscap"
    assert (uid_of(body), json.loads(body)["response"]["patchType"]) == (UID, "JSONPatch")
    assert [answer.decision for answer in server.recorder.answers] == [TRIMMED]
    assert server.recorder.durations[0] > 0


async def test_answers_many_reviews_on_one_connection(pair: Pair) -> None:
    async with listening(pair) as server, server.connection() as (reader, writer):
        for _ in range(20):
            writer.write(framed(review()))
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 OK")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            assert uid_of(await reader.readexactly(length)) == UID


async def test_answers_many_connections_at_once(pair: Pair) -> None:
    async with listening(pair) as server:
        answers = await asyncio.gather(*[server.post(review(uid=f"u-{number}")) for number in range(64)])
    assert [uid_of(body) for _, body in answers] == [f"u-{number}" for number in range(64)]


async def test_answers_a_review_in_the_phase_of_its_path(pair: Pair) -> None:
    async with listening(pair) as server:
        for path in ("/mutate", "/validate", "/validate?timeout=2s"):
            request = (
                framed(review()).replace(b"/mutate", path.encode()).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            )
            assert (await server.raw(request)).startswith(b"HTTP/1.1 200 OK")
        await server.recorder.heard(3)
    phases = [(answer.phase, answer.decision) for answer in server.recorder.answers]
    assert phases == [(Phase.MUTATING, TRIMMED), *[(Phase.VALIDATING, unchanged(Reason.NO_POLICY))] * 2]


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        pytest.param("POST", "/", {}, 404, id="the root"),
        pytest.param("POST", "/mutate/", {}, 404, id="a slash too many"),
        pytest.param("GET", "/readyz", {}, 404, id="the probes are elsewhere"),
        pytest.param("GET", "/mutate", {}, 405, id="GET"),
        pytest.param("PUT", "/mutate", {}, 405, id="PUT"),
        pytest.param("HEAD", "/mutate", {}, 405, id="HEAD"),
        pytest.param("POST", "/mutate", {"Content-Type": "text/plain"}, 415, id="text"),
        pytest.param("POST", "/mutate", {"Content-Type": "application/yaml"}, 415, id="YAML"),
        pytest.param("POST", "/mutate", {"Content-Encoding": "gzip"}, 415, id="compressed"),
        pytest.param("POST", "/mutate", {"Content-Type": "application/json; charset=utf-8"}, 200, id="a charset"),
        pytest.param("POST", "/mutate?timeout=2s", {}, 200, id="a timeout"),
        pytest.param("POST", "/mutate?timeout=soon", {}, 200, id="a timeout that is none"),
        pytest.param("POST", "/mutate?timeout=0s", {}, 200, id="no timeout"),
        pytest.param("POST", "/mutate?x=%FF&&=", {}, 200, id="an odd query"),
    ],
)
async def test_answers_by_path_method_and_type(
    pair: Pair, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    body = review() if headers.get("Content-Encoding") != "gzip" else gzip.compress(review())
    sent = {"Content-Type": "application/json"} | headers
    async with listening(pair) as server:
        url = server.url.removesuffix("/mutate") + path
        async with server.session.request(method, url, data=body, headers=sent) as response:
            text = await response.read()
        await server.recorder.heard()
    assert response.status == status
    assert method == "HEAD" or status == 200 or text.endswith(b"\n")
    assert server.recorder.refusals == ([] if status == 200 else [status])
    assert (response.headers.get("Allow") == "POST") is (status == 405)


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"null", b"no json", b"\xff\xfe", b"[" * 5_000, review(uid="")], ids=range(7)
)
async def test_refuses_what_has_no_uid(pair: Pair, body: bytes) -> None:
    async with listening(pair) as server:
        response, text = await server.post(body)
        await server.recorder.heard()
    assert (response.status, response.content_type) == (400, "text/plain")
    assert text.endswith(b"\n")
    assert [answer.status for answer in server.recorder.answers] == [400]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        pytest.param(review()[:500], Cause.UNDECODABLE, id="cut off"),
        pytest.param(
            review(object="X").replace(b'"X"', b"[" * 1_000_000 + b"]" * 1_000_000), Cause.TOO_DEEP, id="too deep"
        ),
        pytest.param(review(name="X").replace(b'"X"', b'"\xff"'), Cause.UNDECODABLE, id="bad UTF-8"),
    ],
)
async def test_what_cannot_be_read_passes_by_its_uid(pair: Pair, body: bytes, cause: Cause) -> None:
    async with listening(pair) as server:
        response, text = await server.post(body)
        await server.recorder.heard()
    assert (response.status, uid_of(text)) == (200, UID)
    fault = server.recorder.answers[0].fault
    assert fault is not None
    assert fault.cause is cause


async def test_a_fault_of_the_engine_lets_the_write_pass(pair: Pair) -> None:
    def fails(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        raise KeyError("x")

    async with listening(pair, fails) as server:
        response, text = await server.post(review())
    assert (response.status, uid_of(text)) == (200, UID)


async def test_what_is_no_http_is_refused(pair: Pair) -> None:
    async with listening(pair) as server:
        answer = await server.raw(b"hello?\r\n\r\n")
    assert answer.startswith(b"HTTP/1.")
    assert b" 400 " in answer.partition(b"\r\n")[0]


async def test_who_speaks_no_tls_gets_no_answer(pair: Pair) -> None:
    async with listening(pair) as server:
        with pytest.raises(aiohttp.ClientError):
            async with server.session.get(server.url.replace("https", "http")):
                pass
        response, _ = await server.post(review())
    assert response.status == 200


# --- too late ---


async def answered_after(pair: Pair, waited: float, query: str, path: str = "/mutate") -> Answer:
    """What a review gets whose last byte comes so many seconds after its first."""
    clock = Clock()
    async with listening(pair, monotonic=clock) as server, server.connection() as (reader, writer):
        request = framed(review()).replace(b"/mutate", f"{path}{query}".encode())
        writer.write(request[:-10])
        await until(lambda: server.reviews.in_flight)
        clock.now += int(waited * SECOND)
        writer.write(request[-10:])
        await reader.readuntil(b"\r\n\r\n")
        await server.recorder.heard()
        return server.recorder.answers[0]


@pytest.mark.parametrize(
    ("waited", "query", "outcome"),
    [
        pytest.param(1.3, "?timeout=2s", Outcome.TRIMMED, id="in time"),
        pytest.param(1.5, "?timeout=2s", Outcome.SKIPPED, id="past seven tenths"),
        pytest.param(1.5, "?timeout=30s", Outcome.TRIMMED, id="with more time"),
        pytest.param(60.0, "?timeout=1m30s", Outcome.TRIMMED, id="minutes"),
        pytest.param(90.0, "", Outcome.TRIMMED, id="nobody said how long"),
        pytest.param(90.0, "?timeout=x", Outcome.TRIMMED, id="nobody can read how long"),
    ],
)
async def test_sheds_what_would_be_answered_too_late(pair: Pair, waited: float, query: str, outcome: Outcome) -> None:
    answer = await answered_after(pair, waited, query)
    assert answer.decision is not None
    assert answer.decision.outcome is outcome
    assert (answer.decision.reason is Reason.SHED) is (outcome is Outcome.SKIPPED)
    assert uid_of(answer.body) == UID


async def test_sheds_in_the_phase_of_the_path(pair: Pair) -> None:
    answer = await answered_after(pair, 1.5, "?timeout=2s", path="/validate")
    assert answer.decision is not None
    assert (answer.decision.reason, answer.phase) == (Reason.SHED, Phase.VALIDATING)


async def test_time_between_two_calls_is_nobodys_wait(pair: Pair) -> None:
    clock = Clock()
    async with listening(pair, monotonic=clock) as server:
        for _ in range(4):
            response, body = await server.post(review(), query="?timeout=1s")
            assert (response.status, "patch" in json.loads(body)["response"]) == (200, True)
            clock.now += 60 * SECOND


async def test_waiting_behind_other_reviews_counts(pair: Pair) -> None:
    clock = Clock()

    def slow(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        clock.now += SECOND
        return TRIMMED

    request = framed(review()).replace(b"/mutate", b"/mutate?timeout=1s")
    async with (
        listening(pair, slow, monotonic=clock) as server,
        server.connection() as (_, first),
        server.connection() as (_, second),
    ):
        for writer in (first, second):
            writer.write(request[:-10])
        await until(lambda: server.reviews.in_flight == 2)
        for writer in (first, second):
            writer.write(request[-10:])
        await server.recorder.heard(2)
    outcomes = [answer.decision.outcome for answer in server.recorder.answers if answer.decision]
    assert outcomes == [Outcome.TRIMMED, Outcome.SKIPPED]


async def test_reviews_that_take_long_let_others_have_their_turn(pair: Pair) -> None:
    clock, order = Clock(), []

    def slow(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        clock.now += TURN + 1
        order.append("review")
        asyncio.get_running_loop().call_soon(order.append, "probe")
        return TRIMMED

    async with listening(pair, slow, monotonic=clock) as server:
        answers = await asyncio.gather(*[server.post(review()) for _ in range(8)])
    assert [response.status for response, _ in answers] == [200] * 8
    assert order == ["review", "probe"] * 8


# --- draining ---


@pytest.mark.parametrize(("path", "status"), [("/mutate", 200), ("/elsewhere", 404)], ids=["a review", "another call"])
async def test_every_answer_of_a_draining_server_closes_its_connection(pair: Pair, path: str, status: int) -> None:
    async with listening(pair) as server:
        before, _ = await server.post(review())
        server.lifecycle.drain()
        async with server.session.post(
            server.url.removesuffix("/mutate") + path, data=review(), headers={"Content-Type": "application/json"}
        ) as after:
            await after.read()
    assert "Connection" not in before.headers
    assert (after.status, after.headers["Connection"]) == (status, "close")


class Odd(Handler):
    """Raises, which no handler does."""

    def answer(self, body: bytes, phase: Phase) -> Answer:
        if b"odd-one" in body:
            raise RuntimeError
        return super().answer(body, phase)


async def test_a_review_that_breaks_the_server_leaves_no_other_waiting(pair: Pair) -> None:
    async with listening(pair, handler=Odd(PolicySet.of([]), evaluate=trims)) as server:
        answers = await asyncio.gather(*[server.post(review(uid=uid)) for uid in ("a", "odd-one", "b")])
    assert [response.status for response, _ in answers] == [200, 500, 200]
