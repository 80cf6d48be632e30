"""All that is told about one answer."""

import errno
import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as bent

from admission.engine.decision import Decision, Outcome, PolicyReport, Violation
from admission.handler import Answer, Handler
from admission.observe.decisionlog import DecisionLog
from admission.observe.metrics import Metrics
from admission.observe.observer import Observer
from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from tests.observe.answers import NOW, POLICIES, SECOND, TRIMMED, answer, failed, with_outcome
from tests.review_sample import UID, USER, custom_resource, review


class Told:
    """Everything that is told about answers, one every ``apart`` nanoseconds."""

    def __init__(self, *answers: Answer, apart: int = 0) -> None:
        self.sink, self.said, self.metrics = MemorySink(), MemorySink(), Metrics()
        self.metrics.use(POLICIES)
        log = DecisionLog(self.sink)
        process = ProcessLog(self.said, lambda: NOW, lambda: 0)
        observer = Observer(self.metrics, log, process, itertools.count(0, apart).__next__)
        for each in answers:
            observer.observe(each, 1_000)
        log.close()
        process.close()

    @property
    def process_lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.said.lines]

    def value(self, name: str, **labels: str) -> float | None:
        return self.metrics.registry.get_sample_value(name, labels)

    def errors(self, cause: str) -> float | None:
        return self.metrics.registry.get_sample_value("statuscap_errors_total", {"cause": cause})


def test_a_trimmed_write_is_logged_and_counted() -> None:
    told = Told(answer())
    assert len(told.sink.lines) == 1
    assert told.process_lines == []


def test_a_fault_is_told_everywhere() -> None:
    told = Told(failed(KeyError("x")), failed(KeyError("x")))
    assert [json.loads(line)["reason"] for line in told.sink.lines] == ["Fault", "Fault"]
    assert told.errors("engine") == 2
    assert [(line["cause"], line["uid"]) for line in told.process_lines] == [("engine", UID)]


def test_a_body_that_is_no_review_is_told_with_what_became_of_it() -> None:
    told = Told(Handler(POLICIES).mutate(b"text"))
    assert [(line["cause"], line["consequence"]) for line in told.process_lines] == [("bad_review", "refused")]


def test_a_broken_invariant_names_its_policy() -> None:
    violations = (Violation("I5", "grows", "status got bigger", "capList"), Violation("I5", "other", "so did it"))
    told = Told(answer(bent(TRIMMED, violations=violations)))
    assert [(line["cause"], line["policy"], line["step"]) for line in told.process_lines] == [
        ("invariant_I5 grows capList", "grows", "capList"),
        ("invariant_I5 other", "other", ""),
    ]
    assert told.errors("invariant_I5") == 2


def test_policies_that_had_no_turn_are_counted_and_told() -> None:
    told = Told(*[answer(bent(TRIMMED, unobserved=904))] * 2)
    assert told.value("statuscap_policies_unobserved_total") == 2 * 904
    assert [(line["cause"], line["policies"]) for line in told.process_lines] == [("unobserved", 904)]
    assert [json.loads(line)["unobserved"] for line in told.sink.lines] == [904, 904]


def test_an_observer_that_fails_says_so_and_goes_on() -> None:
    odd = replace(answer(), attributes=5)  # type: ignore[arg-type]  # what no handler gives
    told = Told(odd, answer())
    assert [line["cause"] for line in told.process_lines] == ["observer"]
    assert len(told.sink.lines) == 1


# --- one answer among others ---

POLICY = "volcano-job-conditions"
RESOURCE = "batch.volcano.sh/jobs"
SUPPRESSED = with_outcome(Outcome.SUPPRESSED)


def test_calls_are_many_and_the_write_is_one() -> None:
    told = Told(*(answer() for _ in range(5)))
    assert told.value("statuscap_bytes_removed_total", policy=POLICY, mode="Enforce", resource=RESOURCE) == 5 * 180
    assert told.value("statuscap_writes_trimmed_total", mode="Enforce", resource=RESOURCE) == 1
    assert told.value("statuscap_bytes_saved_total", mode="Enforce", resource=RESOURCE) == 180


def test_a_write_that_would_have_passed_as_news_makes_later_heartbeats_savings() -> None:
    def judged(outcome: Outcome, *, held: bool) -> Decision:
        report = PolicyReport("p", "DryRun", outcome, max_staleness=60 * SECOND if held else None, news=not held)
        return Decision(outcome, policies=(report,), object_bytes=900)

    beat, news = judged(Outcome.WOULD_SUPPRESS, held=True), judged(Outcome.UNCHANGED, held=False)
    calls = [answer(each, oldObject=custom_resource(3, str(at))) for at, each in enumerate([beat, beat, news, beat], 7)]
    told = Told(*calls, apart=40 * SECOND)
    assert told.value("statuscap_writes_suppressed_total", mode="DryRun", resource=RESOURCE) == 2


def rounds(decision: Decision, count: int = 40, **changes: Any) -> list[Answer]:
    """A writer that puts back a second later what was taken from it."""
    return [answer(decision, oldObject=custom_resource(3, str(version)), **changes) for version in range(count)]


@pytest.mark.parametrize(("decision", "stored"), [(TRIMMED, True), (SUPPRESSED, False)])
def test_a_fight_is_counted_and_told_with_who_fights(decision: Decision, stored: bool) -> None:
    told = Told(*rounds(decision), apart=SECOND)
    assert told.value("statuscap_fights_total", resource=RESOURCE, stored="true" if stored else "false") == 1
    (line,) = told.process_lines
    assert line.pop("note")
    assert line.pop("time")
    assert line == {
        "level": "warning",
        "message": "fight",
        "object": "batch.volcano.sh/jobs/research/train-mpi",
        "user": USER,
        "field_manager": "vc-controller-manager",
        "policies": [POLICY],
        "stored": stored,
    }


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param(rounds(TRIMMED, 30), id="now and then is normal"),
        pytest.param(rounds(TRIMMED, dryRun=True), id="whoever only tries"),
        pytest.param(rounds(bent(with_outcome(Outcome.WOULD_TRIM), patch=())), id="policies that only look"),
        pytest.param(rounds(TRIMMED, name=None), id="many objects that are still to get a name"),
    ],
)
def test_no_fight(answers: list[Answer]) -> None:
    told = Told(*answers, apart=SECOND)
    assert told.process_lines == []
    assert told.value("statuscap_fights_total", resource=RESOURCE, stored="true") is None


def test_the_validating_phase_sees_a_write_that_is_counted_already() -> None:
    mutated, validated = answer(), Handler(POLICIES).validate(review())
    told = Told(mutated, validated)
    assert told.value("statuscap_writes_trimmed_total", mode="Enforce", resource=RESOURCE) == 1


@pytest.mark.parametrize(
    ("why", "detail", "told"),
    [
        ("descriptors", "", [("too_many_connections", "descriptors")]),
        ("max_connections", "", [("too_many_connections", "max_connections")]),
        ("handshake", "TLSV1_ALERT_UNKNOWN_CA", [("distrust", "TLSV1_ALERT_UNKNOWN_CA")]),
        ("handshake", "CERTIFICATE_VERIFY_FAILED", [("distrust", "CERTIFICATE_VERIFY_FAILED")]),
        ("handshake", "HTTP_REQUEST", []),
        ("handshake", "", []),
        ("header_timeout", "", []),
    ],
)
def test_a_closed_connection_is_told_when_somebody_can_do_something(
    why: str, detail: str, told: list[tuple[str, str]]
) -> None:
    said, metrics = MemorySink(), Metrics()
    process = ProcessLog(said, lambda: NOW, lambda: 0)
    log = DecisionLog(MemorySink())
    Observer(metrics, log, process, lambda: 0).closed(why, detail)
    log.close()
    process.close()
    lines = [json.loads(line) for line in said.lines]
    assert [(line["cause"], line["reason"]) for line in lines] == told
    assert metrics.registry.get_sample_value("statuscap_connections_closed_total", {"reason": why}) == 1


def test_that_nobody_can_be_accepted_is_counted_and_told_once_a_minute() -> None:
    said, metrics = MemorySink(), Metrics()
    process, log = ProcessLog(said, lambda: NOW, lambda: 0), DecisionLog(MemorySink())
    observer = Observer(metrics, log, process, lambda: 0)
    for _ in range(3):
        observer.not_accepted(OSError(errno.EINVAL, "Invalid argument"))
    log.close()
    process.close()
    (line,) = [json.loads(line) for line in said.lines]
    assert (line["cause"], line["reason"]) == ("accept", "Invalid argument")
    assert line["consequence"] == "callers wait, or let their writes pass"
    assert metrics.registry.get_sample_value("statuscap_errors_total", {"cause": "accept"}) == 3


def test_a_path_that_never_led_anywhere_is_told_once() -> None:
    told = Told(*[answer(bent(TRIMMED, outcome=Outcome.UNCHANGED, patch=()))] * 1_200)
    (line,) = told.process_lines
    assert (line["message"], line["policy"], line["step"]) == ("a path leads nowhere", POLICY, "drop")
    assert line["path"] == "status.typo"
