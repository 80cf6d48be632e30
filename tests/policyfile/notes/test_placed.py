"""Where a step stands."""

from __future__ import annotations

from admission.engine.match import Match
from admission.engine.policy import Policy, Trim
from admission.engine.steps import CapList, Drop
from admission.policyfile.lines import Lines
from admission.policyfile.notes.placed import Placed, Read, placed
from tests.engine.build import budget, cap_list, drop, policy


def test_steps_run_by_priority_then_by_name_then_as_they_stand() -> None:
    def at(name: str, priority: int, position: int, inside: int | None = None) -> Placed[CapList]:
        step = cap_list(1)
        return Placed(Read(Policy(name, Match(()), (Trim(step),), priority=priority), Lines()), position, step, inside)

    steps = [at("b", 0, 1, 1), at("b", 0, 1, 0), at("a", 1, 0), at("b", 0, 0), at("a", 0, 9)]
    turns = [step.turn[:3] for step in sorted(steps, key=lambda step: step.turn)]
    assert turns == [(0, "a", 9), (0, "b", 0), (0, "b", 1), (0, "b", 1), (1, "a", 0)]
    assert steps[1].turn < steps[0].turn


def test_a_note_has_file_line_and_path() -> None:
    lines = Lines(7, {"spec": Lines(8, {"trim": Lines(9, {0: Lines(10)})})})
    note = Placed(Read(Policy("a", Match(()), source="p.yaml:7"), lines), 0, cap_list(1)).says("so")
    assert str(note) == "p.yaml:10: spec.trim[0].capList: so"


def test_finds_the_steps_of_a_kind_with_their_positions() -> None:
    read = Read(policy(cap_list(1), drop("status.x"), drop("status.y")), Lines())
    assert [(step.position, str(step.step.paths[0])) for step in placed([read], Drop)] == [
        (1, "status.x"),
        (2, "status.y"),
    ]


def test_finds_the_steps_in_a_budget_where_they_stand() -> None:
    read = Read(policy(cap_list(1), budget(9, cap_list(2), drop("status.x"))), Lines())
    (note,) = (step.says("so") for step in placed([read], Drop))
    assert str(note) == "spec.trim[1].budget.steps[1].drop: so"
    assert [step.conditional for step in placed([read], CapList)] == [False, True]
