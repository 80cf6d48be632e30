"""The one valid, complete AdmissionReview of the tests, byte for byte in the form in which the API server writes it.

A status write on a CRD with a status subresource, by a controller whose last condition was appended. Tests bend one
field of it: ``review(operation="DELETE")``, ``review(object={...})``; ``None`` takes a member out.
"""

from __future__ import annotations

import copy
import json
from typing import Any, Final

UID: Final = "705ab4f5-6393-11e8-b7cc-42010a800002"
OBJECT_UID: Final = "9f2d6c1e-6f0a-4c7b-9a55-0f9c2f3d7b11"
USER: Final = "system:serviceaccount:volcano-system:volcano-controllers"

_HTML: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def condition(number: int) -> dict[str, Any]:
    """The ``number``-th phase change of a job."""
    return {
        "lastTransitionTime": f"2026-01-01T00:{number:02}:00Z",
        "message": f"phase change {number}: 3 pods are running & 1 is <pending>",
        "status": "Running" if number % 2 else "Pending",
    }


def custom_resource(conditions: int = 3, resource_version: str = "1042") -> dict[str, Any]:
    """A Volcano Job with a status of so many conditions."""
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "generation": 1,
            "labels": {"app": "mpi"},
            "managedFields": [
                {
                    "apiVersion": "batch.volcano.sh/v1alpha1",
                    "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:status": {".": {}, "f:conditions": {}, "f:state": {}}},
                    "manager": "vc-controller-manager",
                    "operation": "Update",
                    "subresource": "status",
                    "time": "2026-01-01T00:03:00Z",
                }
            ],
            "name": "train-mpi",
            "namespace": "research",
            "resourceVersion": resource_version,
            "uid": OBJECT_UID,
        },
        "spec": {"minAvailable": 3, "queue": "default"},
        "status": {"conditions": [condition(number) for number in range(conditions)], "state": {"phase": "Running"}},
    }


def request(**changes: Any) -> dict[str, Any]:
    """The ``request`` of the review, its members in the API server's order."""
    kind = {"group": "batch.volcano.sh", "version": "v1alpha1", "kind": "Job"}
    resource = {"group": "batch.volcano.sh", "version": "v1alpha1", "resource": "jobs"}
    members: dict[str, Any] = {
        "uid": UID,
        "kind": kind,
        "resource": resource,
        "subResource": "status",
        "requestKind": kind,
        "requestResource": resource,
        "requestSubResource": "status",
        "name": "train-mpi",
        "namespace": "research",
        "operation": "UPDATE",
        "userInfo": {"username": USER, "uid": "8d1a", "groups": ["system:serviceaccounts", "system:authenticated"]},
        "object": custom_resource(conditions=4),
        "oldObject": custom_resource(conditions=3),
        "dryRun": False,
        "options": {
            "kind": "UpdateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "fieldManager": "vc-controller-manager",
        },
    }
    members = copy.deepcopy(members) | changes
    return {name: value for name, value in members.items() if value is not None}


def review(**changes: Any) -> bytes:
    """The body that the API server sends; ``changes`` replace members of its ``request``, None removes them."""
    return go_json({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request(**changes)})


def go_json(value: Any) -> bytes:
    """A value as Go's ``encoding/json`` writes it: compact, HTML escaped, with the encoder's last line feed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character, escape in _HTML.items():
        text = text.replace(character, escape)
    return text.encode() + b"\n"
