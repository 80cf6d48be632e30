"""The steps that another step may run."""

from __future__ import annotations

from admission.engine.steps import Budget
from admission.policyfile.models import ACTING_MODELS, STEP_MODELS


def test_every_step_but_those_that_run_others_acts_itself() -> None:
    assert STEP_MODELS.keys() - ACTING_MODELS.keys() == {Budget.kind}
