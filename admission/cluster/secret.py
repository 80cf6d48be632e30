"""One Secret of a cluster, written by compare-and-swap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from typing import ClassVar, Final

import httpx2
import msgspec
from lightkube import Client
from lightkube.core.resource import ApiInfo, NamespacedResource, ResourceDef
from lightkube.types import PatchType

from admission.certificates.secretdata import KEYS, Kept
from admission.cluster.client import code, connected, found_config

MANAGER: Final = "statuscap"
"""The field manager of what is written."""

LABELS: Final = {"app.kubernetes.io/name": "statuscap"}

_NOT_FOUND: Final = 404
_CONFLICT: Final = 409


class SecretMetadata(msgspec.Struct, rename="camel", omit_defaults=True):
    """Which one it is."""

    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    labels: dict[str, str] | None = None


class SecretObject(msgspec.Struct, NamespacedResource):
    """A Secret; in JSON its data are Base64, here they are what that says."""

    _api_info: ClassVar[ApiInfo] = ApiInfo(  # type: ignore[misc]
        resource=ResourceDef("", "v1", "Secret"), plural="secrets", verbs=["get", "post", "patch"]
    )

    metadata: SecretMetadata = msgspec.field(default_factory=SecretMetadata)
    data: dict[str, bytes] | None = None
    apiVersion: str = "v1"  # noqa: N815  # as lightkube calls it
    kind: str = "Secret"


class ClusterSecret:
    """Blocks: for a thread, or for a command that has nothing else to do."""

    def __init__(self, connect: Callable[..., AbstractContextManager[Client]], namespace: str, name: str) -> None:
        """``connect`` makes a client that tells the time of the API server to its ``heard``."""
        self._connect = connect
        self._namespace = namespace
        self._name = name

    @classmethod
    def found(cls, namespace: str, name: str) -> ClusterSecret:
        """One of the cluster that the environment leads to.

        Raises:
            ClusterError: it leads nowhere.
        """
        return cls(partial(connected, found_config()), namespace, name)

    def read(self) -> Kept:
        """What is in it now; the API server asks etcd, and no cache.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        times: list[datetime] = []
        with self._connect(heard=times.append) as client:
            try:
                found = client.get(SecretObject, self._name, namespace=self._namespace)
            except httpx2.HTTPStatusError as error:
                if code(error) != _NOT_FOUND:
                    raise
                return Kept({}, None, *times[-1:])
            return Kept(found.data or {}, found.metadata.resource_version, *times[-1:])

    def write(self, data: Mapping[str, bytes], version: str | None) -> bool:
        """Replace what is ours, if the Secret still has that version; create it, if there was none.

        Other keys, labels and annotations stay. False when somebody else was faster.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        with self._connect() as client:
            try:
                if version is None:
                    self._create(client, data)
                else:
                    self._replace(client, data, version)
            except httpx2.HTTPStatusError as error:
                if code(error) != _CONFLICT:
                    raise
                return False
            return True

    def _create(self, client: Client, data: Mapping[str, bytes]) -> None:
        metadata = SecretMetadata(name=self._name, namespace=self._namespace, labels=LABELS)
        client.create(SecretObject(metadata, dict(data)), field_manager=MANAGER)

    def _replace(self, client: Client, data: Mapping[str, bytes], version: str) -> None:
        patch = {
            "metadata": {"resourceVersion": version},
            "data": {key: data.get(key) for key in sorted(KEYS | data.keys())},
        }
        client.patch(
            SecretObject,
            self._name,
            patch,
            namespace=self._namespace,
            patch_type=PatchType.MERGE,
            field_manager=MANAGER,
        )
