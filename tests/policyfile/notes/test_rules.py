"""Resources that a cluster may name otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from admission.policyfile.loader import read_policies
from admission.policyfile.notes.rules import WITHOUT_STATUS
from tests.offline.samples import POLICY, bent, written

SHIPPED = Path(__file__).resolve().parents[3] / "policies"


def noted(folder: Path, *resources: str, group: str = "example.com", **spec: Any) -> list[str]:
    rules = [{"apiGroups": [group], "resources": list(resources)}]
    policy = bent(POLICY, "spec", to={**POLICY["spec"], "match": {"resources": rules}, **spec})
    return [
        f"{each.path.removeprefix('spec.match.')}: {each.message}"
        for each in read_policies([str(written(folder, "p.yaml", policy))]).notes
    ]


@pytest.mark.parametrize(
    ("resource", "plural"),
    [
        ("gadget/status", "gadgets/status"),
        ("policy/status", "policies/status"),
        ("gateway/status", "gateways/status"),
        ("box/status", "boxes/status"),
    ],
)
def test_a_singular_is_noted_with_its_plural(tmp_path: Path, resource: str, plural: str) -> None:
    (told,) = noted(tmp_path, "widgets/status", resource)
    assert told == (
        f"resources[0].resources[1]: {resource.partition('/')[0]} looks like a singular, and a rule matches by the "
        f"plural: {plural}; kubectl api-resources tells the name"
    )


def test_a_forgotten_status_is_noted(tmp_path: Path) -> None:
    (told,) = noted(tmp_path, "gadgets")
    assert told == (
        "resources[0].resources[0]: gadgets matches writes to the main resource alone, which change the status only "
        "of a kind without status subresource; most kinds have one: write gadgets/status"
    )


def test_a_singular_without_status_is_both(tmp_path: Path) -> None:
    singular, main = noted(tmp_path, "gadget")
    assert "by the plural: gadgets;" in singular
    assert main.endswith("most kinds have one: write gadgets/status")


@pytest.mark.parametrize(
    "resources",
    [
        pytest.param(["gadgets/status"], id="the usual"),
        pytest.param(["*/status"], id="every status"),
        pytest.param(["gadgets", "gadgets/status"], id="both forms"),
        pytest.param(["gadgets", "*/status"], id="every status beside it"),
        pytest.param(["ingress/status"], id="what ends in s is taken for a plural"),
    ],
)
def test_what_may_well_be_meant_is_left_alone(tmp_path: Path, resources: list[str]) -> None:
    assert noted(tmp_path, *resources) == []


def test_another_root_than_the_status_is_written_with_the_main_resource(tmp_path: Path) -> None:
    trim = [{"capList": {"path": "results", "max": 2, "order": "NewestLast"}}]
    assert noted(tmp_path, "reports", root="results", trim=trim) == []


@pytest.mark.parametrize(("group", "resource"), sorted(WITHOUT_STATUS))
def test_known_kinds_without_status_subresource_are_left_alone(tmp_path: Path, group: str, resource: str) -> None:
    assert noted(tmp_path, resource, group=group) == []
    assert len(noted(tmp_path, resource, group=f"x.{group}")) == 1


def test_the_known_kinds_are_those_of_the_policies_that_ship() -> None:
    loaded = read_policies([str(SHIPPED)])
    named = {
        (group, resource)
        for policy in loaded.policies.policies
        for rule in policy.match.resources
        for group in rule.groups
        for resource in rule.resources
        if "/" not in resource
    }
    assert named == WITHOUT_STATUS
    assert loaded.notes == ()
