"""``/healthz``, ``/readyz`` and ``/metrics`` over plain HTTP, on a port of their own."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final, TypeAlias, cast

from aiohttp import hdrs, web

from admission.observe.metrics import Metrics
from admission.observe.series import CONTENT_TYPE
from admission.serving.connection import Connection, Patience, Witness, text
from admission.serving.connections import Connections, Terms
from admission.serving.inflight import InFlight
from admission.serving.lifecycle import Lifecycle

MOST_CONNECTIONS: Final = 32
"""Connections of kubelets and scrapers, apart from those for reviews: half of the descriptors that are kept free."""

_TERMS: Final = Terms(keep_alive=75.0, patience=Patience(headers=10.0, answer=10.0))  # Prometheus asks each 60 s
_UNREAD: Final = 16 * 1024 * 1024  # some dozens of answers to scrapes
_READING: Final = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})

_Page: TypeAlias = Callable[[], web.Response]


class Probes:
    """Answers what a kubelet and Prometheus ask."""

    def __init__(self, lifecycle: Lifecycle, metrics: Metrics, witness: Witness) -> None:
        self._lifecycle = lifecycle
        self._metrics = metrics
        self._witness = witness
        self._pages: dict[str, _Page] = {
            "/healthz": self._healthz,
            "/readyz": self._readyz,
            "/metrics": self._exposition,
        }

    def connections(self) -> Connections:
        """The protocol factory to listen with."""
        return Connections(self.answer, _TERMS, InFlight(_UNREAD), self._witness)

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer one call, whatever it is."""
        connection = cast("Connection", request.protocol)
        connection.call_came()
        response = self._answer(request)
        if request.content.is_eof():
            connection.expect_next()
        else:
            response.force_close()
        return response

    def _answer(self, request: web.BaseRequest) -> web.Response:
        page = self._pages.get(request.path)
        if page is None:
            return text(HTTPStatus.NOT_FOUND, f"there is nothing here but {', '.join(self._pages)}\n".encode())
        if request.method not in _READING:
            refused = text(HTTPStatus.METHOD_NOT_ALLOWED, b"ask with GET\n")
            refused.headers[hdrs.ALLOW] = ", ".join(sorted(_READING))
            return refused
        return page()

    def _healthz(self) -> web.Response:
        """200 as long as the event loop turns."""
        return text(HTTPStatus.OK, b"ok\n")

    def _readyz(self) -> web.Response:
        """200 when reviews are answered and more are welcome."""
        if self._lifecycle.ready:
            return text(HTTPStatus.OK, b"ok\n")
        return text(HTTPStatus.SERVICE_UNAVAILABLE, b"draining\n" if self._lifecycle.draining else b"starting\n")

    def _exposition(self) -> web.Response:
        return web.Response(body=self._metrics.exposition(), headers={hdrs.CONTENT_TYPE: CONTENT_TYPE})
