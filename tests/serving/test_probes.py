"""What a kubelet and Prometheus get to see."""

from collections.abc import Callable
from typing import Any

from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request

from admission.observe.metrics import Metrics
from admission.serving.lifecycle import Lifecycle
from admission.serving.probes import Probes

Client = Any  # the fixture aiohttp_client, which makes a client for an application


STEPS: tuple[Callable[[Lifecycle], None], ...] = (lambda _: None, Lifecycle.serve, Lifecycle.drain)


async def client_for(aiohttp_client: Client, lifecycle: Lifecycle) -> TestClient[Request, Application]:
    client: TestClient[Request, Application] = await aiohttp_client(Probes(lifecycle, Metrics()).application())
    return client


async def test_ready_only_when_reviews_are_answered_and_welcome(aiohttp_client: Client) -> None:
    lifecycle = Lifecycle()
    client = await client_for(aiohttp_client, lifecycle)
    seen: list[tuple[int, str]] = []
    for step in STEPS:
        step(lifecycle)
        response = await client.get("/readyz")
        seen.append((response.status, await response.text()))
    assert seen == [(503, "starting\n"), (200, "ok\n"), (503, "draining\n")]


async def test_alive_in_every_state(aiohttp_client: Client) -> None:
    lifecycle = Lifecycle()
    client = await client_for(aiohttp_client, lifecycle)
    for step in STEPS:
        step(lifecycle)
        assert (await client.get("/healthz")).status == 200


async def test_metrics_are_in_the_text_format(aiohttp_client: Client) -> None:
    client = await client_for(aiohttp_client, Lifecycle())
    response = await client.get("/metrics")
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "# TYPE statuscap_reviews_total counter" in await response.text()


async def test_reviews_are_not_answered_without_tls(aiohttp_client: Client) -> None:
    client = await client_for(aiohttp_client, Lifecycle())
    assert (await client.post("/mutate", json={})).status == 404
