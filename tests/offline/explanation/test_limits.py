"""Limits and rules that hold writes back, in a sentence each."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.limits import Limit
from admission.offline.explanation.limits import limit_told, rule_told
from tests.engine.build import limit
from tests.policyfile.sample import bent, read

SPARED = ", unless it makes that no larger than what is stored."


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (limit(1024), "Rejects a write after which the status takes more than 1Ki"),
        (limit(2_000_000, "Object", "Warn"), "Warns of a write after which the object takes more than 2000000 bytes"),
        (limit(5, "status.history"), "Rejects a write after which status.history has more than 5 items"),
        (limit(1, "status.log", length=True), "Rejects a write after which status.log has more than 1 character"),
    ],
)
def test_a_limit_says_what_is_too_big_and_what_comes_of_it(one: Limit, told: str) -> None:
    assert limit_told(one, "status") == told + SPARED


@pytest.mark.parametrize(
    ("measure", "how_far"),
    [
        ({}, "times"),
        ({"within": {"percent": 5}}, "numbers, by at most 5 percent"),
        ({"within": {"quantity": "100Mi"}}, "numbers, by at most 100Mi"),
        ({"within": {"quantity": 0.5}}, "numbers, by at most 0.5"),
        ({"anyValue": True}, "whatever they hold"),
    ],
)
def test_a_rule_says_what_may_wait_and_how_long(measure: dict[str, Any], how_far: str) -> None:
    rule = {"fields": ["status.a", "status.b"], "maxStaleness": "90s", **measure}
    (policy,) = read(bent(("spec.suppress", [rule]))).policies.policies
    assert rule_told(policy.suppress[0]) == (
        f"Holds a write back that changes nothing but status.a and status.b ({how_far}), as long as "
        "what is stored there "
        "is at most 1 minute and 30 seconds old."
    )
