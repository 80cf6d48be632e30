"""A short run with every test run, and that a run finds, shrinks and repeats what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.steps import STEPS, Budget, RestoreTimes
from tests.engine.pair import Pair
from tests.engine.strategies.schemas import ROOTS
from tests.fuzz import __main__ as command
from tests.fuzz import jobs
from tests.fuzz.judging import wrong
from tests.fuzz.review import Review, make
from tests.fuzz.run import Failure, Summary, run
from tests.fuzz.shrinking import smaller


@pytest.fixture(scope="module")
def short_run() -> Summary:
    """A run that takes some ten seconds."""
    return run(seed=7, numbers=range(2_000))


def test_random_reviews_are_answered_rightly(short_run: Summary) -> None:
    assert [str(failure) for failure in short_run.failures] == []


def test_every_outcome_is_reached(short_run: Summary) -> None:
    assert short_run.coverage.reached("outcome") == {outcome.value for outcome in Outcome}
    assert {"damaged 200", "damaged 400"} <= short_run.outcomes.keys()


def test_every_reason_is_reached(short_run: Summary) -> None:
    told = short_run.coverage.reached("reason") | short_run.coverage.reached("reason of a policy")
    assert told == {reason.value or "(none)" for reason in Reason} - {Reason.SHED.value}  # only the server sheds


ACTING = [step for step in STEPS if step is not Budget]
"""A budget changes nothing itself: the steps that it runs do."""


@pytest.mark.parametrize("what", ["acted", "found nothing to do", "did not find its path", "did not run"])
def test_every_step_does_everything_it_can(short_run: Summary, what: str) -> None:
    assert {f"{step.kind} {what}" for step in ACTING} <= short_run.coverage.reached("step")


def test_every_step_stops_for_an_applier_and_for_a_schema(short_run: Summary) -> None:
    reasons = short_run.coverage.reached("reason of a step")
    assert {f"{step.kind} {Reason.CO_OWNED}" for step in ACTING} <= reasons
    often = [step for step in ACTING if step is not RestoreTimes]  # a stored text that is too short is rare
    assert {f"{step.kind} {Reason.SCHEMA_REQUIRES}" for step in often} <= reasons


def test_every_kind_of_heartbeat_is_held_back_and_only_observed(short_run: Summary) -> None:
    kinds = {f"suppress {kind}" for kind in ("Times", "Percent", "Amount", "AnyValue")}
    assert kinds <= short_run.coverage.reached("way in which a step acted")
    told = short_run.coverage.reached("outcome of a policy")
    assert {"Suppressed in Enforce", "WouldSuppress in Warn", "WouldSuppress in DryRun"} <= told


def test_appliers_get_back_what_they_lost(short_run: Summary) -> None:
    assert "an entry that was dropped comes back" in short_run.coverage.reached("managedFields")


def test_every_criterion_keeps_policies_away(short_run: Summary) -> None:
    criteria = {"(none)", "mode", "resources", "namespaces", "names", "users", "objectSelector"}
    assert short_run.coverage.reached("criterion that kept a policy away") == criteria


def test_every_kind_of_limit_is_passed(short_run: Summary) -> None:
    assert short_run.coverage.reached("too big") == {"bytes of a root", "bytes of the object", "items", "characters"}


def test_every_root_is_trimmed(short_run: Summary) -> None:
    trimmed = {f"replace in /{root}" for root in ROOTS} | {"replace in /metadata"}
    assert trimmed <= short_run.coverage.reached("operation")


def test_every_cause_of_a_fault_is_met(short_run: Summary) -> None:
    causes = {"(none)", "bad_review", "undecodable", "too_deep", "bad_document"}
    assert short_run.coverage.reached("fault of a damaged review") == causes


def test_the_table_tells_reviews_per_ten_thousand(short_run: Summary) -> None:
    lines = str(short_run.coverage).splitlines()
    assert "outcome" in lines
    assert any(line.startswith("  Trimmed  ") and float(line.split()[-1]) > 500 for line in lines)


def test_several_processes_find_what_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "CHUNK", 20)
    alone, together = (jobs.run_by(count, 1, range(60), oracle=severe) for count in (1, 2))
    assert [failure.number for failure in together.failures] == [failure.number for failure in alone.failures]
    assert together.failures == alone.failures != []
    assert (together.reviews, together.outcomes) == (60, alone.outcomes)
    assert together.coverage == alone.coverage


def test_a_review_is_made_anew_from_its_number() -> None:
    assert make(1, 5) == make(1, 5)
    assert make(1, 5).body == make(1, 5).body
    assert make(1, 5) != make(1, 6) != make(2, 5)


def severe(pair: Pair, decision: Decision) -> list[str]:
    """An oracle that takes every trim for a fault: the handler has none to show."""
    return ["a list lost items"] if any(op.path.startswith("/status/") for op in decision.patch) else []


def test_a_failure_is_found_made_small_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = next(number for number in range(100) if wrong(make(1, number), severe))
    small = smaller(make(1, number), severe)
    assert wrong(small, severe) == ["a list lost items"]
    assert len(small.body) < len(make(1, number).body)
    assert len(small.pair.policies) == len(small.pair.policies[0].trim) == 1
    assert command.main(["--seed", "1", "--only", str(number), "--save", str(tmp_path)], severe) == 1
    saved = (tmp_path / f"seed-1-review-{number}.txt").read_text()
    assert f"--seed 1 --only {number}" in saved
    assert "1 failed" in capsys.readouterr().out


def test_a_run_without_failures_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--reviews", "20", "--save", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("seed 1: 20 reviews, 41 pairs of a policy and an object (15 Unchanged, ")
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
