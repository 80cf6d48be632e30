"""A small typed client of kube-apiserver for tests: every answer comes back whole, failures included.

Nothing is retried and nothing raises on a 4xx or 5xx: the status is what the tests are about. Beside the API it reads
an object as etcd stores it and kube-apiserver's metrics.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import aiohttp

from tests.controlplane.metrics import Sample, samples
from tests.controlplane.resources import CRDS, Resource
from tests.controlplane.servers import ControlPlane
from tests.controlplane.waiting import eventually

Json = dict[str, Any]
Body = Json | bytes  # bytes are sent as they are, for numbers and text that Python's json would rewrite

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
ANSWER_WITHIN = 60.0  # seconds; kube-apiserver itself gives up a request after 60


class Answer(NamedTuple):
    """One answer: HTTP status, JSON object (empty when there is none), texts of the Warning headers, raw bytes."""

    status: int
    body: Json
    warnings: list[str]
    raw: bytes


@dataclass(frozen=True, slots=True)
class EtcdRecord:
    """One key of etcd: the stored bytes, the revision of its last write, and how often it was written."""

    value: bytes
    mod_revision: int
    version: int


class ApiClient:
    """Requests as a member of system:masters, over one kept-alive connection pool."""

    def __init__(self, session: aiohttp.ClientSession, url: str, etcd_url: str) -> None:
        self._session = session
        self._url = url
        self._etcd_url = etcd_url

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(cls, plane: ControlPlane, *, user_agent: str = "controlplane-tests") -> AsyncIterator[Self]:
        """Yield a client of ``plane``. ``user_agent`` up to its first ``/`` is the default field manager."""
        context = ssl.create_default_context(cafile=str(plane.ca_path))
        headers = {"Authorization": f"Bearer {plane.token}", "User-Agent": user_agent}
        connector = aiohttp.TCPConnector(ssl=context, limit=0)
        timeout = aiohttp.ClientTimeout(total=ANSWER_WITHIN)
        async with aiohttp.ClientSession(connector=connector, headers=headers, timeout=timeout) as session:
            yield cls(session, plane.url, plane.etcd_url)

    async def get(self, resource: Resource, name: str, *, subresource: str = "") -> Answer:
        return await self.request("GET", resource.path(name, subresource))

    async def list_all(self, resource: Resource) -> Answer:
        return await self.request("GET", resource.path())

    async def create(
        self, resource: Resource, body: Body, *, request_dry_run: bool = False, field_manager: str = ""
    ) -> Answer:
        return await self.request("POST", resource.path(), body, JSON, options(request_dry_run, field_manager))

    async def replace(
        self,
        resource: Resource,
        body: Body,
        *,
        name: str = "",
        subresource: str = "",
        request_dry_run: bool = False,
        field_manager: str = "",
    ) -> Answer:
        """PUT; the name is the body's unless given."""
        path = resource.path(name or name_of(body), subresource)
        return await self.request("PUT", path, body, JSON, options(request_dry_run, field_manager))

    async def json_patch(
        self,
        resource: Resource,
        name: str,
        operations: Sequence[Json],
        *,
        subresource: str = "",
        request_dry_run: bool = False,
        field_manager: str = "",
    ) -> Answer:
        """PATCH with RFC 6902 operations."""
        body = json.dumps(operations).encode()
        path = resource.path(name, subresource)
        return await self.request("PATCH", path, body, JSON_PATCH, options(request_dry_run, field_manager))

    async def merge_patch(
        self,
        resource: Resource,
        name: str,
        patch: Body,
        *,
        subresource: str = "",
        request_dry_run: bool = False,
        field_manager: str = "",
    ) -> Answer:
        """PATCH with an RFC 7396 merge patch."""
        path = resource.path(name, subresource)
        return await self.request("PATCH", path, patch, MERGE_PATCH, options(request_dry_run, field_manager))

    async def apply(
        self,
        resource: Resource,
        body: Body,
        *,
        field_manager: str,
        force: bool = False,
        name: str = "",
        subresource: str = "",
        request_dry_run: bool = False,
    ) -> Answer:
        """Server-side apply; ``force`` takes fields over from other managers. The name is the body's unless given."""
        path = resource.path(name or name_of(body), subresource)
        forced = {"force": "true"} if force else {}
        return await self.request(
            "PATCH", path, body, APPLY_PATCH, {**options(request_dry_run, field_manager), **forced}
        )

    async def delete(self, resource: Resource, name: str, *, request_dry_run: bool = False) -> Answer:
        return await self.request("DELETE", resource.path(name), query=options(request_dry_run, ""))

    async def request(
        self,
        method: str,
        path: str,
        body: Body | None = None,
        content_type: str = JSON,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send any request and return its answer; raises ``aiohttp.ClientError`` only when there is none."""
        raw_body = json.dumps(body).encode() if isinstance(body, dict) else body
        data = None if raw_body is None else io.BytesIO(raw_body)  # aiohttp wants large bodies as a file
        headers = {"Content-Type": content_type, "Accept": JSON}
        async with self._session.request(method, self._url + path, params=query, data=data, headers=headers) as answer:
            raw = await answer.read()
            warnings = [warning_text(header) for header in answer.headers.getall("Warning", [])]
            return Answer(answer.status, json_object(raw), warnings, raw)

    async def wait_for_crd(self, name: str, *, within: float = 30.0) -> None:
        """Return when the CRD is Established and every served version is listed and in discovery.

        The first CREATE may still take up to 2 s: kube-apiserver delays it until its own informer has settled.
        """
        await eventually(lambda: self._serves(name), within=within, what=f"serving of CRD {name}")

    async def _serves(self, name: str) -> bool:
        body = (await self.get(CRDS, name)).body
        conditions = body.get("status", {}).get("conditions") or []  # null at first
        if not any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
            return False
        return all([await self._serves_version(resource) for resource in served(body["spec"])])

    async def _serves_version(self, resource: Resource) -> bool:
        listed = await self.list_all(resource)
        discovery = await self.request("GET", resource.group_path)
        names = [one["name"] for one in discovery.body.get("resources", [])]
        return listed.status == 200 and resource.plural in names

    async def etcd_record(self, group: str, resource: str, namespace: str | None, name: str) -> EtcdRecord:
        """Return a custom object as etcd has it (``namespace`` None: cluster-scoped); ``LookupError``: no such key."""
        key = "/".join(part for part in ("/registry", group, resource, namespace, name) if part)
        wanted = {"key": base64.b64encode(key.encode()).decode()}
        # The session's headers are for kube-apiserver; the token stays with it.
        async with self._session.post(
            f"{self._etcd_url}/v3/kv/range", json=wanted, headers={"Authorization": ""}, raise_for_status=True
        ) as answer:
            found = (await answer.json()).get("kvs", [])
        if not found:
            raise LookupError(f"etcd has no key {key}")
        return EtcdRecord(
            value=base64.b64decode(found[0].get("value", "")),
            mod_revision=int(found[0]["mod_revision"]),
            version=int(found[0]["version"]),
        )

    async def metrics(self, name_prefix: str) -> list[Sample]:
        """Return kube-apiserver's samples whose name starts with ``name_prefix``."""
        answer = await self.request("GET", "/metrics")
        return [*samples(answer.raw.decode(), name_prefix)]


def options(request_dry_run: bool, field_manager: str) -> dict[str, str]:
    """Return the query parameters of a write; what is not asked for is not sent."""
    dry = {"dryRun": "All"} if request_dry_run else {}
    manager = {"fieldManager": field_manager} if field_manager else {}
    return {**dry, **manager}


def name_of(body: Body) -> str:
    document: Json = json.loads(body) if isinstance(body, bytes) else body
    name: str = document["metadata"]["name"]
    return name


def json_object(raw: bytes) -> Json:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):  # not JSON, or nested deeper than Python reads
        return {}
    return value if isinstance(value, dict) else {}


def warning_text(header: str) -> str:
    """Return the text of a Warning header such as ``299 - "text"`` (RFC 9110's quoted-string)."""
    quoted = re.search(r'"((?:\\.|[^"\\])*)"', header)
    return re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else header


def served(spec: Json) -> list[Resource]:
    """Return one resource for every served version of a CRD's spec."""
    namespace = "default" if spec["scope"] == "Namespaced" else None
    versions = [version["name"] for version in spec["versions"] if version["served"]]
    return [Resource(spec["group"], version, spec["names"]["plural"], namespace) for version in versions]
