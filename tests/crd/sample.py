"""One valid CRD; tests bend one field of it."""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

CONDITION: Final[Json] = {
    "type": "object",
    "required": ["type", "status"],
    "properties": {
        "type": {"type": "string"},
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "reason": {"type": "string"},
        "message": {"type": "string", "maxLength": 32768},
        "lastTransitionTime": {"type": "string", "format": "date-time"},
    },
}

STATUS: Final[Json] = {
    "type": "object",
    "required": ["phase"],
    "properties": {
        "phase": {"type": "string"},
        "message": {"type": "string", "minLength": 100},
        "digest": {"type": "string", "pattern": "^sha256:"},
        "replicas": {"type": "integer"},
        "port": {"x-kubernetes-int-or-string": True},
        "conditions": {"type": "array", "items": CONDITION},
        "history": {
            "type": "array",
            "minItems": 3,
            "items": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "log": {"type": "string"}, "at": {"type": "string"}},
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["id"],
        },
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "nodes": {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"message": {"type": "string"}}},
        },
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "raw": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": {"type": "string"}},
        },
        "template": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {}},
    },
}


def version(name: str = "v1", *, served: bool = True, subresource: bool = True, status: Json | None = None) -> Json:
    """One version of the kind."""
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
            "status": STATUS if status is None else status,
        },
    }
    return {
        "name": name,
        "served": served,
        "storage": name == "v1",
        "schema": {"openAPIV3Schema": schema},
        **({"subresources": {"status": {}}} if subresource else {}),
    }


def crd(*versions: Json, plural: str = "widgets", kind: str = "Widget", group: str = "example.com") -> Json:
    """A CRD; without versions it has ``v1``."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "shortNames": [kind.lower()[:2]]},
            "versions": [*(versions or (version(),))],
        },
    }
