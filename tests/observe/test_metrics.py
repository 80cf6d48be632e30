"""How an answer counts."""

from typing import Any

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from admission.engine.decision import Decision, Outcome, PolicyReport, Reason, StepReport, Violation, unchanged
from admission.engine.policy import Match, Mode, Policy, PolicySet, ResourceRule
from admission.handler import Handler
from admission.observe.metrics import METRICS, Metric, Metrics
from tests.observe.answers import JOBS, POLICIES, TRIMMED, answer, failed
from tests.review_sample import review

MILLISECOND = 1_000_000
GROUP = "batch.volcano.sh"


def metrics(policies: PolicySet = POLICIES) -> Metrics:
    built = Metrics()
    built.use(policies)
    return built


def value(of: Metrics, name: str, **labels: str) -> float | None:
    return of.registry.get_sample_value(name, labels)


def reviews(of: Metrics, **labels: str) -> float | None:
    known = {
        "phase": "mutating",
        "resource": "batch.volcano.sh/jobs",
        "operation": "UPDATE",
        "outcome": "Trimmed",
        "request_dry_run": "false",
    }
    return value(of, "statuscap_reviews_total", **(known | labels))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_says_what_it_is(metric: Metric) -> None:
    assert metric.name.startswith("statuscap_")
    assert metric.help.endswith(".")
    assert metric.labels == tuple(dict.fromkeys(metric.labels))
    assert not {"name", "namespace", "user", "uid"} & set(metric.labels)


def test_every_metric_is_exposed() -> None:
    exposed = {family.name for family in text_string_to_metric_families(metrics().exposition().decode())}
    assert {metric.name.removesuffix("_total") for metric in METRICS} <= exposed
    assert "process_resident_memory_bytes" in exposed


def test_counts_a_review_with_its_duration() -> None:
    counted = metrics()
    counted.count(answer(), 3 * MILLISECOND)
    assert reviews(counted) == 1
    assert value(counted, "statuscap_review_duration_seconds_sum") == pytest.approx(0.003)
    assert value(counted, "statuscap_review_duration_seconds_bucket", le="0.0025") == 0
    assert value(counted, "statuscap_review_duration_seconds_bucket", le="0.005") == 1


def test_counts_what_policies_removed() -> None:
    counted = metrics()
    counted.count(answer(), 1)
    labels = {"policy": "volcano-job-conditions", "mode": "Enforce", "resource": "batch.volcano.sh/jobs"}
    assert value(counted, "statuscap_bytes_removed_total", **labels) == 180
    assert value(counted, "statuscap_items_removed_total", **labels) == 2


def test_counts_by_step_whether_its_path_was_there() -> None:
    counted = metrics()
    counted.count(answer(), 1)
    name = "volcano-job-conditions"
    seen = "statuscap_step_reviews_total"
    assert value(counted, seen, policy=name, step="capConditions status.conditions", found="true") == 1
    assert value(counted, seen, policy=name, step="drop status.typo", found="false") == 1
    assert "status.rarely" not in counted.exposition().decode(), "it did not run"


def test_a_caller_that_only_tries_removes_nothing() -> None:
    counted = metrics()
    counted.count(answer(dryRun=True), 1)
    assert reviews(counted, request_dry_run="true") == 1
    assert "statuscap_bytes_removed_total{" not in counted.exposition().decode()


@pytest.mark.parametrize(
    ("changes", "labels"),
    [
        pytest.param({"operation": "CREATE"}, {"operation": "CREATE"}, id="another operation"),
        pytest.param({"operation": "WRITE-17"}, {"operation": "other", "outcome": "Unchanged"}, id="an invented one"),
        pytest.param(
            {"resource": {"group": GROUP, "version": "v1", "resource": "queues"}},
            {"resource": "other"},
            id="a resource that no policy names",
        ),
    ],
)
def test_labels_have_few_values(changes: dict[str, Any], labels: dict[str, str]) -> None:
    counted = metrics()
    counted.count(answer(**changes), 1)
    assert reviews(counted, **labels) == 1


def test_a_rule_for_all_of_a_group_names_what_is_met_up_to_a_bound() -> None:
    match = Match((ResourceRule((GROUP,), ("*/status",)),))
    counted = metrics(PolicySet.of([Policy("all", match)]))
    for number in range(300):
        resource = {"group": GROUP, "version": "v1", "resource": f"kind{number}s"}
        counted.count(answer(resource=resource), 1)
    assert reviews(counted, resource="batch.volcano.sh/kind0s") == 1
    assert reviews(counted, resource="other") == 100


def test_core_resources_have_no_group() -> None:
    match = Match((ResourceRule(("",), ("services/status",)),))
    counted = metrics(PolicySet.of([Policy("core", match)]))
    counted.count(answer(resource={"group": "", "version": "v1", "resource": "services"}), 1)
    assert reviews(counted, resource="services") == 1


def test_counts_faults_by_cause() -> None:
    counted = metrics()
    counted.count(failed(KeyError("x")), 1)
    assert value(counted, "statuscap_errors_total", cause="engine") == 1
    assert reviews(counted, outcome="Skipped") == 1


def test_what_is_no_review_is_an_error_and_no_review() -> None:
    counted = metrics()
    counted.count(Handler(POLICIES).mutate(b""), 1)
    assert value(counted, "statuscap_errors_total", cause="bad_review") == 1
    assert value(counted, "statuscap_review_duration_seconds_count") == 0


def test_counts_broken_invariants_and_refusals() -> None:
    counted = metrics()
    broken = replace(TRIMMED, violations=(Violation("I5", "volcano-job-conditions", "status got bigger"),))
    counted.count(answer(broken), 1)
    counted.count_refused(413)
    assert value(counted, "statuscap_errors_total", cause="invariant_I5") == 1
    assert value(counted, "statuscap_errors_total", cause="http_413") == 1


def test_counts_shed_reviews() -> None:
    counted = metrics()
    counted.count(Handler(POLICIES).shed(review()), 1)
    assert value(counted, "statuscap_shed_total", reason="timeout") == 1


def test_what_grew_did_not_remove_bytes() -> None:
    grown = StepReport("dedupe", "status.conditions", found=True, items=1, bytes=-5)
    report = PolicyReport("volcano-job-conditions", "Enforce", Outcome.TRIMMED, steps=(grown,))
    counted = metrics()
    counted.count(answer(replace(TRIMMED, policies=(report,))), 1)
    assert "Infinity" not in counted.exposition().decode()
    assert reviews(counted) == 1


def test_a_policy_that_did_nothing_removes_nothing() -> None:
    idle = Decision(Outcome.UNCHANGED, policies=(PolicyReport("p", "Enforce", Outcome.UNCHANGED, Reason.NONE),))
    counted = metrics()
    counted.count(answer(idle), 1)
    counted.count(answer(unchanged(Reason.NO_POLICY)), 1)
    assert reviews(counted, outcome="Unchanged") == 2
    assert "statuscap_items_removed_total{" not in counted.exposition().decode()


def test_tells_how_many_policies_are_in_which_mode() -> None:
    counted = metrics(PolicySet.of([Policy("a", JOBS), Policy("b", JOBS, mode=Mode.OFF), Policy("c", JOBS)]))
    assert {mode: value(counted, "statuscap_policies", mode=mode) for mode in Mode} == {
        "Enforce": 0,
        "Warn": 0,
        "DryRun": 2,
        "Off": 1,
    }
    counted.use(POLICIES)
    assert value(counted, "statuscap_policies", mode="DryRun") == 0


def test_counts_lines_that_were_lost() -> None:
    counted = metrics()
    counted.count_dropped(3)
    assert value(counted, "statuscap_decision_log_dropped_total") == 3


def test_no_series_of_creation_times() -> None:
    counted = metrics()
    counted.count(answer(), 1)
    assert "_created" not in counted.exposition().decode()
