"""Policies are judged where the schema of a kind is known."""

from __future__ import annotations

import pytest

from admission.engine.match import ResourceRule
from admission.engine.schema import UNKNOWN, Schema, Schemas
from admission.policyfile.convergence.place import known_place
from admission.policyfile.meetings import Where
from tests.engine.build import cap_list, policy

KNOWN = Schemas({("a.io", version, plural): Schema() for plural in ("jobs", "tasks") for version in ("v1beta1", "v2")})


def looking(*endpoints: str, versions: tuple[str, ...] = ("*",), group: str = "a.io") -> list[ResourceRule]:
    return [ResourceRule((group,), endpoints, versions)]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param(looking("jobs/status"), Where("a.io", "jobs/status", "v1beta1"), id="any version"),
        pytest.param(looking("jobs/status", versions=("v2",)), Where("a.io", "jobs/status", "v2"), id="its version"),
        pytest.param(looking("*/status"), Where("a.io", "jobs/status", "v1beta1"), id="any resource"),
        pytest.param(looking("jobs"), Where("a.io", "jobs", "v1beta1"), id="the main resource"),
        pytest.param(looking("pods/status"), Where("a.io", "pods/status"), id="an unknown kind"),
        pytest.param(looking("jobs/status", group="b.io"), Where("b.io", "jobs/status"), id="an unknown group"),
    ],
)
def test_a_resource_and_version_whose_schema_is_known(rules: list[ResourceRule], expected: Where) -> None:
    made = policy(cap_list(2), rules=rules)
    assert known_place(Where.first_of(made), [made], KNOWN) == expected


def test_all_policies_look_there() -> None:
    one, other = policy(rules=looking("*/status")), policy(rules=looking("tasks/status", versions=("v2", "v3")))
    assert known_place(Where("a.io", "tasks/status", "v3"), [one, other], KNOWN) == Where("a.io", "tasks/status", "v2")


def test_nothing_known_changes_nothing() -> None:
    where = Where("a.io", "jobs/status")
    assert known_place(where, [policy()], UNKNOWN) is where
