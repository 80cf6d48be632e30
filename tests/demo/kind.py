"""What the demo knows of one kind of object: its CRD, one object, how its controller writes, and what is promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from tests.controlplane.objects import ANYTHING
from tests.controlplane.resources import Resource

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Promise:
    """One thing that must be true of what is stored; ``found`` says what was seen when it is ``kept`` or not."""

    text: str
    kept: bool
    found: str


class Kind(Protocol):
    """One kind, with the habits of its controller.

    ``subresource`` is where its controller writes: ``status``, or empty when the kind has no status subresource.
    ``manager`` is the controller's field manager. ``preset`` is the policy that is for it.
    """

    @property
    def resource(self) -> Resource: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def subresource(self) -> str: ...
    @property
    def manager(self) -> str: ...
    @property
    def preset(self) -> str: ...

    def crd(self) -> Json:
        """The CustomResourceDefinition, with the shape of the real one."""

    def created(self) -> Json:
        """The object as a user creates it, without a status."""

    def grown(self, now: datetime) -> Json:
        """The status as a long time without statuscap has left it."""

    def reconciled(self, status: Json, turn: int, now: datetime) -> Json:
        """The status that the controller writes next, from the one it read."""

    def promises(self, sent: Json, stored: Json) -> list[Promise]:
        """What must be true of the stored status, given the one that was sent last."""


def crd(
    resource: Resource,
    kind: str,
    *,
    status: Json,
    short: tuple[str, ...] = (),
    columns: Mapping[str, str],
    status_subresource: bool = True,
) -> Json:
    """Return a namespaced CRD with one version; ``columns`` are JSON paths of strings by heading."""
    printed = [{"name": name, "type": "string", "jsonPath": path} for name, path in columns.items()]
    version = {
        "name": resource.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": dict(ANYTHING), "status": status}}},
        "additionalPrinterColumns": printed,
        **({"subresources": {"status": {}}} if status_subresource else {}),
    }
    names = {"kind": kind, "listKind": f"{kind}List", "plural": resource.plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{resource.plural}.{resource.group}"},
        "spec": {
            "group": resource.group,
            "scope": "Namespaced",
            "names": {**names, "shortNames": [*short]},
            "versions": [version],
        },
    }


def fields(**kinds: str | Json) -> Json:
    """Return the schema of an object with these fields: ``string``, ``integer``, ``time``, or a schema."""
    known: dict[str, Json] = {
        "string": {"type": "string"},
        "integer": {"type": "integer", "format": "int64"},
        "time": {"type": "string", "format": "date-time"},
    }
    properties = {name: known[kind] if isinstance(kind, str) else kind for name, kind in kinds.items()}
    return {"type": "object", "properties": properties}


def items(of: Json, *required: str) -> Json:
    """Return the schema of a list of such objects."""
    return {"type": "array", "items": {**of, **({"required": [*required]} if required else {})}}


def rfc3339(at: datetime) -> str:
    """Return a time as metav1.Time writes it: UTC, whole seconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def byte_length(text: str) -> int:
    return len(text.encode())
