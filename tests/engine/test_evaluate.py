"""From a write to a decision: matching, order, rounds, modes, equality after trimming, and what is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.decision import Op, Outcome, Reason
from admission.engine.policy import Globs, Mode, Policy, ResourceRule
from admission.errors import DocumentError
from tests.engine.build import (
    GROUP,
    NOW,
    Json,
    after,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    decide,
    dedupe,
    entry,
    exact,
    go,
    judge,
    only,
    patched,
    plain,
    policy,
    raw,
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


# --- the patch -------------------------------------------------------------------------------------------------------


def test_removes_from_the_highest_index_down() -> None:
    items = [{"id": n, "text": "x" * 99} for n in range(5)]
    assert decide(cap_list(3), {"history": items}).patch == (
        Op("remove", "/status/history/1"),
        Op("remove", "/status/history/0"),
    )


def test_replaces_the_list_when_that_takes_fewer_bytes() -> None:
    assert decide(cap_list(1), FIVE).patch == (Op("replace", "/status/history", b"[5]"),)


def test_one_remove_stays_one_remove() -> None:
    assert decide(cap_list(4), FIVE).patch == (Op("remove", "/status/history/0"),)


@pytest.mark.parametrize("surplus", [2, 3, 5, 50])
def test_the_patch_is_never_longer_than_both_ways(surplus: int) -> None:
    items = [{"id": n, "m": "m" * 25} for n in range(10 + surplus)]
    found = decide(cap_list(10), {"history": items}).patch
    removes = [Op("remove", f"/status/history/{n}") for n in reversed(range(surplus))]
    replaces = [Op("replace", "/status/history", go(items[surplus:]))]
    assert length(found) == min(length(removes), length(replaces))


def length(ops: Sequence[Op]) -> int:
    return len(
        json.dumps(
            [
                {"op": op.op, "path": op.path} | ({} if op.value is None else {"value": json.loads(op.value)})
                for op in ops
            ],
            separators=(",", ":"),
        )
    )


def test_a_text_inside_a_list_that_lost_items_is_cut_at_its_new_place() -> None:
    items = [{"id": n, "m": "x" * (50 if n == 3 else 30)} for n in range(5)]
    decision = decide(policy(cap_list(3), truncate(40, "status.history[*].m", marker="…")), {"history": items})
    assert decision.patch == (
        Op("remove", "/status/history/1"),
        Op("remove", "/status/history/0"),
        Op("replace", "/status/history/1/m", ('"' + "x" * 37 + '…"').encode()),
    )


def test_several_policies_over_one_list_give_one_short_patch() -> None:
    items = [{"id": n, "m": "m" * 50} for n in range(6)]
    made = [policy(cap_list(most), name=name) for name, most in (("a", 5), ("b", 4), ("c", 3))]
    assert [op.path for op in decide(made, {"history": items}).patch] == [f"/status/history/{n}" for n in (2, 1, 0)]


def test_pointers_are_escaped() -> None:
    status = {"a/b": {"c~d": ["x" * 60, "y" * 60]}}
    assert decide(cap_list(1, at="status['a/b']['c~d']"), status).patch == (Op("remove", "/status/a~1b/c~0d/0"),)


def test_values_that_no_step_touches_come_back_byte_for_byte() -> None:
    odd = b'{"a":1.0,"b":1e5,"big":12345678901234567890,"n":null,"q":"100m","s":"\\u003c\\u00e9","z":[]}'
    text = b'{"status":{"history":[' + b",".join([b'{"i":1}'] * 5 + [odd]) + b'],"other":' + odd + b"}}"
    attributes = write(text, compact=True)
    decision = judge(cap_list(1), attributes)
    assert decision.patch == (Op("replace", "/status/history", b"[" + odd + b"]"),)
    assert patched(attributes, decision)["status"]["other"] == exact(odd)


@pytest.mark.parametrize(
    "submitted",
    [
        pytest.param(custom_resource(None), id="no status"),
        pytest.param(custom_resource(None) | {"status": None}, id="a null status"),
        pytest.param(custom_resource(None) | {"status": "text"}, id="a text"),
        pytest.param(custom_resource(None) | {"status": []}, id="a list"),
        pytest.param(custom_resource({}), id="an empty status"),
        pytest.param({}, id="an empty object"),
    ],
)
def test_leaves_what_has_no_status_to_work_on(submitted: Json) -> None:
    decision = judge(policy(cap_list(0), truncate(40), cap_conditions(0)), write(submitted))
    assert (decision.outcome, decision.patch) == (Outcome.UNCHANGED, ())


@pytest.mark.parametrize("text", ["null", "[]", '"text"', "7"])
def test_what_is_no_object_cannot_be_read(text: str) -> None:
    with pytest.raises(DocumentError):
        judge(cap_list(0), write(text))


def test_bad_utf8_met_late_is_an_error_of_the_document() -> None:
    broken = raw(b'{"status":{"history":["a","b"],"message":"_"}}'.replace(b"_", b"x" * 50))
    sent = bytes(broken).replace(b"x" * 50, b"\xff" * 50)
    attributes = replace(write(custom_resource({})), submitted=_unchecked(sent))
    with pytest.raises(DocumentError):
        judge(truncate(40), attributes)


def _unchecked(data: bytes) -> Any:
    from msgspec import Raw

    return Raw(data)


# --- equal after trimming --------------------------------------------------------------------------------------------

MANAGED = [entry("controller", {"f:status": {"f:history": {}}}, time=at(1))]
LATER = [entry("controller", {"f:status": {"f:history": {}}}, time=at(2))]


def over_stored(submitted: Json, stored: Json, step: Any = None, **bent: Any) -> tuple[Attributes, Any]:
    attributes = write(submitted, stored, **bent)
    return attributes, judge(step or cap_list(2), attributes)


def test_a_result_that_equals_the_stored_status_is_no_write() -> None:
    stored = custom_resource(numbers(4, 5), managed=MANAGED)
    attributes, decision = over_stored(custom_resource(FIVE, managed=LATER), stored)
    assert (decision.outcome, decision.reason) == (Outcome.SUPPRESSED, Reason.EQUAL_AFTER_TRIMMING)
    assert plain(patched(attributes, decision)) == stored
    assert decision.policies[0].outcome is Outcome.SUPPRESSED
    assert decision.patch[-1] == Op("replace", "/metadata/managedFields/0/time", json.dumps(at(1)).encode())


def test_a_submitted_status_that_equals_the_stored_one_is_left_to_the_api_server() -> None:
    status = custom_resource(numbers(4, 5))
    assert over_stored(status, status)[1].outcome is Outcome.UNCHANGED


def test_a_status_that_needed_no_trimming_is_not_suppressed() -> None:
    decision = over_stored(custom_resource(numbers(1)), custom_resource(numbers(2)))[1]
    assert (decision.outcome, decision.patch) == (Outcome.UNCHANGED, ())


@pytest.mark.parametrize(
    ("stored_text", "equal"),
    [
        pytest.param('{"history":[4,5],"phase":"Running"}', True, id="the same"),
        pytest.param('{"phase":"Running","history":[4,5]}', True, id="members in another order"),
        pytest.param('{ "history" : [ 4 , 5 ] , "phase" : "Runn\\u0069ng" }', True, id="other writing"),
        pytest.param('{"history":[4,5.0],"phase":"Running"}', False, id="5.0 is not 5"),
        pytest.param('{"history":[4,"5"],"phase":"Running"}', False, id="a text is no number"),
        pytest.param('{"history":[5,4],"phase":"Running"}', False, id="another order of items"),
        pytest.param('{"history":[4,5],"phase":"Running","x":null}', False, id="null is not absent"),
        pytest.param('{"history":[4,5]}', False, id="a missing member"),
        pytest.param("null", False, id="null"),
    ],
)
def test_equal_means_equal_as_json(stored_text: str, equal: bool) -> None:
    decision = over_stored(custom_resource(FIVE), f'{{"status":{stored_text}}}')[1]
    assert decision.outcome is (Outcome.SUPPRESSED if equal else Outcome.TRIMMED)


def test_a_stored_object_without_a_status_equals_nothing() -> None:
    assert over_stored(custom_resource({"history": [1, 2, 3]}), custom_resource(None))[1].outcome is Outcome.TRIMMED


@pytest.mark.parametrize(
    ("bent", "suppressed"),
    [
        pytest.param({}, True, id="nothing else"),
        pytest.param({"spec": {"queue": "other"}}, False, id="the spec"),
        pytest.param({"extra": 1}, False, id="a new top-level member"),
        pytest.param({"spec": None}, False, id="a lost top-level member"),
        pytest.param({"metadata": {"name": "train", "labels": {"a": "b"}}}, False, id="a label"),
        pytest.param(
            {"metadata": {"name": "train", "resourceVersion": "2", "generation": 7}},
            True,
            id="what the API server rewrites",
        ),
        pytest.param({"metadata": {"name": "other"}}, False, id="the name"),
        pytest.param({"metadata": "text"}, False, id="no metadata at all"),
    ],
)
def test_a_write_to_the_main_resource_is_a_no_op_only_when_nothing_else_changes(bent: Json, suppressed: bool) -> None:
    stored = custom_resource(numbers(4, 5), metadata={"name": "train", "resourceVersion": "1"})
    submitted = custom_resource(FIVE, metadata={"name": "train", "resourceVersion": "1"})
    submitted = {name: value for name, value in (submitted | bent).items() if value is not None}
    decision = over_stored(submitted, stored, subresource="")[1]
    assert decision.outcome is (Outcome.SUPPRESSED if suppressed else Outcome.TRIMMED)
    assert over_stored(submitted, stored)[1].outcome is Outcome.SUPPRESSED


def test_an_answer_evaluated_again_changes_nothing() -> None:
    steps = policy(cap_conditions(1), cap_list(2), truncate(40))
    status = FIVE | {"message": "x" * 99, "conditions": [{"type": "A"}, {"type": "A"}]}
    result = after(steps, custom_resource(status))
    again = judge(steps, write(result, result))
    assert (again.outcome, again.patch) == (Outcome.UNCHANGED, ())


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


def test_a_warning_says_which_policy_and_how_much() -> None:
    warning = decide(policy(cap_list(2), mode=Mode.WARN, name="keep-two"), FIVE).warnings
    assert warning == ("statuscap: policy keep-two would remove 6 bytes of this status (3 items removed or cut)",)
    one = decide(policy(cap_list(4), mode=Mode.WARN, name="keep-four"), FIVE).warnings
    assert one == ("statuscap: policy keep-four would remove 2 bytes of this status (1 item removed or cut)",)
    no_op = decide(policy(cap_list(2), mode=Mode.WARN, name="keep-two"), FIVE, numbers(4, 5)).warnings
    assert no_op == (
        "statuscap: policy keep-two would make this write a no-op: trimmed, the status equals the stored one",
    )


def test_warnings_are_few_short_and_of_one_line() -> None:
    named: list[Policy] = [policy(cap_list(2), mode=Mode.WARN, name=f"p{n:02}\t\n" + "x" * 300) for n in range(12)]
    warnings = decide(named, FIVE).warnings
    assert len(warnings) == 8
    assert all(len(text) <= 256 and text.isprintable() for text in warnings)
    assert [text[18:21] for text in warnings] == [f"p{n:02}" for n in range(8)]


def test_a_policy_that_would_do_nothing_warns_of_nothing() -> None:
    assert decide(policy(cap_list(9), mode=Mode.WARN), FIVE).warnings == ()


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
