"""Presets beside what their controllers learned to do themselves, said here in a line or two each.

A fix that does the same is the measure: equal input, equal result. Where a fix goes by another rule, what it leaves is
left alone, and what its controller reads is still there.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.decision import Outcome
from admission.engine.instant import SECOND
from admission.engine.policy import Policy
from admission.policyfile.document import UPSTREAM
from admission.policyfile.files import read_bytes
from admission.policyfile.presets import preset_names, preset_path
from admission.policyfile.yamlfile import load_documents
from tests.engine.build import NOW, at, custom_resource, entry, judge, patched, plain, policy, write
from tests.policies.test_presets import policy_of

Json = Any
Items = list[dict[str, Json]]


def enforced(preset: str) -> Policy:
    """The preset's steps and rules for the sample resource."""
    shipped = policy_of(preset)
    return policy(*shipped.trim, name=preset, suppress=shipped.suppress)


def left(preset: str, status: Json, stored: Json = None) -> Json:
    before = None if stored is None else custom_resource(stored)
    attributes = write(custom_resource(status), before)
    decision = judge(enforced(preset), attributes)
    assert decision.violations == ()
    return plain(patched(attributes, decision))["status"]


@pytest.mark.parametrize("preset", preset_names())
def test_a_preset_says_what_its_controller_does_itself(preset: str) -> None:
    (document,) = load_documents(read_bytes(preset_path(preset)), preset)
    assert document.data["metadata"]["annotations"][UPSTREAM]


# --- the same ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 30), min_size=1, max_size=3))
def test_measurements_are_those_that_the_controller_would_keep(counts: list[int]) -> None:
    """Argo Rollouts: the last ten of every metric."""
    results = [
        {
            "name": f"metric-{number}",
            "measurements": [
                {"value": str(n), "phase": "Successful", "startedAt": at(n), "finishedAt": at(n)} for n in range(count)
            ],
        }
        for number, count in enumerate(counts)
    ]
    expected = [{**result, "measurements": result["measurements"][-10:]} for result in results]
    assert left("argo-rollouts-analysisrun", {"metricResults": results}) == {"metricResults": expected}


@given(st.integers(1, 20))
def test_revisions_are_those_that_the_controller_would_keep(count: int) -> None:
    """Argo CD with a revisionHistoryLimit of five: the last ones of the list."""
    history = [{"id": number, "revision": f"sha-{number}", "deployedAt": at(number)} for number in range(count)]
    assert left("argocd-application", {"history": history}) == {"history": history[-5:]}


@pytest.mark.parametrize("count", [4_999, 5_000, 5_001, 5_321])
def test_generated_applications_are_those_that_the_controller_would_name(count: int) -> None:
    """Argo CD (argo-cd#24690, #24698): the first 5000, and the count of all."""
    status = {"resources": [{"name": f"app-{number:05}"} for number in range(count)], "resourcesCount": count}
    assert left("argocd-applicationset-resources", status) == status | {"resources": status["resources"][:5_000]}  # type: ignore[index]


CONDITION = st.fixed_dictionaries(
    {
        "type": st.just("Ready"),
        "status": st.sampled_from(["True", "False"]),
        "reason": st.sampled_from(["Up", "Down"]),
        "message": st.sampled_from(["", "why"]),
    },
    optional={"severity": st.sampled_from(["Error", "Warning"])},
)


@given(CONDITION, CONDITION)
def test_times_are_those_that_the_setters_of_cluster_api_would_keep(stored: Json, sent: Json) -> None:
    """The time of before where type, status, reason, severity and message are the same."""
    expected = at(1) if stored == sent else at(9)
    result = left(
        "cluster-api-conditions",
        {"conditions": [sent | {"lastTransitionTime": at(9)}]},
        {"conditions": [stored | {"lastTransitionTime": at(1)}]},
    )
    assert result == {"conditions": [sent | {"lastTransitionTime": expected}]}


@given(CONDITION, CONDITION)
def test_times_are_those_that_apimachinery_would_keep_where_all_or_the_status_changed(stored: Json, sent: Json) -> None:
    """``meta.SetStatusCondition``: the time moves with the status. What moves only the reason is left to its writer."""
    if stored != sent and stored["status"] == sent["status"]:
        return
    expected = at(1) if stored["status"] == sent["status"] else at(9)
    result = left(
        "condition-transition-time",
        {"conditions": [sent | {"lastTransitionTime": at(9)}]},
        {"conditions": [stored | {"lastTransitionTime": at(1)}]},
    )
    assert result == {"conditions": [sent | {"lastTransitionTime": expected}]}


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(["Pending", "Created", "Ready"])), max_size=12))
def test_conditions_are_those_that_a_controller_would_have_that_replaces_by_type(syncs: list[tuple[str, str]]) -> None:
    """The HTTP add-on of KEDA (http-add-on#1395): a second condition of a type takes the place of the first."""
    appended: Items = [{"type": kind, "reason": reason, "status": "True"} for kind, reason in syncs]
    replaced: dict[str, Json] = {}
    for condition in appended:
        replaced[condition["type"]] = condition
    assert left("condition-dedupe-by-type", {"conditions": appended}) == {"conditions": list(replaced.values())}


@given(
    st.dictionaries(st.integers(0, 300), st.sampled_from(["COMPLETED", "FAILED", "UNKNOWN", "RUNNING"]), max_size=90)
)
def test_executors_are_those_that_the_operator_would_keep(states: dict[int, str]) -> None:
    """Proposed for the Spark operator (spark-operator#2977): over the cap, those that are over, the lowest first."""
    named = {f"app-exec-{number}": state for number, state in states.items()}
    over = sorted(number for number, state in states.items() if state != "RUNNING")
    gone = {f"app-exec-{number}" for number in over[: max(0, len(states) - 50)]}
    expected = {name: state for name, state in named.items() if name not in gone}
    assert left("spark-executor-state", {"executorState": named}) == {"executorState": expected}


@pytest.mark.parametrize("age", [0, 30, 59, 60, 61, 90])
def test_the_time_of_an_active_trigger_is_written_when_the_proposed_throttle_would_write_it(age: int) -> None:
    """Proposed for KEDA (keda#8059): not while the stored time is at most a minute old."""
    stored, sent = (f"2026-01-01T{clock}Z" for clock in ("11:00:00", f"11:{age // 60:02}:{age % 60:02}"))
    now = NOW - 3_600 * SECOND + age * SECOND
    fields: Json = {"f:status": {"f:lastActiveTime": {}}}
    before = custom_resource({"lastActiveTime": stored}, managed=[entry("keda", fields, time=stored)])
    after = custom_resource({"lastActiveTime": sent}, managed=[entry("keda", fields, time=sent)])
    decision = judge(enforced("keda-scaledobject-heartbeat"), write(after, before, field_manager="keda"), now)
    expected = Outcome.SUPPRESSED if 0 < age <= 60 else Outcome.UNCHANGED
    assert decision.outcome is expected


# --- by another rule --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [10, 40_000])
def test_what_kapp_controller_keeps_of_an_output_ends_the_same(lines: int) -> None:
    """kapp-controller#1840: the last 1Mi behind a line of its own; of that the same end is left as of the whole."""
    whole = "".join(f"{number:05} create deployment/web-{number:05} (apps/v1)\n" for number in range(lines))
    tail = whole if len(whole) <= 2**20 else f"[output truncated]\n{whole[-(2**20) :]}"
    ours, of_theirs = (
        left("kapp-app-output", {"deploy": {"stdout": text}})["deploy"]["stdout"] for text in (whole, tail)
    )
    assert ours[-60_000:] == of_theirs[-60_000:]
    assert (ours == whole) is (lines == 10)


GOOD = ("deployed", "superseded")


def previous(history: Items) -> dict[str, Json] | None:
    """What the helm-controller would roll back to."""
    return next((release for release in history[1:] if release["status"] in GOOD), None)


def remembered(history: Items) -> Items:
    """What the helm-controller keeps (helm-controller#1360): up to that release, or else five."""
    found = previous(history)
    return history[:5] if found is None else history[: history.index(found) + 1]


@given(st.lists(st.sampled_from([*GOOD, "failed"]), max_size=25))
def test_what_the_helm_controller_reads_of_its_history_is_still_there(statuses: list[str]) -> None:
    history: Items = [{"version": len(statuses) - n, "status": status} for n, status in enumerate(statuses)]
    ours = left("flux-helmrelease-history", {"history": history})["history"]
    assert ours[:1] == history[:1]
    assert previous(ours) == previous(history)
    theirs = remembered(history)
    if len(theirs) <= 10:
        assert left("flux-helmrelease-history", {"history": theirs}) == {"history": theirs}


@given(st.lists(st.sampled_from(["Pending", "Running", "Restarting", "Aborted"]), max_size=40))
def test_of_what_volcano_keeps_the_last_entry_of_each_phase_is_left_in_order(phases: list[str]) -> None:
    """volcano#5422: no entry whose phase is that of the last one, and a bounded list: 32 by its first draft."""
    entries: Items = [{"status": phase, "lastTransitionTime": at(n)} for n, phase in enumerate(phases)]
    theirs = [each for n, each in enumerate(entries) if n == 0 or each["status"] != phases[n - 1]][-32:]
    last = {each["status"]: each for each in theirs}
    expected = sorted(last.values(), key=theirs.index)
    assert left("volcano-job-conditions", {"conditions": theirs}) == {"conditions": expected}
    assert left("volcano-job-conditions", {"conditions": expected}) == {"conditions": expected}


def test_longhorn_would_write_a_large_change_at_once_as_well() -> None:
    """longhorn-manager#2837 holds back changes of sizes alone, and no large ones."""
    fields: Json = {"f:status": {"f:actualSize": {}}}

    def volume(size: int, time: str) -> Json:
        return custom_resource({"actualSize": size}, managed=[entry("longhorn", fields, time=time)])

    for grown, expected in ((2**20, Outcome.SUPPRESSED), (2**30, Outcome.UNCHANGED)):
        attributes = write(volume(2**33 + grown, at(720)), volume(2**33, at(719)), field_manager="longhorn")
        assert judge(enforced("longhorn-sizes"), attributes).outcome is expected
