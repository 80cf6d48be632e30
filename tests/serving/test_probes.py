"""What a kubelet and Prometheus get to see."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest

from admission.observe.metrics import Metrics
from admission.serving.lifecycle import Lifecycle
from admission.serving.listener import Listener
from admission.serving.probes import Probes
from admission.serving.server import ANY_DESCRIPTOR
from tests.serving.listening import HOST, Recorder

STEPS: tuple[Callable[[Lifecycle], None], ...] = (lambda _: None, Lifecycle.serve, Lifecycle.drain)


@asynccontextmanager
async def probing(lifecycle: Lifecycle | None = None) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of the probes."""
    recorder = Recorder()
    connections = Probes(lifecycle or Lifecycle(), Metrics(), recorder).connections()
    listener = Listener(connections, recorder, most=8, descriptors=ANY_DESCRIPTOR)
    (bound,) = await listener.listen(HOST, 0, backlog=8)
    try:
        async with aiohttp.ClientSession(f"http://{HOST}:{bound.getsockname()[1]}") as session:
            yield session
    finally:
        listener.close()
        await connections.shutdown(timeout=1.0)


async def test_ready_only_when_reviews_are_answered_and_welcome() -> None:
    lifecycle = Lifecycle()
    seen: list[tuple[int, str]] = []
    async with probing(lifecycle) as client:
        for step in STEPS:
            step(lifecycle)
            async with client.get("/readyz") as response:
                seen.append((response.status, await response.text()))
    assert seen == [(503, "starting\n"), (200, "ok\n"), (503, "draining\n")]


async def test_alive_in_every_state() -> None:
    lifecycle = Lifecycle()
    async with probing(lifecycle) as client:
        for step in STEPS:
            step(lifecycle)
            async with client.get("/healthz") as response:
                assert response.status == 200


async def test_metrics_are_in_the_text_format() -> None:
    async with probing() as client, client.get("/metrics") as response:
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert "# TYPE statuscap_reviews_total counter" in await response.text()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("POST", "/mutate", 404, id="reviews are not answered without TLS"),
        pytest.param("GET", "/", 404, id="the root"),
        pytest.param("POST", "/metrics", 405, id="POST"),
        pytest.param("HEAD", "/healthz", 200, id="HEAD"),
        pytest.param("GET", "/healthz?verbose", 200, id="a query"),
    ],
)
async def test_answers_by_path_and_method(method: str, path: str, status: int) -> None:
    async with probing() as client:
        for _ in range(2):
            async with client.request(method, path, data=b"{}" if method == "POST" else None) as response:
                assert (response.status, response.headers.get("Allow")) == (
                    status,
                    "GET, HEAD" if status == 405 else None,
                )
                assert ((await response.read()) == b"") is (method == "HEAD")
