"""What a server knows of the kinds that its policies are for: from files, and from the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from admission.crd.catalogue import SchemasByName, together
from admission.serving.server import Server


class Origin(StrEnum):
    """Where CRDs are known from; what is further down is right where both know one."""

    FILES = "files"
    CLUSTER = "cluster"


class KnownKinds:
    """Puts together what is known from everywhere, for the server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._known: dict[Origin, SchemasByName] = {}

    def prepared(self, origin: Origin, schemas: SchemasByName) -> SchemasByName:
        """The same schemas, with those in use in place of equal ones: to compare them takes a while, in any thread."""
        known = self._known.get(origin, {})
        return {name: known[name] if known.get(name) == each else each for name, each in schemas.items()}

    def use(self, origin: Origin, schemas: SchemasByName) -> Mapping[str, list[str]]:
        """Judge by these schemas from the next review on; returns the names of the CRDs that came, went and changed.

        The schemas are prepared. Called in the event loop.
        """
        before, self._known[origin] = self._known.get(origin, {}), schemas
        self._server.know(together(*(self._known[each] for each in Origin if each in self._known)))
        self._server.metrics.know(origin.value, len(schemas))
        return {
            "added": sorted(schemas.keys() - before.keys()),
            "removed": sorted(before.keys() - schemas.keys()),
            "changed": sorted(name for name in schemas.keys() & before.keys() if schemas[name] is not before[name]),
        }
