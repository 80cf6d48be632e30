"""From steps to a verdict: the patch, and a result that equals what is stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.decision import Op, Outcome, Reason
from admission.errors import DocumentError
from tests.engine.build import (
    Json,
    after,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    decide,
    entry,
    exact,
    go,
    judge,
    patched,
    plain,
    policy,
    raw,
    truncate,
    write,
)

FIVE: Json = {"history": [1, 2, 3, 4, 5], "phase": "Running"}


def numbers(*items: int, phase: str = "Running") -> Json:
    return {"history": list(items), "phase": phase}


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
