"""``/healthz``, ``/readyz`` and ``/metrics`` over plain HTTP, on a port of their own."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import hdrs, web

from admission.observe.metrics import Metrics
from admission.observe.series import CONTENT_TYPE
from admission.serving.lifecycle import Lifecycle


class Probes:
    """Answers what a kubelet and Prometheus ask."""

    def __init__(self, lifecycle: Lifecycle, metrics: Metrics) -> None:
        self._lifecycle = lifecycle
        self._metrics = metrics

    def application(self) -> web.Application:
        """The application to listen with."""
        application = web.Application()
        application.add_routes(
            [
                web.get("/healthz", self._healthz),
                web.get("/readyz", self._readyz),
                web.get("/metrics", self._exposition),
            ]
        )
        return application

    async def _healthz(self, _: web.Request) -> web.Response:
        """200 as long as the event loop turns."""
        return web.Response(text="ok\n")

    async def _readyz(self, _: web.Request) -> web.Response:
        """200 when reviews are answered and more are welcome."""
        if self._lifecycle.ready:
            return web.Response(text="ok\n")
        message = "draining\n" if self._lifecycle.draining else "starting\n"
        return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE, text=message)

    async def _exposition(self, _: web.Request) -> web.Response:
        return web.Response(body=self._metrics.exposition(), headers={hdrs.CONTENT_TYPE: CONTENT_TYPE})
