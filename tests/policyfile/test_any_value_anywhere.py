"""Whatever stands wherever in a policy, the loader tells what is wrong with it and never falls over it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

import pytest

from admission.engine.steps import STEPS
from tests.policyfile.sample import VALID, read

ITEM: Final = {"field": "phase", "operator": "In", "values": ["Done"]}
STEPS_OF_ALL_KINDS: Final[list[dict[str, Any]]] = [
    {"capConditions": {"path": "status.conditions", "max": 9, "typeField": "type", "keepTypes": ["Ready"]}},
    {
        "capList": {
            "path": "status.history",
            "max": 9,
            "order": {"by": "time", "as": "Time"},
            "keepFirst": 1,
            "keepLast": 1,
            "keepWhere": [{"all": [ITEM], "newest": 2}],
        },
        "when": [ITEM],
    },
    {"expire": {"path": "status.runs", "olderThan": "7d", "timeFields": ["time"], "keepNewest": 1}},
    {"dedupe": {"path": "status.events", "keys": ["id"], "scope": "All", "keep": "Last", "position": "First"}},
    {"capMap": {"path": "status.jobs", "max": 9, "evictWhere": [ITEM], "order": {"by": "time", "as": "Natural"}}},
    {"truncate": {"paths": ["status.output"], "maxBytes": "1Ki", "keep": "Tail", "marker": "…"}},
    {"drop": {"paths": ["status.debug"]}},
    {"restoreTimes": {"path": "status.states", "keys": ["type"], "fields": ["since"], "unless": ["status"]}},
    {"budget": {"maxBytes": "64Ki", "of": "Status", "steps": [{"drop": {"paths": ["status.trace"]}, "when": [ITEM]}]}},
    {"fitSchema": {"paths": ["status.note"]}},
]
GLOBS: Final = {"include": ["*"], "exclude": ["x"]}
WHOLE: Final[dict[str, Any]] = {
    "apiVersion": "statuscap.dev/v1alpha1",
    "kind": "StatusPolicy",
    "metadata": {
        "name": "everything",
        "annotations": {"statuscap.dev/description": "All of it."},
        "labels": {"app": "x"},
    },
    "spec": {
        "mode": "Warn",
        "priority": 1,
        "root": "status",
        "allowCore": True,
        "rollout": {"percent": 25},
        "match": {
            **VALID["spec"]["match"],
            "namespaces": GLOBS,
            "names": GLOBS,
            "users": GLOBS,
            "objectSelector": {
                "matchLabels": {"app": "x"},
                "matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}],
            },
            "when": [{"field": "spec.paused", "operator": "NotIn", "values": ["true"]}],
        },
        "trim": STEPS_OF_ALL_KINDS,
        "suppress": [
            {"fields": ["status.heartbeat"], "maxStaleness": "60s"},
            {"fields": ["status.size"], "within": {"percent": 5}, "maxStaleness": "60s"},
            {"fields": ["status.used"], "within": {"quantity": "1Mi"}, "maxStaleness": "60s"},
            {"fields": ["status.progress"], "anyValue": True, "maxStaleness": "60s"},
        ],
        "limits": [
            {"maxBytes": "512Ki", "of": "Status", "action": "Reject"},
            {"path": "status.history", "maxItems": 99, "action": "Warn"},
            {"path": "status.output", "maxLength": 4096, "action": "Warn"},
        ],
    },
}


def places(value: Any) -> Iterator[tuple[str | int, ...]]:
    """The way to everything inside."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (key,)
        if isinstance(inner, dict | list):
            yield from ((key, *rest) for rest in places(inner))


def bent_at(place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    policy = deepcopy(WHOLE)
    holder: Any = policy
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    return policy


def test_the_policy_that_is_bent_is_right_and_has_every_step() -> None:
    assert read(WHOLE).problems == ()
    assert {kind for step in STEPS_OF_ALL_KINDS for kind in step if kind != "when"} == {step.kind for step in STEPS}


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, -1, 0, 1.5, 2**70, "", "a", "true", "\u202e\x7f", "..", "[", [], {}, [[]], [None], [""]),
        *([{}], {"a": 1}, {"": None}, "99999999999999999999d", "1Ei", ["*", "*"], "status.a[*]['", [True], [1]),
    ],
    ids=repr,
)
def test_any_value_anywhere_is_right_or_told_in_one_line(value: object) -> None:
    for place in places(WHOLE):
        for problem in read(bent_at(place, value)).problems:
            assert problem.message, place
            assert "\n" not in str(problem), place
