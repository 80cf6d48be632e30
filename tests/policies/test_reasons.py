"""Where a preset could not do all that it says, the decision tells why."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from admission.engine.decision import Outcome, Reason, StepReport
from admission.engine.instant import parse_time
from admission.engine.policy import Mode
from admission.offline.gojson import tree_of_json
from admission.offline.rehearsal import Rehearsal, rehearse
from admission.offline.resource import Resource
from admission.offline.write import Write
from admission.policyfile.loader import load_policies
from admission.policyfile.presets import PREFIX

NOW: Final = parse_time("2026-03-02T12:00:00Z") or 0
JOBS: Final = Resource(group="batch.volcano.sh", version="v1alpha1", resource="jobs", subresource="status")
RUNS: Final = Resource(group="argoproj.io", version="v1alpha1", resource="analysisruns")
APPLICATIONS: Final = Resource(group="argoproj.io", version="v1alpha1", resource="applications")

RUNNING: Final = {"phase": "Running", "startedAt": "2026-03-02T11:00:00Z"}
FINISHED: Final = {"phase": "Successful", "finishedAt": "2026-03-02T11:00:00Z"}


def judged(preset: str, resource: Resource, status: dict[str, Any], *owners: dict[str, Any]) -> Rehearsal:
    """Put a write of ``status`` through the preset as it ships."""
    sample = {"metadata": {"name": "sample", "managedFields": list(owners)}, "status": status}
    submitted = tree_of_json(msgspec.json.encode(sample))
    assert isinstance(submitted, dict)
    return rehearse(load_policies([f"{PREFIX}{preset}"]), Write.of(submitted, resource), NOW)


def steps_of(rehearsal: Rehearsal) -> list[StepReport]:
    (report,) = rehearsal.decision.policies
    return list(report.steps)


def measured(*measurements: dict[str, str]) -> dict[str, Any]:
    return {"metricResults": [{"name": "sample", "measurements": list(measurements)}]}


def owner(operation: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"manager": f"{operation}r", "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}


@pytest.mark.parametrize(
    ("measurements", "items"),
    [
        pytest.param([RUNNING] * 11, 0, id="nothing can go"),
        pytest.param([FINISHED] * 3 + [RUNNING] * 11, 3, id="what is over goes"),
    ],
)
def test_more_than_ten_measurements_under_way_make_the_cap_unreachable(
    measurements: list[dict[str, str]], items: int
) -> None:
    cap = steps_of(judged("argo-rollouts-analysisrun", RUNS, measured(*measurements)))[0]
    assert (cap.items, cap.reason) == (items, Reason.CAP_UNREACHABLE)


def test_ten_measurements_under_way_are_within_the_cap() -> None:
    cap = steps_of(judged("argo-rollouts-analysisrun", RUNS, measured(*[FINISHED] * 3, *[RUNNING] * 10)))[0]
    assert (cap.items, cap.reason) == (3, Reason.NONE)


@pytest.mark.parametrize(
    ("preset", "resource", "status", "fields"),
    [
        pytest.param(
            "volcano-job-conditions",
            JOBS,
            {"conditions": [{"status": "Running"}, {"status": "Running"}]},
            {"f:conditions": {}},
            id="phases",
        ),
        pytest.param(
            "argo-rollouts-analysisrun", RUNS, measured(*[FINISHED] * 11), {"f:metricResults": {}}, id="measurements"
        ),
        pytest.param(
            "argocd-application",
            APPLICATIONS,
            {"history": [{"id": n} for n in range(6)]},
            {"f:history": {}},
            id="history",
        ),
    ],
)
def test_a_list_that_is_owned_together_is_left_alone_and_the_reason_is_told(
    preset: str, resource: Resource, status: dict[str, Any], fields: dict[str, Any]
) -> None:
    owners = [owner(operation, {"f:status": fields}) for operation in ("Apply", "Update")]
    shared = judged(preset, resource, status, *owners)
    assert (shared.decision.outcome, steps_of(shared)[0].reason) == (Outcome.UNCHANGED, Reason.CO_OWNED)
    alone = judged(preset, resource, status, owners[1])
    assert (alone.decision.outcome, steps_of(alone)[0].reason) == (Outcome.WOULD_TRIM, Reason.NONE)


def test_a_preset_as_it_ships_never_changes_a_write() -> None:
    rehearsal = judged("argocd-application", APPLICATIONS, {"history": [{"id": n} for n in range(50)]})
    (report,) = rehearsal.decision.policies
    assert (report.mode, report.outcome, rehearsal.patch) == (Mode.DRY_RUN, Outcome.WOULD_TRIM, [])
    assert report.items == 45
