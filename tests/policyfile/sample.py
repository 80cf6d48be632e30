"""One valid policy, and the ways to bend it."""

import json
from copy import deepcopy
from io import BytesIO
from typing import Any, Final

from admission.engine.policy import Policy
from admission.engine.steps import Step
from admission.policyfile.loader import Loaded, read_policies

VALID: Final[dict[str, Any]] = {
    "apiVersion": "statuscap.dev/v1alpha1",
    "kind": "StatusPolicy",
    "metadata": {"name": "widget-history"},
    "spec": {
        "match": {"resources": [{"apiGroups": ["example.com"], "resources": ["widgets/status"]}]},
        "trim": [{"capList": {"path": "status.history", "max": 10, "order": "NewestLast"}}],
    },
}

GONE: Final = object()
"""Bend a key to this and it is not there."""


def bent(*bends: tuple[str, Any]) -> dict[str, Any]:
    """The valid policy with other values at dotted places (``spec.trim.0.capList.max``)."""
    policy = deepcopy(VALID)
    for place, value in bends:
        *around, last = place.split(".")
        holder: Any = policy
        for key in around:
            holder = holder[int(key)] if isinstance(holder, list) else holder.setdefault(key, {})
        if value is GONE:
            del holder[last]
        else:
            holder[int(last) if isinstance(holder, list) else last] = value
    return policy


def with_step(kind: str, fields: Any, **beside: Any) -> dict[str, Any]:
    """The valid policy with another step."""
    return bent(("spec.trim", [{kind: fields, **beside}]))


def read(*policies: Any) -> Loaded:
    """What the loader makes of documents."""
    return read_text("\n---\n".join(json.dumps(policy) for policy in policies))


def read_text(text: str) -> Loaded:
    """What the loader makes of a file."""
    return read_policies(["-"], stdin=BytesIO(text.encode()))


def told(*policies: Any) -> list[str]:
    """The loader's problems, without file and line."""
    return [f"{problem.path}: {problem.message}" for problem in read(*policies).problems]


def loaded(policy: Any) -> Policy:
    """The one policy, which must be right."""
    result = read(policy)
    assert result.problems == ()
    (only,) = result.policies.policies
    return only


def step_of(kind: str, fields: Any) -> Step:
    """The engine's step that the fields make, which must be right."""
    return loaded(with_step(kind, fields)).trim[0].step


def told_of_step(kind: str, fields: Any) -> list[str]:
    """The problems of a step, by their place below it."""
    place = f"spec.trim[0].{kind}"
    return [problem.removeprefix(place).lstrip(".").removeprefix(": ") for problem in told(with_step(kind, fields))]
