"""Paths that never lead anywhere are told once, after enough reviews."""

from __future__ import annotations

import pytest

from admission.engine.decision import Decision, Outcome, PolicyReport, StepReport
from admission.observe.typos import Typos


def decision(*found: bool | None, policy: str = "p", path: str = "status.typo") -> Decision:
    """A decision in which each step of a policy found its path, did not, or did not run."""
    steps = tuple(StepReport("drop", f"{path}{number}", found=each) for number, each in enumerate(found))
    return Decision(Outcome.UNCHANGED, policies=(PolicyReport(policy, "DryRun", Outcome.UNCHANGED, steps=steps),))


def told(typos: Typos, *decisions: Decision) -> list[tuple[int, str, str]]:
    """Which path was told after which decision."""
    return [
        (number, policy, step.path) for number, each in enumerate(decisions, 1) for policy, step in typos.in_vain(each)
    ]


@pytest.mark.parametrize(
    ("found", "after"),
    [
        pytest.param([False] * 9, [3], id="told once, after so many"),
        pytest.param([False] * 2, [], id="not yet"),
        pytest.param([False, False, True, False, False, False], [], id="it led somewhere once"),
        pytest.param([True, *[False] * 9], [], id="at first"),
        pytest.param([None] * 9, [], id="the step never ran"),
        pytest.param([False, None, False, None, False], [5], id="reviews in which it did not run do not count"),
    ],
)
def test_a_path_that_never_leads_anywhere_is_told(found: list[bool | None], after: list[int]) -> None:
    assert [number for number, *_ in told(Typos(enough=3), *map(decision, found))] == after


def test_each_step_counts_by_itself() -> None:
    typos = Typos(enough=2)
    first = told(typos, decision(True, False), decision(False, False), decision(False, False, policy="q"))
    assert first == [(2, "p", "status.typo1")]
    assert told(typos, decision(False, False, policy="q")) == [(1, "q", "status.typo0"), (1, "q", "status.typo1")]


def test_a_path_that_was_mended_is_another_one() -> None:
    typos = Typos(enough=2)
    mended = decision(False, path="status.mended")
    assert told(typos, decision(False), mended, decision(False), mended) == [
        (3, "p", "status.typo0"),
        (4, "p", "status.mended0"),
    ]


def test_what_is_remembered_is_bounded() -> None:
    typos = Typos(capacity=10)
    for number in range(100):
        typos.in_vain(decision(False, policy=f"p{number}"))
        assert len(typos) <= 10
