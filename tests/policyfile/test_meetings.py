"""Policies meet where both look at the same writes."""

from __future__ import annotations

import pytest

from admission.engine.match import Globs, ResourceRule
from admission.engine.policy import Policy
from admission.policyfile.meetings import Meetings, Where
from tests.engine.build import cap_list, policy


def on(group: str, resource: str, *versions: str, name: str = "one", mode: str = "Enforce") -> Policy:
    return policy(cap_list(1), name=name, mode=mode, rules=[ResourceRule((group,), (resource,), versions or ("*",))])


def met(one: Policy, *others: Policy) -> list[tuple[str, str]]:
    return [(other.name, str(where)) for other, where in Meetings([one, *others]).of(one)]


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


@pytest.mark.parametrize(
    ("mine", "theirs", "meets"),
    [
        (Globs(("team-a",)), Globs(("team-b",)), False),
        (Globs(("team-a",)), Globs(("team-b", "team-a")), True),
        (Globs(("team-a",)), Globs(("team-*",)), True),
        (Globs(("team-a",)), Globs(("*",), ("team-a",)), False),
        (Globs(("a-*",)), Globs(("b-*",)), True),
        (Globs(), Globs(("team-b",)), True),
    ],
    ids=str,
)
def test_policies_that_list_other_namespaces_do_not_meet(mine: Globs, theirs: Globs, meets: bool) -> None:
    one, other = (policy(cap_list(1), name=name, namespaces=globs) for name, globs in (("a", mine), ("b", theirs)))
    assert bool(met(one, other)) is bool(met(other, one)) is meets


@pytest.mark.parametrize(
    ("one", "other", "version"),
    [
        (on("a.io", "x"), on("a.io", "x", name="b"), "v1"),
        (on("a.io", "x", "v1alpha1"), on("a.io", "x", name="b"), "v1alpha1"),
        (on("a.io", "x"), on("a.io", "x", "v2", name="b"), "v2"),
        (on("a.io", "x", "v3", "v2"), on("a.io", "x", "v2", name="b"), "v2"),
    ],
)
def test_they_meet_in_a_version_of_both(one: Policy, other: Policy, version: str) -> None:
    ((_, where),) = Meetings([one, other]).of(one)
    assert where == Where("a.io", "x", version)


def test_a_resource_has_its_plural_and_its_subresource() -> None:
    job, any_status, own = Where("a.io", "jobs/status"), Where("a.io", "*/status"), Where("a.io", "apps")
    assert [(each.resource, each.subresource) for each in (job, any_status, own)] == [
        ("jobs", "status"),
        ("samples", "status"),
        ("apps", ""),
    ]
    assert Where.first_of(on("a.io", "x/status", "v2")) == Where("a.io", "x/status", "v2")


def test_one_in_off_meets_nobody() -> None:
    off = on("a.io", "x", name="b", mode="Off")
    assert met(on("a.io", "x"), off) == met(off, on("a.io", "x")) == []


def test_each_is_met_once_however_many_rules_they_share() -> None:
    twice = [ResourceRule(("a.io",), ("x/status", "*/status"))]
    one, other = (policy(cap_list(1), name=name, rules=twice) for name in "ab")
    assert met(one, other) == [("b", "a.io/x/status")]
