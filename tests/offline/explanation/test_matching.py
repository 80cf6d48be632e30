"""Which writes a policy looks at, and what its mode makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from admission.engine.policy import Mode
from admission.offline.explanation.matching import match_told, mode_told
from tests.engine.build import policy
from tests.policyfile.sample import bent, read


def told(*bends: tuple[str, Any]) -> list[str]:
    (one,) = read(bent(*bends)).policies.policies
    return list(match_told(one.match))


def test_resources_are_named_as_kubectl_does() -> None:
    rules = [
        {"apiGroups": ["a.io"], "resources": ["jobs/status", "apps"]},
        {"apiGroups": ["b.io"], "apiVersions": ["v1", "v2"], "resources": ["*/status"]},
    ]
    assert told(("spec.match.resources", rules)) == [
        "Looks at status writes of jobs.a.io and every kind of b.io in v1 or v2 and writes of apps.a.io."
    ]


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        ("spec.match.namespaces", {"include": ["a", "b-*"]}, "Only namespaces a or b-*."),
        ("spec.match.namespaces", {"exclude": ["kube-*"]}, "No namespaces kube-*."),
        ("spec.match.names", {"include": ["web"]}, "Only objects named web."),
        ("spec.match.users", {"exclude": ["admin"]}, "No writes by admin."),
        (
            "spec.match.objectSelector",
            {"matchLabels": {"tier": "gold"}},
            "Only objects with labels where tier is gold.",
        ),
        (
            "spec.match.objectSelector",
            {
                "matchExpressions": [
                    {"key": "a", "operator": "Exists"},
                    {"key": "b", "operator": "NotIn", "values": ["x"]},
                ]
            },
            "Only objects with labels where a is there and b is not x.",
        ),
        (
            "spec.match.objectSelector",
            {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]},
            "Only objects with labels where a is absent.",
        ),
        ("spec.match.when", [{"field": "spec.x", "operator": "Exists"}], "Only while spec.x is there."),
    ],
)
def test_what_else_is_asked_for_is_told(place: str, value: Any, sentence: str) -> None:
    assert told((place, value))[1:] == [sentence]


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_has_its_sentence(mode: Mode) -> None:
    assert ("nothing" in mode_told(policy(mode=mode))) is (mode is not Mode.ENFORCE)


def test_a_rollout_says_for_how_many_objects_the_mode_holds() -> None:
    others = "of the others the decision log tells what it would do"
    assert mode_told(replace(policy(), rollout=5)) == (
        f"Enforce for 5 percent of the objects, always the same ones; {others}."
    )
    assert mode_told(replace(policy(mode="DryRun"), rollout=5)) == mode_told(policy(mode="DryRun"))
