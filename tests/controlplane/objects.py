"""The custom resources the tests write: three kinds of ``t.example.com/v1``, each with another shape of status.

``widgets`` keep any status; ``gadgets`` have every typed shape a step meets; ``nosubs`` have no status subresource.
Every function returns a fresh document.
"""

from __future__ import annotations

from typing import Any

from tests.controlplane.resources import Resource

Json = dict[str, Any]

GROUP = "t.example.com"
VERSION = "v1"
WIDGETS = Resource(GROUP, VERSION, "widgets")
GADGETS = Resource(GROUP, VERSION, "gadgets")
NOSUBS = Resource(GROUP, VERSION, "nosubs")

ANYTHING: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
STRING: Json = {"type": "string"}
INTEGER: Json = {"type": "integer", "format": "int64"}
MESSAGE_LIMIT = 32768  # characters, metav1.Condition's limit on message
BOUNDED_ITEMS = 20  # what status.bounded of a gadget may hold


def crd(group: str, kind: str, plural: str, *, status_subresource: bool = True, schema: Json | None = None) -> Json:
    """Return a namespaced CRD with one version, ``v1``.

    ``schema`` is the OpenAPI schema of the whole object; without it, spec and status may hold anything.
    """
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema or with_status(ANYTHING)},
        **({"subresources": {"status": {}}} if status_subresource else {}),
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "versions": [version],
        },
    }


def with_status(status: Json) -> Json:
    """Return the schema of an object with a free spec and this schema of its status."""
    return {"type": "object", "properties": {"spec": dict(ANYTHING), "status": status}}


def widgets() -> Json:
    """Return the CRD whose status preserves unknown fields."""
    return crd(GROUP, "Widget", "widgets")


def gadgets() -> Json:
    """Return the CRD with a typed status."""
    return crd(GROUP, "Gadget", "gadgets", schema=with_status({"type": "object", "properties": gadget_fields()}))


def nosubs() -> Json:
    """Return the CRD without a status subresource: status is written with the rest of the object."""
    return crd(GROUP, "Nosub", "nosubs", status_subresource=False)


def gadget_fields() -> Json:
    """Return one field for every list type and map of a structural schema, and two with limits."""
    return {
        "phase": STRING,
        "message": {"type": "string", "maxLength": MESSAGE_LIMIT},
        "lastHeartbeatTime": {"type": "string", "format": "date-time"},
        "observedGeneration": INTEGER,
        "conditions": {"type": "array", "items": condition(), "x-kubernetes-list-type": "atomic"},
        "conditionsMap": keyed_list(condition(), "type"),
        "history": keyed_list(entry("id"), "id"),
        "attempts": keyed_list(entry("id"), "id"),
        "nodes": {"type": "object", "additionalProperties": entry()},
        "tags": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
        "bounded": {"type": "array", "items": STRING, "maxItems": BOUNDED_ITEMS},
    }


def keyed_list(items: Json, key: str) -> Json:
    return {
        "type": "array",
        "items": items,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": [key],
    }


def condition() -> Json:
    """Return the schema of metav1.Condition with the kubelet's heartbeat, only ``type`` required."""
    texts = ("type", "status", "reason", "message", "lastTransitionTime", "lastHeartbeatTime")
    return {
        "type": "object",
        "required": ["type"],
        "properties": {**dict.fromkeys(texts, STRING), "observedGeneration": INTEGER},
    }


def entry(*required: str) -> Json:
    """Return the schema of an entry of a history: an id, what happened, and when."""
    texts = ("id", "phase", "state", "source", "message", "time", "startTime", "endTime")
    return {
        "type": "object",
        **({"required": [*required]} if required else {}),
        "properties": {**dict.fromkeys(texts, STRING), "count": INTEGER, "revision": INTEGER},
    }


def sample(kind: str, name: str, *, spec: Json | None = None, status: Json | None = None) -> Json:
    """Return one object of the group; ``spec`` and ``status`` are left out when None."""
    parts = {"spec": spec, "status": status}
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        **{key: value for key, value in parts.items() if value is not None},
    }
