"""As much of an API server as serves CRDs: pages of a list, and a watch; on loopback, over plain HTTP."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import Cluster, Context, User

Json = dict[str, Any]

PATH: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TOKEN: Final = "open-sesame"
HANG_UP: Final[Json] = {}
"""Instead of an event: the connection breaks."""


@dataclass
class ApiServer:
    """What is stored, what was asked, and what watchers are told. ``refused`` answers calls by 403: list, watch."""

    crds: list[Json] = field(default_factory=list)
    events: queue.SimpleQueue[Json | None] = field(default_factory=queue.SimpleQueue)
    asked: list[dict[str, str]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    url: str = ""
    token: str = TOKEN

    def tell(self, *events: Json | None) -> None:
        """Send events to whoever watches; None ends the watch as the API server does."""
        for event in events:
            self.events.put(event)

    @property
    def config(self) -> SingleConfig:
        """The way there."""
        return SingleConfig("test", Context(cluster="test"), Cluster(server=self.url), User(token=TOKEN))


class _Call(BaseHTTPRequestHandler):
    api: ApiServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        self.api.asked.append(query)
        verb = "watch" if query.get("watch") == "true" else "list"
        if self.headers["Authorization"] != f"Bearer {self.api.token}":
            self._answer(401, status("Unauthorized", 401))
        elif parts.path != PATH:
            self._answer(404, status("not found", 404))
        elif verb in self.api.refused:
            message = f'customresourcedefinitions.apiextensions.k8s.io is forbidden: User "tester" cannot {verb} them'
            self._answer(403, status(message, 403))
        elif verb == "list":
            self._answer(200, self._page(query))
        else:
            self._watch()

    def _page(self, query: dict[str, str]) -> Json:
        start = int(query.get("continue", "0"))
        end = start + int(query.get("limit", "1000"))
        more = {"continue": str(end)} if end < len(self.api.crds) else {}
        return {"metadata": {"resourceVersion": "100", **more}, "items": self.api.crds[start:end]}

    def _answer(self, code: int, body: Json) -> None:
        content = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _watch(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while (event := self.api.events.get()) is not None:
            if event is HANG_UP:
                self.close_connection = True
                return
            self._chunk(json.dumps(event).encode() + b"\n")
        self._chunk(b"")

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def status(message: str, code: int) -> Json:
    """What the API server says of what it does not do."""
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}


@contextmanager
def apiserver(*crds: Json) -> Iterator[ApiServer]:
    """An API server with CRDs, until the block ends."""
    api = ApiServer([*crds])
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Call", (_Call,), {"api": api})) as server:
        server.daemon_threads = True
        server.block_on_close = False
        api.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield api
        finally:
            api.tell(None, None)
            server.shutdown()
            thread.join()
