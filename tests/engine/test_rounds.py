"""Rounds end when nothing changes any more, and say what every step did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from admission.engine.attributes import STATUS
from admission.engine.decision import Outcome, Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.policy import Policy, Trim
from admission.engine.rounds import MOST_ROUNDS, Rounds
from admission.engine.sides import Of
from admission.engine.steps import Budget, Effect
from tests.engine.build import NOW, Json, cap_list, custom_resource, only, path, policy, write


def run(policies: list[Policy], status: Json) -> Rounds:
    return Rounds(policies, Document.of(write(custom_resource(status)), (STATUS,)), NOW)


@dataclass(frozen=True, slots=True)
class Nibble:
    """Removes the first item of a list as long as there are more than ``left``: it takes a round for each."""

    kind: ClassVar[str] = "nibble"

    left: int

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        return (path("status.history"),)

    @property
    def licence(self) -> Licence:
        return Licence(shrinking=self.paths)

    def apply(self, document: Document, now: int) -> Effect:
        effect = Effect()
        for trail, items in document.lists(self.paths[0]):
            if len(items) > self.left:
                effect.items += 1
                effect.bytes += document.remove_items(trail, items, [0])
        return effect


@pytest.mark.parametrize(
    ("surplus", "converged"), [(0, True), (1, True), (MOST_ROUNDS, True), (MOST_ROUNDS + 1, False), (9, False)]
)
def test_a_change_after_the_last_round_that_may_is_no_convergence(surplus: int, converged: bool) -> None:
    rounds = run([policy(Nibble(1))], {"history": list(range(1 + surplus))})
    assert rounds.converged is converged
    (report,) = rounds.reports(Outcome.TRIMMED)
    assert report.items == min(surplus, MOST_ROUNDS + 1)


def test_steps_in_a_budget_are_told_behind_it_when_they_ran_and_their_rounds_add_up() -> None:
    inner = [Trim(Nibble(2)), only("status.phase In Done", cap_list(0)), Trim(Nibble(1)), Trim(cap_list(0))]
    budget = Budget(len('{"history":[2,3]}'), Of.STATUS, tuple(inner))
    (report,) = run([policy(budget)], {"history": [0, 1, 2, 3]}).reports(Outcome.TRIMMED)
    assert [(step.step, step.found, step.items) for step in report.steps] == [
        ("budget", True, 0),
        ("budget.nibble", False, 1),
        ("budget.nibble", False, 1),
    ]
    assert report.bytes_removed == len("0,1,")


def test_what_a_step_does_in_several_rounds_adds_up() -> None:
    (report,) = run([policy(Nibble(1))], {"history": [10, 11, 12]}).reports(Outcome.TRIMMED)
    assert (report.outcome, report.items, report.bytes_removed) == (Outcome.TRIMMED, 2, len("10,11,"))


def test_a_policy_whose_when_is_met_only_after_another_has_trimmed_gets_its_turn() -> None:
    later = policy(cap_list(1, at="status.other"), name="a-later", when=["status.history[2] DoesNotExist"])
    rounds = run([later, policy(cap_list(2), name="b-first")], {"history": [1, 2, 3], "other": [1, 2]})
    assert [report.outcome for report in rounds.reports(Outcome.TRIMMED)] == [Outcome.TRIMMED, Outcome.TRIMMED]


def test_a_step_that_did_not_run_found_nothing_and_missed_nothing() -> None:
    never = policy(only("status.phase In Done", cap_list(1)), cap_list(9), cap_list(9, at="status.nowhere"))
    (report,) = run([never], {"history": [1, 2], "phase": "Running"}).reports(Outcome.TRIMMED)
    assert [step.found for step in report.steps] == [None, True, False]


def test_a_policy_whose_when_is_not_met_says_so() -> None:
    (report,) = run([policy(cap_list(1), when=["status.phase Exists"])], {"history": [1, 2]}).reports(Outcome.TRIMMED)
    assert (report.outcome, report.reason) == (Outcome.UNCHANGED, Reason.WHEN_NOT_MET)
    assert [step.found for step in report.steps] == [None]
