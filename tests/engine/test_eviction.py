"""An applier never loses a claim only because we trimmed.

Where it cannot be given back, as to an applier in another version, the value is left whole, once.
"""

from __future__ import annotations

import pytest

from admission.engine.decision import Outcome, Reason
from tests.engine.build import (
    Json,
    at,
    cap_conditions,
    cap_list,
    cap_map,
    custom_resource,
    drop,
    entry,
    judge,
    patched,
    plain,
    policy,
    restore_times,
    truncate,
    write,
)

WHOLE = [{"id": number, "m": "x" * 60} for number in range(3)]
LAST = WHOLE[2:]
LIST: Json = {"f:status": {"f:history": {}}}
PHASE: Json = {"f:status": {"f:phase": {}}}
BOTH: Json = {"f:status": {"f:history": {}, "f:phase": {}}}


def manager(name: str, fields: Json, operation: str = "Update") -> Json:
    """A manager in another version than the object's."""
    return entry(name, fields, operation, apiVersion="batch.volcano.sh/v1")


APPLIER = manager("argocd", LIST, "Apply")


@pytest.mark.parametrize(
    ("stored_by", "sent_by", "sent", "writer", "stays"),
    [
        pytest.param([APPLIER], [manager("u", BOTH)], WHOLE, "u", WHOLE, id="it is left as the applier once sent it"),
        pytest.param([APPLIER], [manager("u", BOTH)], WHOLE, "", WHOLE, id="by an updater without a name"),
        pytest.param([APPLIER], [APPLIER, manager("u", PHASE)], WHOLE, "u", LAST, id="the applier keeps its claim"),
        pytest.param([manager("a", LIST)], [manager("u", BOTH)], WHOLE, "u", LAST, id="an updater has none to lose"),
        pytest.param([APPLIER], [manager("argocd", PHASE, "Apply")], WHOLE, "argocd", LAST, id="it lets go itself"),
        pytest.param(
            [APPLIER],
            [manager("u", BOTH)],
            [*WHOLE, {"id": 9}],
            "u",
            [{"id": 9}],
            id="another list may be taken",
        ),
        pytest.param([manager("argocd", PHASE, "Apply")], [manager("u", BOTH)], WHOLE, "u", LAST, id="it owns another"),
    ],
)
def test_an_updater_that_says_something_new_takes_no_untrimmed_list_from_an_applier(
    stored_by: list[Json], sent_by: list[Json], sent: list[Json], writer: str, stays: list[Json]
) -> None:
    stored = custom_resource({"history": LAST}, managed=stored_by)
    submitted = custom_resource({"history": sent, "phase": "Running"}, managed=sent_by)
    attributes = write(submitted, stored, field_manager=writer)
    decision = judge(cap_list(1), attributes)
    assert plain(patched(attributes, decision))["status"]["history"] == stays
    assert (decision.reason is Reason.CO_OWNED) is (stays == WHOLE)


def test_a_text_inside_an_item_is_left_too() -> None:
    keyed: Json = {"f:status": {"f:history": {'k:{"id":0}': {".": {}, "f:id": {}, "f:m": {}}}}}
    step = truncate(40, "status.history[*].m")
    whole = custom_resource({"history": WHOLE[:1]}, managed=[manager("argocd", keyed, "Apply")])
    first = write(whole, None, field_manager="argocd")
    cut = plain(patched(first, judge(step, first)))["status"]["history"]
    assert cut != WHOLE[:1]
    stored = custom_resource({"history": cut}, managed=[manager("argocd", keyed, "Apply")])
    taken = [
        manager("argocd", {"f:status": {"f:history": {'k:{"id":0}': {".": {}, "f:id": {}}}}}, "Apply"),
        manager("u", {"f:status": {"f:phase": {}, "f:history": {'k:{"id":0}': {"f:m": {}}}}}),
    ]
    again = write(custom_resource({"history": WHOLE[:1], "phase": "x"}, managed=taken), stored, field_manager="u")
    decision = judge(step, again)
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.CO_OWNED)


def test_other_lists_of_the_same_write_are_trimmed_all_the_same() -> None:
    stored = custom_resource({"history": LAST}, managed=[APPLIER])
    sent = custom_resource({"history": WHOLE, "other": WHOLE}, managed=[manager("u", BOTH)])
    attributes = write(sent, stored, field_manager="u")
    policies = [policy(cap_list(1, at=f"status.{name}"), name=name) for name in ("history", "other")]
    decision = judge(policies, attributes)
    status = plain(patched(attributes, decision))["status"]
    assert (status["history"], status["other"]) == (WHOLE, LAST)


def test_a_field_of_a_list_that_an_applier_owns_as_a_whole_is_left_too() -> None:
    whole, short = [{"id": 0, "m": "x", "log": "l"}], [{"id": 0, "m": "x"}]
    stored = custom_resource({"history": short}, managed=[APPLIER])
    taken = custom_resource({"history": whole, "phase": "x"}, managed=[manager("u", BOTH)])
    decision = judge(drop("status.history[*].log"), write(taken, stored, field_manager="u"))
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.CO_OWNED)
    other = custom_resource({"history": [{**whole[0], "m": "y"}]}, managed=[manager("u", BOTH)])
    decision = judge(drop("status.history[*].log"), write(other, stored, field_manager="u"))
    assert [op.path for op in decision.patch] == ["/status/history/0/log"]


def test_a_field_of_an_object_that_an_applier_owns_field_by_field_goes() -> None:
    stored = custom_resource({"phase": "x"}, managed=[manager("argocd", PHASE, "Apply")])
    fields: Json = {"f:status": {"f:phase": {}, "f:log": {}}}
    taken = custom_resource({"phase": "y", "log": "l"}, managed=[manager("u", fields)])
    decision = judge(drop("status.log"), write(taken, stored, field_manager="u"))
    assert next(op.path for op in decision.patch) == "/status/log"


def test_what_is_inside_a_list_that_is_left_is_left_with_it() -> None:
    def condition(type_: str, minute: int) -> Json:
        return {"type": type_, "lastTransitionTime": at(minute)}

    owned: Json = {"f:status": {"f:conditions": {}}}
    stored = custom_resource({"conditions": [condition("B", 2)]}, managed=[manager("argocd", owned, "Apply")])
    sent = [condition("A", 1), condition("B", 9)]
    taken = custom_resource(
        {"conditions": sent, "phase": "x"}, managed=[manager("u", {"f:status": {"f:conditions": {}}})]
    )
    attributes = write(taken, stored, field_manager="u")
    steps = policy(restore_times(), cap_conditions(1, keep=[]))
    decision = judge(steps, attributes)
    assert plain(patched(attributes, decision))["status"]["conditions"] == sent
    assert decision.reason is Reason.CO_OWNED


def test_a_time_in_a_list_that_an_applier_loses_goes_back_to_what_it_applied() -> None:
    owned: Json = {"f:status": {"f:conditions": {}}}
    stored = custom_resource({"conditions": [{"type": "A", "at": "1"}]}, managed=[manager("argocd", owned, "Apply")])
    taken = custom_resource({"conditions": [{"type": "A", "at": "9"}], "phase": "x"}, managed=[manager("u", owned)])
    decision = judge(restore_times(fields=["at"]), write(taken, stored, field_manager="u"))
    assert [op.path for op in decision.patch] == ["/status/conditions/0/at"]


@pytest.mark.parametrize(
    ("owned", "stays"),
    [
        pytest.param({"f:nodes": {}}, ["a", "b", "c"], id="a map that is one leaf stays whole"),
        pytest.param({"f:nodes": {".": {}, "f:c": {}}}, ["c"], id="one of entries that are owned one by one"),
    ],
)
def test_an_updater_that_says_something_new_takes_no_untrimmed_map_from_an_applier(
    owned: Json, stays: list[str]
) -> None:
    nodes = dict.fromkeys("abc", "x" * 60)
    stored = custom_resource({"nodes": {"c": nodes["c"]}}, managed=[manager("argocd", {"f:status": owned}, "Apply")])
    update = {"f:status": {"f:nodes": owned["f:nodes"] and {f"f:{name}": {} for name in "abc"}, "f:phase": {}}}
    sent = custom_resource({"nodes": nodes, "phase": "x"}, managed=[manager("u", update)])
    attributes = write(sent, stored, field_manager="u")
    decision = judge(cap_map(1), attributes)
    assert list(plain(patched(attributes, decision))["status"]["nodes"]) == stays
    assert decision.policies[0].reason is (Reason.NONE if len(stays) == 1 else Reason.CO_OWNED)
