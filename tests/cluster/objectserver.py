"""As much of an API server as keeps objects: get, create, patches and resourceVersions; over plain HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import jsonpatch
from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import Cluster, Context, User

from admission.cluster.client import connected
from tests.cluster.apiserver import status

Json = dict[str, Any]


@dataclass
class ObjectServer:
    """Objects by their path, and what was asked; ``code`` is the answer to everything when it is given."""

    objects: dict[str, Json] = field(default_factory=dict)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    code: int = 0
    date: str = "Tue, 01 Dec 2026 12:00:00 GMT"
    version: int = 0
    url: str = ""

    @property
    def connect(self) -> partial[Any]:
        """Makes clients."""
        return partial(
            connected, SingleConfig("test", Context(cluster="test"), Cluster(server=self.url), User(token="t"))
        )

    def put(self, path: str, document: Json) -> None:
        """Store an object with the next resourceVersion."""
        self.version += 1
        self.objects[path] = {**document, "metadata": {**document["metadata"], "resourceVersion": str(self.version)}}

    def answer(self, verb: str, path: str, body: Any, form: str) -> tuple[int, Json]:
        """What an API server would say."""
        self.asked.append((verb, path, body))
        if self.code:
            return self.code, status(f"code {self.code}", self.code)
        if verb == "POST":
            path = f"{path}/{body['metadata']['name']}"
            if path in self.objects:
                return 409, status("already exists", 409)
            self.put(path, body)
            return 201, self.objects[path]
        stored = self.objects.get(path)
        if stored is None:
            return 404, status("not found", 404)
        if verb == "PATCH":
            made = jsonpatch.apply_patch(stored, body) if "json-patch" in form else merged(stored, body)
            if made["metadata"]["resourceVersion"] != stored["metadata"]["resourceVersion"]:
                return 409, status("the object has been modified", 409)
            self.put(path, made)
        return 200, self.objects[path]


def merged(document: Any, patch: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    base = document if isinstance(document, dict) else {}
    changed = {key: merged(base.get(key), value) for key, value in patch.items() if value is not None}
    return {**{key: value for key, value in base.items() if key not in patch}, **changed}


class _Call(BaseHTTPRequestHandler):
    server_of: ObjectServer
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = json.loads(self.rfile.read(length)) if length else None
        form = self.headers.get("Content-Type", "")
        code, answer = self.server_of.answer(self.command, urlsplit(self.path).path, body, form)
        content = json.dumps(answer).encode()
        self.send_response_only(code)
        if self.server_of.date:
            self.send_header("Date", self.server_of.date)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = _serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def objectserver() -> Iterator[ObjectServer]:
    """An API server without objects, until the block ends."""
    kept = ObjectServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Call", (_Call,), {"server_of": kept})) as server:
        server.daemon_threads = True
        server.block_on_close = False
        kept.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield kept
        finally:
            server.shutdown()
            thread.join()
