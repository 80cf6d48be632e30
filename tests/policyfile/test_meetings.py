"""Policies meet where both look at the same writes."""

from __future__ import annotations

import pytest

from admission.engine.match import ResourceRule
from admission.engine.policy import Policy
from admission.policyfile.meetings import Meetings
from tests.engine.build import cap_list, policy


def on(group: str, resource: str, *versions: str, name: str = "one", mode: str = "Enforce") -> Policy:
    return policy(cap_list(1), name=name, mode=mode, rules=[ResourceRule((group,), (resource,), versions or ("*",))])


def met(one: Policy, *others: Policy) -> list[tuple[str, str]]:
    return [(other.name, where) for other, where in Meetings([one, *others]).of(one)]


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        (on("a.io", "x/status"), on("a.io", "x/status", name="b"), "a.io/x/status"),
        (on("a.io", "*/status"), on("a.io", "x/status", name="b"), "a.io/x/status"),
        (on("a.io", "x/status"), on("a.io", "*/status", name="b"), "a.io/x/status"),
        (on("a.io", "*/status"), on("a.io", "*/status", name="b"), "a.io/*/status"),
        (on("a.io", "x"), on("a.io", "x/status", name="b"), None),
        (on("a.io", "x"), on("a.io", "*/status", name="b"), None),
        (on("a.io", "x"), on("b.io", "x", name="b"), None),
        (on("a.io", "x", "v1"), on("a.io", "x", "v2", name="b"), None),
        (on("a.io", "x", "v1"), on("a.io", "x", name="b"), "a.io/x"),
    ],
)
def test_policies_meet_where_both_look(one: Policy, other: Policy, where: str | None) -> None:
    assert met(one, other) == ([] if where is None else [("b", where)])


def test_one_in_off_meets_nobody() -> None:
    off = on("a.io", "x", name="b", mode="Off")
    assert met(on("a.io", "x"), off) == met(off, on("a.io", "x")) == []


def test_each_is_met_once_however_many_rules_they_share() -> None:
    twice = [ResourceRule(("a.io",), ("x/status", "*/status"))]
    one, other = (policy(cap_list(1), name=name, rules=twice) for name in "ab")
    assert met(one, other) == [("b", "a.io/x/status")]
