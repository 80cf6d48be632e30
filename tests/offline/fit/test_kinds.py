"""Rules that cover kinds, and rules that cover none: each message word for word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.crd.sample import crd, version
from tests.offline.fit.holding import held, note, policy, problem, rule

WIDGETS = crd(version("v1"), version("v1beta1", served=False))
PLAIN = crd(version("v1", subresource=False), plural="plains", kind="Plain")
MIXED = crd(version("v1"), version("v1alpha1", subresource=False), plural="mixes", kind="Mix")
OTHER = crd(plural="jobs", kind="Job", group="batch.volcano.sh")
ALL = (WIDGETS, PLAIN, MIXED, OTHER)

CAP = {"capConditions": {"max": 5}}
MIXED_NAME = "mixes.example.com"
LEFT = "a write of {} leaves the status as it is stored"
ADD = "add a rule for {} with apiVersions: [{}]"
RESOURCE = "spec.match.resources[0].resources[0]"


def with_rule(*resources: str, **more: Any) -> dict[str, Any]:
    return policy(CAP, match=rule(*resources, **more))


@pytest.mark.parametrize(
    "match",
    [
        pytest.param(rule("widgets/status"), id="by name"),
        pytest.param(rule("plains"), id="a kind without a status subresource"),
        pytest.param(rule("*/status"), id="all of a group"),
        pytest.param(rule("widgets/status", apiVersions=["*"]), id="all versions"),
        pytest.param(rule("widgets/status", apiVersions=["v1"]), id="a version that is served"),
        pytest.param(rule("mixes/status", apiVersions=["v1"]), id="a version with a status subresource"),
        pytest.param(rule("mixes", apiVersions=["v1alpha1"]), id="a version without"),
        pytest.param(rule("jobs/status", group="batch.volcano.sh"), id="another group"),
    ],
)
def test_a_rule_that_covers_a_kind_has_nothing_to_say(tmp_path: Path, match: dict[str, Any]) -> None:
    assert held(tmp_path, policy(CAP, match=match), *ALL) == ([], [])


@pytest.mark.parametrize(
    ("resource", "told"),
    [
        ("widget/status", "widget is the singular of widgets, and a rule names the plural; write widgets/status"),
        ("wi/status", "wi is a short name of widgets; write widgets/status"),
        ("wigdets/status", "no CRD of the group example.com has the resource wigdets; did you mean widgets/status?"),
        ("plian", "no CRD of the group example.com has the resource plian; did you mean plains?"),
        ("jobs/status", "no CRD of the group example.com has the resource jobs; batch.volcano.sh has it"),
        ("xyzs/status", "no CRD of the group example.com has the resource xyzs; it has mixes, plains, widgets"),
        ("plains/status", "plains.example.com has no status subresource; write plains"),
        (
            "widgets",
            f"widgets.example.com has a status subresource: {LEFT.format('widgets')}; write widgets/status",
        ),
        (
            "mixes/status",
            f"mixes.example.com has no status subresource in v1alpha1; {ADD.format('mixes', 'v1alpha1')}",
        ),
        (
            "mixes",
            f"{MIXED_NAME} has a status subresource in v1: {LEFT.format('mixes')}; {ADD.format('mixes/status', 'v1')}",
        ),
    ],
)
def test_a_resource_that_no_kind_has_is_a_problem(tmp_path: Path, resource: str, told: str) -> None:
    assert problem(tmp_path, with_rule(resource), *ALL) == f"{RESOURCE}: {told}"


def test_a_group_whose_kinds_have_no_status_subresource_is_a_problem(tmp_path: Path) -> None:
    told = "no kind of the group example.com has a status subresource; name the resources without /status"
    assert problem(tmp_path, with_rule("*/status"), PLAIN) == f"{RESOURCE}: {told}"


@pytest.mark.parametrize(
    ("versions", "told"),
    [
        (["v2"], 'widgets.example.com has no version v2; write v1, or "*" for all'),
        (["v1beta1"], 'widgets.example.com does not serve its version v1beta1; write v1, or "*" for all'),
    ],
)
def test_a_version_that_is_not_served_is_a_problem(tmp_path: Path, versions: list[str], told: str) -> None:
    for apart in (versions, ["v1", *versions]):
        at = f"spec.match.resources[0].apiVersions[{len(apart) - 1}]"
        assert problem(tmp_path, with_rule("widgets/status", apiVersions=apart), *ALL) == f"{at}: {told}"


def test_a_kind_that_serves_nothing_is_a_problem(tmp_path: Path) -> None:
    gone = crd(version("v1", served=False))
    told = "widgets.example.com does not serve its version v1; it serves none at all"
    assert problem(tmp_path, with_rule("widgets/status", apiVersions=["v1"]), gone) == (
        f"spec.match.resources[0].apiVersions[0]: {told}"
    )


def test_a_version_is_told_once_for_two_resources_of_a_rule(tmp_path: Path) -> None:
    problems, _ = held(tmp_path, with_rule("widgets/status", "widgets/status", apiVersions=["v1", "v2"]), *ALL)
    assert len(problems) == 1


def test_a_group_that_is_misspelt_is_a_problem(tmp_path: Path) -> None:
    document = policy(CAP, match=rule("jobs/status", group="batch.volcano.io"))
    told = "no CRD is of the group batch.volcano.io; did you mean batch.volcano.sh?"
    assert problem(tmp_path, document, *ALL) == f"spec.match.resources[0].apiGroups[0]: {told}"


def test_a_group_of_which_nothing_is_known_is_noted(tmp_path: Path) -> None:
    document = policy(CAP, match=rule("rollouts/status", group="argoproj.io"))
    told = "no CRD of the group argoproj.io is known, so what this rule covers in it is not checked"
    assert note(tmp_path, document, *ALL) == f"spec.match.resources[0].apiGroups[0]: {told}"


def test_another_root_than_the_status_is_written_with_the_main_resource(tmp_path: Path) -> None:
    results = {"type": "array", "items": {"type": "string"}}
    kind = version("v1")
    kind["schema"]["openAPIV3Schema"]["properties"]["results"] = results
    trim = {"capList": {"path": "results", "max": 5, "order": "NewestLast"}}
    document = policy(trim, root="results", match=rule("widgets"))
    assert held(tmp_path, document, crd(kind)) == ([], [])


def test_what_was_guessed_without_crds_is_not_said_where_they_know_better(tmp_path: Path) -> None:
    fish = crd(version("v1", subresource=False), plural="fish", kind="Fish")
    document = with_rule("fish")
    assert held(tmp_path, document, fish) == ([], [])
    _, notes = held(tmp_path, document, OTHER)
    assert len(notes) == 3, "a singular, a main resource, and a group that is not known"
