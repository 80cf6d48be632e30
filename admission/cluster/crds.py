"""The CRDs of a cluster: read once, or followed for as long as the API server answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Final, TypeAlias

import httpx2
import msgspec
from lightkube import Client

from admission.cluster.client import CustomResourceDefinition, code, connected, found_config
from admission.crd.catalogue import Catalogue, SchemasByName
from admission.crd.definition import Definition, Spec
from admission.crd.demands import demands_in
from admission.engine.schema import Schemas

Use: TypeAlias = Callable[[SchemasByName], None]
"""Is told the schemas of every CRD, each time that one changed."""

PAGE: Final = 10
"""CRDs in an answer: some hundred KB, so that reading one keeps the interpreter's lock for a few milliseconds."""

WATCH_FOR: Final = 300
"""Seconds after which the API server ends a watch; the next one goes on from there."""

_DELETED: Final = "DELETED"
_SCHEMA_CHANGES: Final = frozenset({"ADDED", "MODIFIED", _DELETED})
_FORBIDDEN: Final = frozenset({401, 403})

_SPEC: Final = msgspec.json.Decoder(Spec)


class ClusterCrds:
    """The CRDs of one cluster. Blocks: for a thread, or for a command that has nothing else to do."""

    def __init__(self, connect: Callable[..., AbstractContextManager[Client]]) -> None:
        """``connect`` makes a client, with ``watching`` one that may wait for long."""
        self._connect = connect

    @classmethod
    def found(cls) -> ClusterCrds:
        """Those of the cluster that the environment leads to.

        Raises:
            ClusterError: it leads nowhere.
        """
        return cls(partial(connected, found_config()))

    def read(self) -> Catalogue:
        """All CRDs, as they are now.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        with self._connect() as client:
            return Catalogue(tuple(map(_definition, client.list(CustomResourceDefinition, chunk_size=PAGE))))

    def follow(self, use: Use) -> None:
        """Tell all CRDs, and each change from then on; returns when the watch is over, and all have to be told again.

        Raises:
            ClusterError: the API server is away, or refuses one of the two.
        """
        with self._connect(watching=True) as client:
            listed = client.list(CustomResourceDefinition, chunk_size=PAGE)
            known = {crd.metadata.name: _schemas(crd) for crd in listed}
            use(dict(known))
            try:
                self._watch(client, listed.resourceVersion, known, use)
            except httpx2.HTTPStatusError as error:
                if code(error) in _FORBIDDEN:
                    raise
            except httpx2.HTTPError:  # it has restarted, or a proxy in between has had enough
                return

    def _watch(self, client: Client, version: str, known: dict[str, Schemas], use: Use) -> None:
        watch = client.watch(CustomResourceDefinition, resource_version=version, server_timeout=WATCH_FOR)
        for event, crd in watch:
            if event not in _SCHEMA_CHANGES:
                continue
            before = known.pop(crd.metadata.name, None)
            if event != _DELETED:
                known[crd.metadata.name] = _schemas(crd)
            if known.get(crd.metadata.name) != before:  # its status changes more often than it
                use(dict(known))


def _schemas(crd: CustomResourceDefinition) -> Schemas:
    return Schemas(dict(demands_in(crd.spec)))


def _definition(crd: CustomResourceDefinition) -> Definition:
    return Definition.of(_SPEC.decode(crd.spec))
