"""What every step has."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from admission.engine.decision import Reason
from admission.engine.steps import STEPS, Effect, Step
from tests.engine.build import cap_conditions, cap_list, cap_map, dedupe, drop, expire, truncate

SAMPLES: list[Step] = [
    cap_conditions(1),
    cap_list(1),
    expire("1h"),
    dedupe("First", ["k"]),
    cap_map(1),
    truncate(40),
    drop("status.extra"),
]


@pytest.mark.parametrize("step", SAMPLES, ids=lambda step: step.kind)
def test_a_step_is_a_value_that_knows_its_paths(step: Step) -> None:
    assert step.paths
    assert hash(step) == hash(step)
    assert step == replace(step)  # type: ignore[type-var]


@pytest.mark.parametrize("step", SAMPLES, ids=lambda step: step.kind)
def test_a_step_may_change_only_what_its_paths_lead_to(step: Step) -> None:
    licence = step.licence
    named = {getattr(one, "path", one) for kind in fields(licence) for one in getattr(licence, kind.name)}
    assert named == set(step.paths)


def test_every_step_is_in_the_table_once_under_its_own_key() -> None:
    kinds = [step.kind for step in STEPS]
    assert len(set(kinds)) == len(kinds)
    assert {step.kind for step in SAMPLES} <= set(kinds)


def test_an_effect_starts_with_nothing() -> None:
    assert Effect() == Effect(found=False, items=0, bytes=0, reason=Reason.NONE)
