"""Times that must move, and comparisons that come too early."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from admission.policyfile.loader import read_policies
from tests.offline.samples import POLICY, bent, written

RESTORE: dict[str, Any] = {"restoreTimes": {"path": "status.conditions"}}


def policy(name: str, *steps: dict[str, Any], **spec: Any) -> dict[str, Any]:
    named = bent(POLICY, "metadata", "name", to=name)
    return bent(named, "spec", to={**POLICY["spec"], "trim": list(steps), **spec})


def cut(path: str = "status.conditions[*].message") -> dict[str, Any]:
    return {"truncate": {"paths": [path], "maxBytes": 1000}}


def notes(folder: Path, *policies: dict[str, Any]) -> list[str]:
    file = written(folder, "p.yaml", *policies)
    return [f"{each.path}: {each.message}" for each in read_policies([str(file)]).notes]


def test_a_time_that_deadlines_are_measured_from_is_told(tmp_path: Path) -> None:
    step = {"restoreTimes": {"fields": ["lastTransitionTime", "lastUpdateTime"]}}
    message = (
        "Deployments, Rollouts and MachineDeployments measure their progress deadline from lastUpdateTime; "
        "leave it out of fields unless nobody does so here"
    )
    assert notes(tmp_path, policy("a", step)) == [f"spec.trim[0].restoreTimes: {message}"]


def test_a_cut_after_the_comparison_in_one_policy_is_told(tmp_path: Path) -> None:
    message = "changes after restoreTimes compares it with what is stored; put this step first"
    (note,) = notes(tmp_path, policy("a", RESTORE, cut()))
    assert note == f"spec.trim[1].truncate: status.conditions[*].message {message}"


@pytest.mark.parametrize("priority", [0, 5], ids=["by its name", "by its priority"])
def test_a_policy_that_cuts_after_another_has_compared_is_told(tmp_path: Path, priority: int) -> None:
    message = (
        "status.conditions[*].message changes after policy a (priority 0) compares it with what is stored; "
        "give this policy the lower priority"
    )
    late = policy("b", cut(), priority=priority)
    assert notes(tmp_path, policy("a", RESTORE), late) == [f"spec.trim[0].truncate: {message}"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("status.conditions[*].message", True),
        ("status.conditions[0].details.log", True),
        ("status.conditions[*].*", True),
        ("status.conditions[*].lastProbeTime", False),
        ("status.conditions[*].lastTransitionTime", False),
        ("status.history[*].message", False),
        ("status.message", False),
    ],
)
def test_only_what_is_compared_counts(tmp_path: Path, path: str, told: bool) -> None:
    steps = [RESTORE, {"drop": {"paths": [path]}}]
    assert bool(notes(tmp_path, policy("a", *steps))) is told


def test_with_a_list_of_fields_only_those_count(tmp_path: Path) -> None:
    step = {"restoreTimes": {"unless": ["status", "reason"]}}
    assert notes(tmp_path, policy("a", step, cut())) == []


@pytest.mark.parametrize(
    "policies",
    [
        pytest.param([policy("a", cut(), RESTORE)], id="the cut comes first"),
        pytest.param([policy("a", RESTORE, priority=20), policy("b", cut(), priority=10)], id="the lower priority"),
        pytest.param([policy("a", RESTORE), policy("b", cut(), mode="Off")], id="off"),
        pytest.param(
            [
                policy("a", RESTORE),
                policy("b", cut(), match={"resources": [{"apiGroups": ["b.io"], "resources": ["widgets/status"]}]}),
            ],
            id="another resource",
        ),
    ],
)
def test_what_comes_in_the_right_order_is_not_told(tmp_path: Path, policies: list[dict[str, Any]]) -> None:
    assert notes(tmp_path, *policies) == []


def test_the_presets_are_in_the_right_order() -> None:
    presets = read_policies(["preset:condition-transition-time", "preset:condition-message-cap"])
    assert presets.notes == ()
