"""How an answer counts."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from admission.engine.decision import Decision, Outcome, PolicyReport, Reason, StepReport, Violation, unchanged
from admission.engine.policy import Mode, Policy, PolicySet
from admission.handler import Handler, Shed
from admission.observe.metrics import Metrics
from admission.observe.saving import Saving
from tests.observe.answers import JOBS, POLICIES, TRIMMED, answer, failed, validated
from tests.review_sample import review

MILLISECOND = 1_000_000
GROUP = "batch.volcano.sh"
RESOURCE = "batch.volcano.sh/jobs"
POLICY = {"policy": "volcano-job-conditions", "mode": "Enforce", "resource": RESOURCE}


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
    assert value(counted, "statuscap_bytes_removed_total", **POLICY) == 180
    assert value(counted, "statuscap_items_removed_total", **POLICY) == 2


def test_measures_statuses_before_and_after() -> None:
    counted = metrics()
    counted.count(answer(), 1)
    sums = {
        when: value(counted, "statuscap_status_bytes_sum", resource=RESOURCE, when=when) for when in ("before", "after")
    }
    assert sums == {"before": 612, "after": 432}
    buckets = {
        (when, le): value(counted, "statuscap_status_bytes_bucket", resource=RESOURCE, when=when, le=le)
        for when in ("before", "after")
        for le in ("512.0", "1024.0")
    }
    assert buckets == {
        ("before", "512.0"): 0,
        ("before", "1024.0"): 1,
        ("after", "512.0"): 1,
        ("after", "1024.0"): 1,
    }


def test_the_phases_are_told_apart_and_a_status_is_measured_once() -> None:
    counted = metrics()
    counted.count(answer(), 1)
    counted.count(validated(replace(TRIMMED, outcome=Outcome.UNCHANGED)), 1)
    assert reviews(counted, phase="validating", outcome="Unchanged") == 1
    assert reviews(counted) == 1
    assert value(counted, "statuscap_status_bytes_count", resource=RESOURCE, when="before") == 1


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [("Enforce", Outcome.REJECTED), ("DryRun", Outcome.WOULD_REJECT), ("Warn", Outcome.WOULD_REJECT)],
)
def test_counts_rejections_by_policy(mode: str, outcome: Outcome) -> None:
    counted = metrics()
    counted.count(answer(replace(TRIMMED, policies=(PolicyReport("limit", mode, outcome),))), 1)
    assert value(counted, "statuscap_rejections_total", policy="limit", mode=mode, resource=RESOURCE) == 1
    assert "statuscap_bytes_removed_total{" not in counted.exposition().decode()


def test_counts_caps_that_cannot_be_reached() -> None:
    stuck = StepReport("capConditions", "status.conditions", found=True, reason=Reason.CAP_UNREACHABLE)
    report = PolicyReport("p", "Enforce", Outcome.UNCHANGED, Reason.CAP_UNREACHABLE, (stuck,))
    counted = metrics()
    counted.count(answer(Decision(Outcome.UNCHANGED, Reason.CAP_UNREACHABLE, (report,))), 1)
    labels = {"policy": "p", "step": "capConditions status.conditions"}
    assert value(counted, "statuscap_cap_unreachable_total", **labels) == 1


def test_counts_budgets_that_cannot_be_reached() -> None:
    stuck = StepReport("budget", "status.log", found=True, reason=Reason.BUDGET_UNREACHABLE)
    report = PolicyReport("p", "Enforce", Outcome.UNCHANGED, Reason.BUDGET_UNREACHABLE, (stuck,))
    counted = metrics()
    counted.count(answer(Decision(Outcome.UNCHANGED, Reason.BUDGET_UNREACHABLE, (report,))), 1)
    assert value(counted, "statuscap_budget_unreachable_total", policy="p", step="budget status.log") == 1
    assert "statuscap_cap_unreachable_total{" not in counted.exposition().decode()


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


@pytest.mark.parametrize("why", Shed)
def test_counts_shed_reviews_by_why(why: Shed) -> None:
    counted = metrics()
    counted.count(Handler(POLICIES).shed(review(), why), 1)
    assert value(counted, "statuscap_shed_total", reason=why.value) == 1
    assert value(counted, "statuscap_status_bytes_count", resource=RESOURCE, when="before") is None, "not looked at"


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


@pytest.mark.parametrize(
    ("suppressed", "name"),
    [(True, "statuscap_writes_suppressed_total"), (False, "statuscap_writes_trimmed_total")],
)
def test_counts_what_writes_saved(suppressed: bool, name: str) -> None:
    counted, attributes = metrics(), answer().attributes
    assert attributes is not None
    for saved in (180, 20):
        counted.count_savings(attributes, [Saving("DryRun", suppressed, saved)])
    assert value(counted, name, mode="DryRun", resource=RESOURCE) == 2
    assert value(counted, "statuscap_bytes_saved_total", mode="DryRun", resource=RESOURCE) == 200


@pytest.mark.parametrize("stored", [True, False])
def test_counts_fights_by_whether_their_writes_land(stored: bool) -> None:
    counted, attributes = metrics(), answer().attributes
    assert attributes is not None
    counted.count_fight(attributes, stored=stored)
    assert value(counted, "statuscap_fights_total", resource=RESOURCE, stored="true" if stored else "false") == 1


def test_whoever_invents_names_adds_no_series() -> None:
    counted = metrics()
    lines = set()
    for number in range(50):
        invented: dict[str, Any] = {
            "operation": f"WRITE-{number}",
            "resource": {"group": f"evil-{number}.io", "version": "v1", "resource": "x" * number},
            "name": f"name-{number}",
            "namespace": f"namespace-{number}",
            "userInfo": {"username": f"user-{number}"},
        }
        given = answer(**invented)
        assert given.attributes is not None
        counted.count(given, 1)
        counted.count_savings(given.attributes, [Saving("Enforce", True, 1)])
        counted.count_fight(given.attributes, stored=True)
        lines.add(len(counted.exposition().splitlines()))
    assert len(lines) == 1


# --- what happens to the server ---


@pytest.mark.parametrize("result", ["success", "failure"])
def test_counts_reloads_of_policies_by_result(result: str) -> None:
    counted = metrics()
    assert value(counted, "statuscap_policy_reloads_total", result=result) == 0, "the first one is a change, too"
    counted.count_reload(taken=result == "success")
    assert value(counted, "statuscap_policy_reloads_total", result=result) == 1


def test_tells_how_many_policies_are_left_out() -> None:
    counted = metrics()
    assert value(counted, "statuscap_policies_skipped") == 0
    counted.use(POLICIES, skipped=2)
    assert value(counted, "statuscap_policies_skipped") == 2
    counted.use(POLICIES)
    assert value(counted, "statuscap_policies_skipped") == 0


def test_tells_when_the_certificate_expires() -> None:
    counted = metrics()
    counted.certificate_expires(datetime(2026, 1, 1, tzinfo=UTC))
    assert value(counted, "statuscap_certificate_expiration_timestamp_seconds") == 1_767_225_600


def test_measures_the_bytes_in_flight_at_each_scrape() -> None:
    counted, in_flight = metrics(), [5, 7]
    counted.measure_in_flight(lambda: sum(in_flight))
    assert value(counted, "statuscap_in_flight_bytes") == 12
    in_flight.pop()
    assert value(counted, "statuscap_in_flight_bytes") == 5


def test_counts_connections_that_are_closed_unused() -> None:
    counted = metrics()
    counted.count_closed("descriptors")
    assert value(counted, "statuscap_connections_closed_total", reason="descriptors") == 1


def test_counts_lines_without_all_of_what_was_removed() -> None:
    counted = metrics()
    assert value(counted, "statuscap_decision_log_truncated_total") == 0
    counted.count_truncated()
    assert value(counted, "statuscap_decision_log_truncated_total") == 1


def test_tells_of_how_many_crds_the_schemas_are_known_and_whether_they_are_followed() -> None:
    counted = metrics()
    assert value(counted, "statuscap_crds_followed", source="cluster") is None, "nobody was told to follow any"
    counted.know("files", 7)
    counted.follow(True)
    assert value(counted, "statuscap_crds", source="files") == 7
    assert value(counted, "statuscap_crds_followed", source="cluster") == 1
    counted.follow(False)
    assert value(counted, "statuscap_crds_followed", source="cluster") == 0
