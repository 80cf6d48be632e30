"""One valid policy, object and suite; tests bend one field of them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

POLICY: Final[dict[str, Any]] = {
    "apiVersion": "statuscap.dev/v1alpha1",
    "kind": "StatusPolicy",
    "metadata": {"name": "two-conditions"},
    "spec": {
        "mode": "Enforce",
        "match": {"resources": [{"apiGroups": ["example.com"], "resources": ["widgets/status"]}]},
        "trim": [{"capConditions": {"path": "status.conditions", "max": 2}}],
    },
}


def condition(day: int) -> dict[str, str]:
    """A condition of the one type, as of a day in January."""
    return {"type": "Ready", "status": "True", "lastTransitionTime": f"2026-01-{day:02}T00:00:00Z"}


WIDGET: Final[dict[str, Any]] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w1", "namespace": "team-a"},
    "status": {"phase": "Ready", "conditions": [condition(day) for day in (1, 2, 3)]},
}
TRIMMED: Final[dict[str, Any]] = {"phase": "Ready", "conditions": [condition(2), condition(3)]}

SUITE: Final[dict[str, Any]] = {
    "apiVersion": "statuscap.dev/v1alpha1",
    "kind": "Suite",
    "policies": [POLICY],
    "mode": "Enforce",
    "resource": {"group": "example.com", "version": "v1", "resource": "widgets", "subresource": "status"},
    "cases": [
        {
            "name": "the oldest condition goes",
            "now": "2026-02-01T00:00:00Z",
            "object": WIDGET,
            "expect": {"outcome": "Trimmed", "status": TRIMMED},
        }
    ],
}


def bent(sample: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    """A copy of a sample with another value at ``path``."""
    changed: Any = copy.deepcopy(sample)
    here = changed
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = to
    result: dict[str, Any] = changed
    return result


def written(folder: Path, name: str, *documents: Any) -> Path:
    """A file with documents (JSON is YAML), or with text as it is."""
    path = folder / name
    texts = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False, indent=1) for each in documents]
    path.write_text("\n---\n".join(texts), encoding="utf-8")
    return path
