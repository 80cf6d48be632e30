"""Savings are counted once a write, however many calls it took."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome, PolicyReport, StepReport
from admission.engine.instant import SECOND
from admission.observe.identity import identity_of
from admission.observe.ledger import Ledger
from admission.observe.saving import Saving, savings_of
from admission.review.request import decode
from tests.observe.answers import TRIMMED, with_outcome
from tests.review_sample import condition, custom_resource, review

SUPPRESSED = with_outcome(Outcome.SUPPRESSED)
WOULD_TRIM = Decision(Outcome.WOULD_TRIM, policies=(PolicyReport("p", "DryRun", Outcome.WOULD_TRIM),))
WOULD_SUPPRESS = Decision(Outcome.WOULD_SUPPRESS, policies=(PolicyReport("p", "Warn", Outcome.WOULD_SUPPRESS),))


def metadata(uid: str, version: str, **more: Any) -> dict[str, Any]:
    return {"name": "train-mpi", "resourceVersion": version, "uid": uid, **more}


def call(version: str | int = 1042, uid: str = "object-1", said: int = 4, **changes: Any) -> Attributes:
    """A call that sees this version of an object stored, and says so many conditions."""
    stored = custom_resource() | {"metadata": metadata(uid, str(version))}
    sent = custom_resource(said) | {"metadata": metadata(uid, str(version))}
    return decode(review(**{"object": sent, "oldObject": stored} | changes))


def savings(ledger: Ledger, attributes: Attributes, decision: Decision) -> list[Saving]:
    return ledger.savings(attributes, identity_of(attributes), decision, 0)


def counts(ledger: Ledger, *calls: tuple[Attributes, Decision]) -> list[int]:
    """How many savings each of the calls adds."""
    return [len(savings(ledger, attributes, decision)) for attributes, decision in calls]


# --- which calls are one write ---


def test_calls_that_see_the_same_version_are_one_trimmed_write() -> None:
    calls = [(call(said=said), TRIMMED) for said in (4, 5, 6)]
    assert counts(Ledger(), *calls) == [1, 0, 0]


def test_the_next_version_is_another_write() -> None:
    assert counts(Ledger(), (call(7), TRIMMED), (call(8), TRIMMED), (call(10), TRIMMED)) == [1, 1, 1]


def test_versions_are_numbers() -> None:
    assert counts(Ledger(), (call(9), TRIMMED), (call(10), TRIMMED), (call(9), TRIMMED)) == [1, 1, 0]


def test_a_call_that_sees_an_older_version_cannot_land() -> None:
    ledger = Ledger()
    assert counts(ledger, (call(8), TRIMMED), (call(7), TRIMMED), (call(7), SUPPRESSED), (call(7), WOULD_TRIM)) == [
        1,
        0,
        0,
        0,
    ]


def test_objects_are_told_apart_by_their_uid() -> None:
    assert counts(Ledger(), (call(uid="a"), TRIMMED), (call(uid="b"), TRIMMED), (call(uid="a"), TRIMMED)) == [1, 1, 0]


def test_suppressed_writes_leave_the_version_and_are_told_apart_by_what_they_say() -> None:
    calls = [(call(said=said), SUPPRESSED) for said in (4, 4, 5, 5, 4)]
    assert counts(Ledger(), *calls) == [1, 0, 1, 0, 1]


def test_the_time_in_the_metadata_is_nothing_that_a_write_says() -> None:
    sent = [
        custom_resource(4) | {"metadata": metadata("object-1", "1042", managedFields=[{"time": time}])}
        for time in ("2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z")
    ]
    assert counts(Ledger(), *((call(object=each), SUPPRESSED) for each in sent)) == [1, 0]


def test_a_write_that_is_suppressed_and_one_that_lands_are_two() -> None:
    ledger = Ledger()
    assert counts(ledger, (call(), TRIMMED), (call(said=5), SUPPRESSED), (call(), TRIMMED)) == [1, 1, 0]


@pytest.mark.parametrize("decision", [WOULD_TRIM, WOULD_SUPPRESS], ids=["WouldTrim", "WouldSuppress"])
def test_writes_of_policies_that_only_look_land_and_make_a_version_each(decision: Decision) -> None:
    calls = [(call(version, said=said), decision) for version, said in ((7, 4), (7, 5), (8, 5))]
    assert counts(Ledger(), *calls) == [1, 0, 1]


def test_what_was_done_and_what_would_have_been_are_counted_apart() -> None:
    both = Decision(Outcome.TRIMMED, policies=WOULD_TRIM.policies, bytes_before=9, bytes_after=5)
    ledger = Ledger()
    assert savings(ledger, call(), both) == [Saving("Enforce", False, 4), Saving("DryRun", False, 0)]
    assert counts(ledger, (call(), both), (call(), WOULD_TRIM), (call(), TRIMMED)) == [0, 0, 0]


# --- what counts nothing ---


@pytest.mark.parametrize("decision", [TRIMMED, SUPPRESSED, WOULD_TRIM])
def test_a_caller_that_only_tries_saves_nothing_and_hides_nothing(decision: Decision) -> None:
    ledger = Ledger()
    assert counts(ledger, (call(dryRun=True), decision), (call(), decision)) == [0, 1]


@pytest.mark.parametrize(
    ("version", "uid"),
    [
        pytest.param("", "u", id="no version"),
        pytest.param("abc", "u", id="a version that is no number"),
        pytest.param("-5", "u", id="one below zero"),
        pytest.param("٣", "u", id="digits that are not ASCII"),
        pytest.param("9" * 5_000, "u", id="one that is longer than any"),
        pytest.param("7", "", id="no uid"),
        pytest.param("7", "u" * 5_000, id="a uid that is longer than any"),
    ],
)
def test_what_cannot_be_told_apart_is_not_counted(version: str, uid: str) -> None:
    assert counts(Ledger(), (call(version, uid), TRIMMED), (call(version, uid), SUPPRESSED)) == [0, 0]


# --- creations ---


def created(name: str | None, **changes: Any) -> Attributes:
    return decode(review(operation="CREATE", oldObject=None, name=name, object=custom_resource(4), **changes))


def test_creations_have_no_uid_yet_and_are_told_apart_by_name() -> None:
    calls = [(created(name), TRIMMED) for name in ("a", "b", "a", None, None)]
    assert counts(Ledger(), *calls) == [1, 1, 0, 1, 1]
    assert counts(Ledger(), (created("a", dryRun=True), TRIMMED), (created("a"), TRIMMED)) == [0, 1]


# --- bounds ---


def test_an_object_that_was_forgotten_is_counted_from_its_next_version_on() -> None:
    ledger = Ledger(capacity=2)
    assert counts(ledger, *((call(7, uid), TRIMMED) for uid in "abc")) == [1, 1, 1]
    assert counts(ledger, (call(7, "a"), TRIMMED), (call(7, "a"), WOULD_TRIM), (call(8, "a"), TRIMMED)) == [0, 0, 1]


def test_a_suppressed_write_of_an_object_that_was_forgotten_is_counted_from_the_next_one_on() -> None:
    ledger = Ledger(capacity=1)
    assert counts(ledger, (call(7, "a"), SUPPRESSED), (call(7, "b"), SUPPRESSED)) == [1, 1]
    again = [(call(7, "a", said=said), SUPPRESSED) for said in (4, 4, 5)]
    assert counts(ledger, *again) == [0, 0, 1]


def test_the_object_that_was_called_about_least_recently_is_forgotten() -> None:
    ledger = Ledger(capacity=2)
    counts(ledger, *((call(7, uid), TRIMMED) for uid in ("a", "b", "a", "c")))
    assert len(ledger) == 2
    assert counts(ledger, (call(8, "b"), TRIMMED), (call(7, "b"), TRIMMED)) == [1, 0]


def test_a_full_ledger_stays_as_large_as_it_is() -> None:
    ledger = Ledger(capacity=100)
    counts(ledger, *((call(uid=f"object-{number}"), TRIMMED) for number in range(300)))
    assert len(ledger) == 100


# --- against an oracle that forgets nothing ---


@dataclass
class Oracle:
    """Every call of every object, for ever; reads them all again for each new one."""

    calls: defaultdict[str, list[tuple[int, int, Decision]]] = field(default_factory=lambda: defaultdict(list))

    def savings(self, uid: str, version: int, said: int, decision: Decision) -> list[Saving]:
        known = self.calls[uid]
        fresh = [saving for saving in savings_of(decision) if self._fresh(known, saving, version, said)]
        known.append((version, said, decision))
        return fresh

    def _fresh(self, known: list[tuple[int, int, Decision]], saving: Saving, version: int, said: int) -> bool:
        if any(seen > version for seen, _, _ in known):
            return False
        alike = [
            said_then
            for seen, said_then, decision in known
            for other in savings_of(decision)
            if seen == version and _slot(other) == _slot(saving)
        ]
        return not alike or (_slot(saving) == "suppressed" and alike[-1] != said)


def _slot(saving: Saving) -> str:
    if saving.mode != "Enforce":
        return "would"
    return "suppressed" if saving.suppressed else "trimmed"


BOTH = Decision(Outcome.TRIMMED, policies=WOULD_SUPPRESS.policies, bytes_before=9, bytes_after=5, object_bytes=20)
CALLS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.integers(1, 4),
        st.integers(0, 2),
        st.sampled_from([TRIMMED, SUPPRESSED, WOULD_TRIM, WOULD_SUPPRESS, BOTH]),
    ),
    max_size=40,
)
SENT = {
    (uid, version, said): call(version, uid, said, object=custom_resource() | {"status": condition(said)})
    for uid in "abc"
    for version in range(1, 5)
    for said in range(3)
}


@settings(deadline=None)  # a busy machine is no fault
@given(CALLS)
def test_counts_what_one_would_count_who_forgets_nothing(calls: list[tuple[str, int, int, Decision]]) -> None:
    ledger, oracle = Ledger(), Oracle()
    for uid, version, said, decision in calls:
        counted = savings(ledger, SENT[uid, version, said], decision)
        assert counted == oracle.savings(uid, version, said, decision)


@settings(deadline=None)  # a busy machine is no fault
@given(CALLS, st.integers(1, 2))
def test_whoever_forgets_counts_less_and_never_more(calls: list[tuple[str, int, int, Decision]], capacity: int) -> None:
    ledger, oracle = Ledger(capacity), Oracle()
    for uid, version, said, decision in calls:
        counted = savings(ledger, SENT[uid, version, said], decision)
        expected = oracle.savings(uid, version, said, decision)
        assert all(saving in expected for saving in counted)


# --- what would have been held back, had nothing been stored in between ---


def beats(*calls: tuple[int, Outcome], trimmed: int = 0, policy: str = "p", stale: int = 60) -> list[int | None]:
    """What each of the calls at these seconds saves, in bytes; all of them are stored."""
    ledger, found = Ledger(), []
    for version, (second, outcome) in enumerate(calls, start=1000):
        held = outcome is Outcome.WOULD_SUPPRESS
        steps = (StepReport("capList", "status.history", items=1, bytes=trimmed),) if trimmed else ()
        report = PolicyReport(
            policy, "DryRun", outcome, steps=steps, max_staleness=stale * SECOND if held else None, news=not held
        )
        attributes = call(version)
        decision = Decision(outcome, policies=(report,), object_bytes=900)
        saved = ledger.savings(attributes, identity_of(attributes), decision, second * SECOND)
        found.append(saved[0].bytes if saved else None)
    return found


HELD, NEWS = Outcome.WOULD_SUPPRESS, Outcome.UNCHANGED


def test_a_heartbeat_is_saved_only_while_the_last_write_that_would_have_passed_is_fresh() -> None:
    every_ten_seconds = [(second, HELD) for second in range(0, 200, 10)]
    assert beats(*every_ten_seconds) == [None, *[900] * 6, None, *[900] * 6, None, *[900] * 5]


def test_news_pass_and_make_what_would_be_stored_fresh() -> None:
    calls = [(0, HELD), (40, HELD), (50, NEWS), (90, HELD), (110, HELD), (111, HELD)]
    assert beats(*calls) == [None, 900, None, 900, 900, None]


def test_a_write_that_would_have_passed_is_still_trimmed() -> None:
    assert beats((0, HELD), (10, HELD), (90, HELD), trimmed=70) == [70, 900, 70]


def test_calls_that_see_the_same_version_are_one_heartbeat() -> None:
    ledger = Ledger()
    report = PolicyReport("p", "DryRun", HELD, max_staleness=60 * SECOND)
    decision = Decision(HELD, policies=(report,), object_bytes=900)
    assert counts(ledger, *[(call(version), decision) for version in (7, 7, 8, 8, 9)]) == [0, 0, 1, 0, 1]
