"""A short run with every test run, and that a run finds, shrinks and repeats what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from admission.engine.decision import Decision
from tests.fuzz import __main__ as command
from tests.fuzz.run import Failure, Review, Summary, make, run, smaller, wrong


def test_two_thousand_reviews_are_answered_rightly() -> None:
    summary = run(seed=7, numbers=range(2_000))
    assert [str(failure) for failure in summary.failures] == []
    assert {
        "Unchanged",
        "Trimmed",
        "Suppressed",
        "WouldTrim",
        "Rejected",
        "WouldReject",
        "damaged 200",
        "damaged 400",
    } <= summary.outcomes.keys()


def test_a_review_is_made_anew_from_its_number() -> None:
    assert make(1, 5) == make(1, 5)
    assert make(1, 5).body == make(1, 5).body
    assert make(1, 5) != make(1, 6) != make(2, 5)


def severe(policies: object, attributes: object, decision: Decision) -> list[str]:
    """An oracle that takes every trim for a fault: the handler has none to show."""
    return ["a list lost items"] if any(op.path.startswith("/status/") for op in decision.patch) else []


def test_a_failure_is_found_made_small_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = next(number for number in range(100) if wrong(make(1, number), severe))
    small = smaller(make(1, number), severe)
    assert wrong(small, severe) == ["a list lost items"]
    assert len(small.body) < len(make(1, number).body)
    assert len(small.policies) == len(small.policies[0].trim) == 1
    assert command.main(["--seed", "1", "--only", str(number), "--save", str(tmp_path)], severe) == 1
    saved = (tmp_path / f"seed-1-review-{number}.txt").read_text()
    assert f"--seed 1 --only {number}" in saved
    assert "1 failed" in capsys.readouterr().out


def test_a_run_without_failures_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--reviews", "20", "--save", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("seed 1: 20 reviews (")
    assert list(tmp_path.iterdir()) == []


def test_damage_is_repeatable_and_never_the_whole_review() -> None:
    review: Review = next(one for one in (make(1, number) for number in range(100)) if one.damage)
    assert review.body == review.body
    assert review.body != replace(review, damage="").body
    assert wrong(review) == []


def test_a_failure_says_how_to_repeat_it() -> None:
    failure = Failure(3, 14, make(3, 14), ("something",))
    assert "python -m tests.fuzz --seed 3 --only 14" in str(failure)
    assert str(Summary(1, failures=[failure])).endswith("1 failed")
