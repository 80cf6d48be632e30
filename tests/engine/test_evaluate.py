"""From a write to a decision: matching, order, rounds, modes, equality after trimming, and what is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from admission.engine.decision import Outcome, Reason
from admission.engine.match import Globs, ResourceRule
from admission.engine.policy import Mode
from tests.engine.build import (
    GROUP,
    NOW,
    Json,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    decide,
    dedupe,
    entry,
    go,
    judge,
    only,
    policy,
    trimmed,
    truncate,
    write,
)

FIVE: Json = {"history": [1, 2, 3, 4, 5], "phase": "Running"}


def numbers(*items: int, phase: str = "Running") -> Json:
    return {"history": list(items), "phase": phase}


# --- which policies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bent", "matches"),
    [
        pytest.param({}, True, id="as it is"),
        pytest.param({"group": "batch"}, False, id="another group"),
        pytest.param({"resource": "queues"}, False, id="another resource"),
        pytest.param({"subresource": "scale"}, False, id="another subresource"),
        pytest.param({"subresource": ""}, True, id="the main resource, which the rule names too"),
        pytest.param({"version": "v2"}, True, id="any version"),
        pytest.param({"namespace": "kube-system"}, False, id="an excluded namespace"),
        pytest.param({"namespace": ""}, True, id="cluster-scoped"),
        pytest.param({"request_dry_run": True}, True, id="the caller's dry run is judged like a real write"),
        pytest.param({"operation": "CREATE"}, True, id="a create"),
    ],
)
def test_picks_policies_by_the_request(bent: dict[str, Any], matches: bool) -> None:
    caps = policy(cap_list(3), namespaces=Globs(("*",), ("kube-*",)))
    decision = judge(caps, write(custom_resource(FIVE), custom_resource(numbers()), **bent))
    assert (decision.outcome is Outcome.TRIMMED) is matches
    assert decision.reason is (Reason.NONE if matches else Reason.NO_POLICY)
    assert len(decision.policies) == matches


def test_a_policy_for_the_main_resource_does_not_see_status_writes() -> None:
    caps = policy(cap_list(3), rules=[ResourceRule((GROUP,), ("jobs",))])
    assert judge(caps, write(custom_resource(FIVE))).reason is Reason.NO_POLICY
    assert judge(caps, write(custom_resource(FIVE), subresource="")).outcome is Outcome.TRIMMED


def test_a_policy_that_is_off_does_not_exist() -> None:
    assert decide(policy(cap_list(3), mode=Mode.OFF), FIVE).reason is Reason.NO_POLICY


# --- when ------------------------------------------------------------------------------------------------------------


def test_match_when_reads_the_root_as_sent() -> None:
    caps = policy(cap_list(3), when=["status.phase In Done"])
    assert decide(caps, numbers(1, 2, 3, 4, phase="Done"), numbers(phase="Running")).outcome is Outcome.TRIMMED
    not_met = decide(caps, numbers(1, 2, 3, 4), numbers(phase="Done"))
    assert (not_met.outcome, not_met.patch) == (Outcome.UNCHANGED, ())
    assert not_met.policies[0].reason is Reason.WHEN_NOT_MET


def test_all_requirements_must_hold() -> None:
    assert decide(policy(cap_list(3), when=["status.phase In Running", "spec.queue In x"]), FIVE).patch == ()
    assert decide(policy(cap_list(3), when=["status.phase In Running", "spec.queue In default"]), FIVE).patch != ()


WITH_QUEUE = custom_resource(FIVE, spec={"queue": "gpu"})
WITHOUT_SPEC = custom_resource(FIVE, spec=None)


@pytest.mark.parametrize("subresource", ["status", ""])
@pytest.mark.parametrize("in_match", [True, False])
@pytest.mark.parametrize(
    ("submitted", "stored", "gpu"),
    [
        pytest.param(
            WITHOUT_SPEC, WITH_QUEUE, {"match": True, "step on status": True, "step on main": False}, id="only stored"
        ),
        pytest.param(
            WITH_QUEUE, WITHOUT_SPEC, {"match": False, "step on status": False, "step on main": True}, id="only sent"
        ),
        pytest.param(WITH_QUEUE, None, {"match": True, "step on status": True, "step on main": True}, id="a create"),
    ],
)
def test_outside_the_root_the_stored_object_counts(
    submitted: Json, stored: Json, gpu: dict[str, bool], in_match: bool, subresource: str
) -> None:
    requirement = "spec.queue In gpu"
    caps = policy(cap_list(3), when=[requirement]) if in_match else policy(only(requirement, cap_list(3)))
    decision = judge(caps, write(submitted, stored, subresource=subresource))
    met = gpu["match" if in_match else "step on status" if subresource else "step on main"]
    assert (decision.outcome is Outcome.TRIMMED) is met


def test_a_step_s_when_reads_the_object_as_the_step_finds_it() -> None:
    second = only("status.history[2] DoesNotExist", truncate(40))
    status = FIVE | {"message": "x" * 99}
    assert decide(policy(cap_list(2), second), status).policies[0].steps[1].items == 1
    assert [op.path for op in decide(policy(second), status).patch] == []


def test_requirements_are_read_again_each_round() -> None:
    short = policy(cap_list(2), when=["status.events[1] DoesNotExist"], name="a")
    first = policy(cap_list(1, at="status.events"), name="b")
    assert trimmed([short, first], FIVE | {"events": [1, 2]})["history"] == [4, 5]


def test_ages_are_measured_from_now() -> None:
    old = policy(cap_list(1), when=["status.at OlderThan 1h"])
    status = FIVE | {"at": at(11 * 60)}
    assert judge(old, write(custom_resource(status)), NOW).patch == ()
    assert judge(old, write(custom_resource(status)), NOW + 1).patch != ()


# --- order and rounds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policies", "left"),
    [
        pytest.param(
            [("b", 0, "NewestFirst", 4), ("a", 10, "NewestLast", 2)], [3, 4], id="a lower priority number first"
        ),
        pytest.param([("b", 10, "NewestFirst", 4), ("a", 0, "NewestLast", 2)], [4, 5], id="the other way round"),
        pytest.param([("b", 0, "NewestLast", 2), ("a", 0, "NewestFirst", 4)], [3, 4], id="then by name"),
        pytest.param([("b", -5, "NewestLast", 2), ("a", 0, "NewestFirst", 4)], [4, 5], id="negative priorities"),
    ],
)
def test_policies_apply_in_the_order_of_priority_and_name(
    policies: Sequence[tuple[str, int, str, int]], left: Json
) -> None:
    made = [policy(cap_list(most, by), name=name, priority=priority) for name, priority, by, most in policies]
    assert trimmed(made, FIVE)["history"] == left
    assert trimmed(made[::-1], FIVE)["history"] == left


def test_steps_apply_in_the_order_of_the_policy() -> None:
    assert trimmed(policy(cap_list(4, "NewestFirst"), cap_list(2)), FIVE)["history"] == [3, 4]
    assert trimmed(policy(cap_list(2), cap_list(4, "NewestFirst")), FIVE)["history"] == [4, 5]


def test_a_second_round_picks_up_what_the_first_made_possible() -> None:
    times = [at(9), "soon", at(8), at(7)]
    items = [{"id": n, "t": time, "k": n // 2} for n, time in enumerate(times)]
    steps = policy(cap_list(2, "t Time"), dedupe("First", ["k"]))
    assert trimmed(steps, {"history": items})["history"] == [items[2]]


MANAGED = [entry("controller", {"f:status": {"f:history": {}}}, time=at(1))]
LATER = [entry("controller", {"f:status": {"f:history": {}}}, time=at(2))]


# --- modes -----------------------------------------------------------------------------------------------------------

OBSERVING = [Mode.WARN, Mode.DRY_RUN]


@pytest.mark.parametrize("mode", OBSERVING)
def test_an_observed_policy_tells_what_it_would_have_done(mode: Mode) -> None:
    decision = decide(policy(cap_list(2), mode=mode), FIVE)
    assert (decision.outcome, decision.patch) == (Outcome.WOULD_TRIM, ())
    assert (decision.policies[0].outcome, decision.policies[0].mode) == (Outcome.WOULD_TRIM, mode)
    assert decision.bytes_before - decision.bytes_after == len("1,2,3,")
    assert len(decision.warnings) == (mode is Mode.WARN)


@pytest.mark.parametrize("mode", OBSERVING)
def test_an_observed_policy_tells_that_it_would_have_suppressed(mode: Mode) -> None:
    decision = decide(policy(cap_list(2), mode=mode), FIVE, numbers(4, 5))
    assert (decision.outcome, decision.reason) == (Outcome.WOULD_SUPPRESS, Reason.EQUAL_AFTER_TRIMMING)
    assert decision.patch == ()


def test_what_is_enforced_is_the_outcome_whatever_others_would_do() -> None:
    enforced = policy(cap_list(4), name="z")
    observed = policy(cap_list(2), name="a", mode=Mode.WARN)
    decision = decide([observed, enforced], FIVE, numbers(4, 5))
    assert decision.outcome is Outcome.TRIMMED
    assert [op.path for op in decision.patch] == ["/status/history/0"]
    assert {report.name: report.outcome for report in decision.policies} == {
        "z": Outcome.TRIMMED,
        "a": Outcome.WOULD_SUPPRESS,
    }
    assert decision.bytes_after == len(go(numbers(2, 3, 4, 5)))
    assert len(decision.warnings) == 1


def test_every_observed_policy_works_alone_on_what_the_enforced_ones_let_pass() -> None:
    enforced = policy(cap_list(3, "NewestFirst"), name="enforced", priority=100)
    first = policy(cap_list(2), name="first", mode=Mode.WARN)
    second = policy(cap_list(2, "NewestFirst"), name="second", mode=Mode.DRY_RUN)
    decision = decide([enforced, first, second], FIVE)
    removed = {report.name: [step.items for step in report.steps] for report in decision.policies}
    assert removed == {"enforced": [2], "first": [1], "second": [1]}


def test_observed_policies_do_not_touch_the_answer() -> None:
    enforced = policy(cap_list(4), name="z")
    others = [policy(cap_list(1), truncate(40), name=f"p{n}", mode=mode) for n, mode in enumerate(OBSERVING)]
    status = FIVE | {"message": "x" * 99}
    assert decide([enforced, *others], status).patch == decide(enforced, status).patch


def test_the_strongest_of_several_observed_policies_stands_for_all() -> None:
    trims = policy(cap_list(4), name="a", mode=Mode.DRY_RUN)
    suppresses = policy(cap_list(2), name="b", mode=Mode.DRY_RUN)
    decision = decide([trims, suppresses], FIVE, numbers(4, 5))
    assert (decision.outcome, decision.bytes_after) == (Outcome.WOULD_SUPPRESS, len(go(numbers(4, 5))))


def test_the_caller_s_dry_run_is_answered_like_a_real_write() -> None:
    attributes = write(custom_resource(FIVE), custom_resource(numbers(1)))
    assert judge(cap_list(2), attributes) == judge(cap_list(2), replace(attributes, request_dry_run=True))


# --- what is told ----------------------------------------------------------------------------------------------------


def test_tells_sizes_of_the_root_and_of_the_stored_object() -> None:
    stored = custom_resource(numbers(1))
    decision = judge(cap_list(2), write(custom_resource(FIVE), stored))
    assert (decision.bytes_before, decision.bytes_after) == (len(go(FIVE)), len(go(numbers(4, 5))))
    assert decision.object_bytes == len(go(stored))
    assert judge(cap_list(2), write(custom_resource(FIVE))).object_bytes == len(go(custom_resource(FIVE)))
    spaced = json.dumps(custom_resource(FIVE), indent=2)
    assert judge(cap_list(2), write(spaced)).object_bytes == len(go(custom_resource(FIVE)))
    assert (judge(cap_list(2), write({})).bytes_before, judge(cap_list(2), write({})).bytes_after) == (0, 0)


def test_tells_every_step_of_every_policy() -> None:
    decision = decide(policy(cap_list(2), truncate(40), cap_conditions(1)), FIVE | {"message": "x" * 99})
    assert [(step.step, step.found, step.items > 0) for step in decision.policies[0].steps] == [
        ("capList", True, True),
        ("truncate", True, True),
        ("capConditions", False, False),
    ]
    assert decision.policies[0].bytes_removed == decision.bytes_before - decision.bytes_after


def test_a_path_that_leads_to_a_short_text_is_found() -> None:
    decision = decide(policy(truncate(40), truncate(40, "status.mesage")), FIVE | {"message": "short"})
    assert [step.found for step in decision.policies[0].steps] == [True, False]


def test_the_same_write_gives_the_same_answer_and_leaves_the_input_alone() -> None:
    attributes = write(custom_resource(FIVE, managed=MANAGED), custom_resource(numbers(4, 5), managed=LATER))
    before = bytes(attributes.submitted), bytes(attributes.stored or b"")
    assert judge(cap_list(2), attributes) == judge(cap_list(2), attributes)
    assert (bytes(attributes.submitted), bytes(attributes.stored or b"")) == before
