"""What a policy takes for granted: every path that somebody wrote down, at its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from admission.crd.shape import Type
from admission.offline.fit.needs import LIST, MAP, NUMBER, SCALAR, TEXT, WHATEVER, needs
from admission.policyfile.loader import load_policies
from admission.policyfile.wording import dotted
from tests.offline.fit.holding import policy
from tests.offline.samples import written

WORDS = {
    LIST: "list",
    MAP: "map",
    LIST | TEXT: "list or text",
    TEXT: "text",
    NUMBER: "number",
    SCALAR: "scalar",
    WHATEVER: "any",
}


def told(folder: Path, document: dict[str, Any]) -> dict[str, str]:
    (read,) = load_policies([str(written(folder, "p.yaml", document))]).policies
    return {dotted(need.loc).removeprefix("spec."): f"{need.path} {WORDS[need.types]}" for need in needs(read)}


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            {"capConditions": {"max": 5}},
            {"path": "status.conditions list", "typeField": "status.conditions[*].type any"},
        ),
        (
            {"capConditions": {"max": 5, "timeFields": ["at", "on"]}},
            {
                "path": "status.conditions list",
                "typeField": "status.conditions[*].type any",
                "timeFields": "status.conditions[*].at any",
            },
        ),
        (
            {
                "capList": {
                    "path": "status.a",
                    "max": 5,
                    "order": {"by": "x.y", "as": "Time"},
                    "keepWhere": [
                        {"all": [{"field": "p", "operator": "Exists"}, {"field": ".", "operator": "Exists"}]}
                    ],
                }
            },
            {
                "path": "status.a list",
                "order.by": "status.a[*].x.y any",
                "keepWhere[0].all[0].field": "status.a[*].p any",
                "keepWhere[0].all[1].field": "status.a[*] any",
            },
        ),
        (
            {"dedupe": {"path": "status.a", "keys": ["x", "y.z"], "keep": "Last"}},
            {"path": "status.a list", "keys[0]": "status.a[*].x any", "keys[1]": "status.a[*].y.z any"},
        ),
        (
            {"dedupe": {"path": "status.a", "ignoring": ["x"], "keep": "Last"}},
            {"path": "status.a list", "ignoring[0]": "status.a[*].x any"},
        ),
        (
            {"truncate": {"paths": ["status.a", "status.b"], "maxBytes": 100}},
            {"paths[0]": "status.a text", "paths[1]": "status.b text"},
        ),
        ({"drop": {"paths": ["status.a"]}}, {"paths[0]": "status.a any"}),
        (
            {
                "expire": {
                    "path": "status.a",
                    "olderThan": "1h",
                    "timeFields": ["at"],
                    "keepWhere": [{"all": [{"field": "p", "operator": "Exists"}]}],
                }
            },
            {
                "path": "status.a list",
                "keepWhere[0].all[0].field": "status.a[*].p any",
                "timeFields": "status.a[*].at any",
            },
        ),
        (
            {
                "capMap": {
                    "path": "status.a",
                    "max": 5,
                    "evictWhere": [{"field": "x", "operator": "Exists"}],
                    "order": {"by": "y.z", "as": "Number"},
                }
            },
            {
                "path": "status.a map",
                "order.by": "status.a.*.y.z any",
                "evictWhere[0].field": "status.a.*.x any",
            },
        ),
        ({"capMap": {"path": "status.a", "max": 5}}, {"path": "status.a map"}),
        ({"fitSchema": {"paths": ["status.a"]}}, {"paths[0]": "status.a list or text"}),
        ({"fitSchema": {}}, {}),
        (
            {
                "budget": {
                    "maxBytes": "1Mi",
                    "steps": [
                        {"truncate": {"paths": ["status.a"], "maxBytes": 100}},
                        {
                            "capConditions": {"path": "status.conditions", "max": 5},
                            "when": [{"field": "status.b", "operator": "Exists"}],
                        },
                    ],
                }
            },
            {
                "steps[0].truncate.paths[0]": "status.a text",
                "steps[1].when[0].field": "status.b any",
                "steps[1].capConditions.path": "status.conditions list",
                "steps[1].capConditions.typeField": "status.conditions[*].type any",
            },
        ),
        (
            {"restoreTimes": {"unless": ["status"]}},
            {
                "path": "status.conditions list",
                "keys[0]": "status.conditions[*].type any",
                "fields[0]": "status.conditions[*].lastTransitionTime any",
                "unless[0]": "status.conditions[*].status any",
            },
        ),
    ],
    ids=lambda step: next(iter(step), "nothing"),
)
def test_every_path_of_a_step_is_a_need(tmp_path: Path, step: dict[str, Any], expected: dict[str, str]) -> None:
    (kind,) = step
    assert told(tmp_path, policy(step)) == {f"trim[0].{kind}.{place}": need for place, need in expected.items()}


def test_requirements_and_limits_are_needs_too(tmp_path: Path) -> None:
    document = policy(
        {"drop": {"paths": ["status.a"]}, "when": [{"field": "status.b", "operator": "Exists"}]},
        match={
            "resources": [{"apiGroups": ["example.com"], "resources": ["widgets/status"]}],
            "when": [{"field": "spec.c", "operator": "Exists"}],
        },
        limits=[
            {"maxBytes": "1Mi", "action": "Warn"},
            {"path": "status.d", "maxItems": 5, "action": "Warn"},
            {"path": "status.e", "maxLength": 5, "action": "Warn"},
        ],
    )
    assert told(tmp_path, document) == {
        "match.when[0].field": "spec.c any",
        "trim[0].when[0].field": "status.b any",
        "trim[0].drop.paths[0]": "status.a any",
        "limits[1].path": "status.d list",
        "limits[2].path": "status.e text",
    }


def test_fields_of_heartbeats_are_needs_of_what_their_rule_can_cover(tmp_path: Path) -> None:
    rules = [
        {"fields": ["status.a", "status.b[*].c"], "maxStaleness": "1m"},
        {"fields": ["status.d"], "within": {"percent": 5}, "maxStaleness": "1m"},
        {"fields": ["status.e"], "within": {"quantity": "1Mi"}, "maxStaleness": "1m"},
        {"fields": ["status.f"], "anyValue": True, "maxStaleness": "1m"},
    ]
    assert told(tmp_path, policy(suppress=rules)) == {
        "suppress[0].fields[0]": "status.a text",
        "suppress[0].fields[1]": "status.b[*].c text",
        "suppress[1].fields[0]": "status.d number",
        "suppress[2].fields[0]": "status.e number",
        "suppress[3].fields[0]": "status.f scalar",
    }


def test_any_type_will_do_where_none_is_needed() -> None:
    assert {*Type} == WHATEVER
