"""When a policy may have something to do; what that means is judged in ``test_judged``."""

from __future__ import annotations

import pytest

from admission.engine.policy import Policy
from admission.engine.steps import STEPS, Step
from admission.prefilter.condition import _TESTS, Undecided, need_of, need_of_limits
from admission.prefilter.guarded import Cel
from tests.engine.build import budget, cap_list, drop, fit_schema, limit, only, policy, suppress


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        pytest.param(policy(fit_schema()), "fitSchema goes by the schema", id="a step that reads the schema"),
        pytest.param(policy(cap_list(1), limits=[limit(10)]), "maxBytes counts bytes", id="a limit in bytes"),
        pytest.param(policy(budget(10, fit_schema())), "fitSchema", id="inside a budget"),
    ],
)
def test_what_cel_cannot_decide_says_why(made: Policy, reason: str) -> None:
    found = need_of(made)
    assert isinstance(found, Undecided)
    assert reason in found.reason


def test_a_budget_has_something_to_do_when_one_of_its_steps_has() -> None:
    inside: list[Step] = [cap_list(1), drop("status.x")]
    assert need_of(policy(budget(10, *inside))) == need_of(policy(*inside))


def test_conditions_of_steps_and_policies_are_left_out() -> None:
    asking = policy(only("status.phase In Done", cap_list(1)), when=["status.phase Exists"])
    assert need_of(asking) == need_of(policy(cap_list(1)))


def test_the_validating_phase_asks_for_limits_alone() -> None:
    made = policy(cap_list(1), suppress=[suppress()], limits=[limit(5, "status.history")])
    found = need_of_limits(made)
    assert isinstance(found, Cel)
    assert found.text.endswith("size(object.status.history) > 5")
    assert need_of_limits(policy(cap_list(1))) == Cel.of("false")


def test_every_step_is_decided_or_known_not_to_be() -> None:
    assert {step.kind for step in STEPS} - {step.kind for step in _TESTS} == {"fitSchema", "budget"}
