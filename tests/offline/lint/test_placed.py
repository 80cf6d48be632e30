"""Where a step stands, and where policies meet."""

from __future__ import annotations

import pytest

from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Policy, Trim
from admission.engine.steps import CapList
from admission.offline.lint.placed import Placed, meeting
from tests.engine.build import cap_list, policy


def on(group: str, resource: str, *versions: str) -> Policy:
    return policy(cap_list(1), rules=[ResourceRule((group,), (resource,), versions or ("*",))])


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        (on("a.io", "x/status"), on("a.io", "x/status"), "a.io/x/status"),
        (on("a.io", "*/status"), on("a.io", "x/status"), "a.io/x/status"),
        (on("a.io", "x/status"), on("a.io", "*/status"), "a.io/x/status"),
        (on("a.io", "x"), on("a.io", "x/status"), None),
        (on("a.io", "x"), on("b.io", "x"), None),
        (on("a.io", "x", "v1"), on("a.io", "x", "v2"), None),
        (on("a.io", "x", "v1"), on("a.io", "x"), "a.io/x"),
    ],
)
def test_policies_meet_where_both_look(one: Policy, other: Policy, where: str | None) -> None:
    assert meeting(one, other) == where


def test_steps_run_by_priority_then_by_name_then_as_they_stand() -> None:
    def placed(name: str, priority: int, position: int) -> Placed[CapList]:
        step = cap_list(1)
        return Placed(Policy(name, Match(()), (Trim(step),), priority=priority), position, step)

    steps = [placed("b", 0, 1), placed("a", 1, 0), placed("b", 0, 0), placed("a", 0, 9)]
    turns = [step.turn for step in sorted(steps, key=lambda step: step.turn)]
    assert turns == [(0, "a", 9), (0, "b", 0), (0, "b", 1), (1, "a", 0)]


def test_a_finding_without_a_file_to_read_names_the_first_line() -> None:
    finding = Placed(Policy("a", Match(()), source="-:7"), 0, cap_list(1)).says("so")
    assert str(finding) == "-:7: spec.trim[0].capList: so"
