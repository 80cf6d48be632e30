"""``managedFields`` after a trim that took a claim from an applier: what they were had the trimmed words been sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.policy import Policy
from admission.engine.steps import Step
from tests.engine.build import (
    Json,
    at,
    cap_list,
    custom_resource,
    drop,
    entry,
    go,
    judge,
    limit,
    patched,
    plain,
    policy,
    restore_times,
    truncate,
    write,
)

WHOLE = [{"id": number, "m": "x" * 60} for number in range(3)]
LAST = WHOLE[2:]


def fields(*names: str, **inside: Json) -> Json:
    """A ``fieldsV1`` that owns these members of the status."""
    return {"f:status": {f"f:{name}": {} for name in names} | {f"f:{name}": node for name, node in inside.items()}}


def managed(after: Json) -> list[Json]:
    found: list[Json] = after["metadata"]["managedFields"]
    return found


def sent(
    policies: Step | Policy | Sequence[Policy], status: Json, by: list[Json], stored: Json, **facts: Any
) -> tuple[Attributes, Decision, Json]:
    """A write, the decision on it, and the object after."""
    attributes = write(custom_resource(status, managed=by), stored, **({"field_manager": "u"} | facts))
    decision = judge(policies, attributes)
    return attributes, decision, plain(patched(attributes, decision))


A = entry("argocd", fields("history"), "Apply")
U = entry("u", fields("history", "phase"), time=at(5))
V = entry("v", fields("message"), time=at(1))


@pytest.mark.parametrize(
    ("stored_by", "sent_by", "left"),
    [
        pytest.param([A], [U], [A, U | {"fieldsV1": fields("phase")}], id="all that the applier had"),
        pytest.param(
            [A | {"fieldsV1": fields("history", "other")}],
            [A | {"fieldsV1": fields("other")}, U],
            [A | {"fieldsV1": fields("history", "other")}, U | {"fieldsV1": fields("phase")}],
            id="a part of it",
        ),
        pytest.param([A, U], [U], [A, U], id="the updater owned it before"),
        pytest.param(
            [A, entry("u", fields("phase"))],
            [U],
            [A, U | {"fieldsV1": fields("phase")}],
            id="the updater is known, and owned something else",
        ),
        pytest.param(
            [A, entry("b", fields("history", "x"), "Apply", time=at(3))],
            [entry("b", fields("x"), "Apply", time=at(3)), U],
            [A, entry("b", fields("history", "x"), "Apply", time=at(3)), U | {"fieldsV1": fields("phase")}],
            id="two appliers",
        ),
        pytest.param(
            [A, entry("b", fields("history", "x"), time=at(3))],
            [entry("b", fields("x"), time=at(3)), U],
            [A, entry("b", fields("history", "x"), time=at(3)), U | {"fieldsV1": fields("phase")}],
            id="another updater that had it too",
        ),
        pytest.param([A, V], [V, U], [A, V, U | {"fieldsV1": fields("phase")}], id="who has nothing to do with it"),
        pytest.param(
            [A],
            [U | {"manager": "argocd"}],
            [A, U | {"manager": "argocd", "fieldsV1": fields("phase")}],
            id="its own name",
        ),
    ],
)
@pytest.mark.parametrize("writer", ["u", "", None])
def test_an_applier_gets_back_what_an_updater_took_with_its_words(
    stored_by: list[Json], sent_by: list[Json], left: list[Json], writer: str | None
) -> None:
    stored = custom_resource({"history": LAST}, managed=stored_by)
    facts = {} if writer == "u" else {"field_manager": writer}
    if stored_by == [A, U] and writer is None:
        return  # nobody can tell whether the applier let go itself: see the next test
    _, decision, after = sent(cap_list(1), {"history": WHOLE, "phase": "x"}, sent_by, stored, **facts)
    assert (decision.outcome, decision.reason, decision.violations) == (Outcome.TRIMMED, Reason.NONE, ())
    assert after["status"] == {"history": LAST, "phase": "x"}
    assert managed(after) == left


def test_an_updater_to_whom_nothing_is_left_goes() -> None:
    """As when nobody tells who writes, and the result is what is stored."""
    stored = custom_resource({"history": LAST}, managed=[A, V])
    taken = [V, U | {"fieldsV1": fields("history")}]
    _, decision, after = sent(cap_list(1), {"history": WHOLE}, taken, stored, field_manager=None)
    assert decision.outcome is Outcome.TRIMMED
    assert after == stored


def test_single_entries_are_written_where_no_entry_comes_back() -> None:
    stored = custom_resource({"history": LAST}, managed=[A | {"fieldsV1": fields("history", "other")}, V])
    taken = [A | {"fieldsV1": fields("other")}, V, U | {"fieldsV1": fields("history")}]
    _, decision, after = sent(cap_list(1), {"history": WHOLE, "message": "n"}, taken, stored)
    paths = [(op.op, op.path) for op in decision.patch if op.path.startswith("/metadata")]
    assert paths == [("replace", "/metadata/managedFields/0/fieldsV1"), ("remove", "/metadata/managedFields/2")]
    assert managed(after) == managed(stored)


@pytest.mark.parametrize(
    ("key", "spelled"),
    [
        pytest.param("a", '{"id":"a"}', id="a plain key"),
        pytest.param("<a>&\u2028", '{"id":"<a>&\u2028"}', id="what Go escapes, as it is"),
        pytest.param("<a>", r'{"id":"\u003ca\u003e"}', id="what Go escapes, escaped"),
        pytest.param('"\\/~', r'{"id":"\"\\/~"}', id="quotes and strokes"),
        pytest.param(7, '{"id":7}', id="a number"),
        pytest.param("é\U0001f600", '{"id":"é\U0001f600"}', id="beyond ASCII"),
    ],
)
@pytest.mark.parametrize("sent_as", ["as it is stored", "in other words"])
def test_a_text_inside_an_item_goes_back_wherever_the_item_stands(key: Json, spelled: str, sent_as: str) -> None:
    name = f"k:{spelled}"
    other = "k:" + spelled.replace('"id"', r'"\u0069d"') if sent_as == "in other words" else name
    step = truncate(40, "status.history[*].m")
    item = {"id": key, "m": "x" * 90, "n": 1}
    cut = {**item, "m": sent(step, {"history": [item]}, [], None)[2]["status"]["history"][0]["m"]}
    owned = fields(history={name: {".": {}, "f:id": {}, "f:m": {}}})
    left = fields(history={other: {".": {}, "f:id": {}}})
    gained = fields("phase", history={other: {"f:m": {}, "f:n": {}}})
    stored = custom_resource({"history": [cut, {"id": "z"}]}, managed=[entry("argocd", owned, "Apply")])
    by = [entry("argocd", left, "Apply"), entry("u", gained)]
    status = {"history": [{"id": "z"}, {**item, "n": 2}], "phase": "x"}
    _, decision, after = sent(step, status, by, stored)
    assert (decision.outcome, decision.violations) == (Outcome.TRIMMED, ())
    assert after["status"]["history"] == [{"id": "z"}, {**cut, "n": 2}]
    assert [one["fieldsV1"] for one in managed(after)] == [
        fields(history={other: {".": {}, "f:id": {}, "f:m": {}}}),
        fields("phase", history={other: {"f:n": {}}}),
    ]


@pytest.mark.parametrize("name", ["a/b~c", "", "f:x", ".", "<é>", 'q"'])
def test_a_member_with_an_odd_name_goes_back(name: str) -> None:
    step = truncate(40, "status.texts.*")
    cut = sent(step, {"texts": {name: "x" * 90}}, [], None)[2]["status"]
    stored = custom_resource(cut, managed=[entry("argocd", fields(texts={f"f:{name}": {}}), "Apply")])
    by = [entry("u", fields("phase", texts={f"f:{name}": {}}))]
    _, decision, after = sent(step, {"texts": {name: "x" * 90}, "phase": "x"}, by, stored)
    assert decision.violations == ()
    assert after["status"]["texts"] == cut["texts"]
    assert managed(after) == [*managed(stored), entry("u", fields("phase"))]


def test_what_the_same_trim_removed_is_pruned_beside() -> None:
    applied = fields(history={'k:{"id":2}': {".": {}, "f:id": {}, "f:m": {}}})
    step = policy(cap_list(1), truncate(40, "status.history[*].m"))
    _, _, short = sent(step, {"history": WHOLE}, [], None)
    stored = custom_resource(short["status"], managed=[entry("argocd", applied, "Apply")])
    left = fields(history={'k:{"id":2}': {".": {}, "f:id": {}}})
    gained: Json = {f'k:{{"id":{n}}}': {".": {}, "f:id": {}, "f:m": {}} for n in range(2)} | {'k:{"id":2}': {"f:m": {}}}
    by = [entry("argocd", left, "Apply"), entry("u", fields("phase", history=gained))]
    _, decision, after = sent(step, {"history": WHOLE, "phase": "x"}, by, stored)
    assert decision.violations == ()
    assert [one["fieldsV1"] for one in managed(after)] == [applied, fields("phase")]


def test_a_list_whose_times_were_put_back_stays_the_appliers() -> None:
    stored = custom_resource(
        {"conditions": [{"type": "A", "at": "1"}]}, managed=[entry("argocd", fields("conditions"), "Apply")]
    )
    status = {"conditions": [{"type": "A", "at": "9"}], "phase": "x"}
    _, _, after = sent(restore_times(fields=["at"]), status, [entry("u", fields("conditions", "phase"))], stored)
    assert after["status"] == {"conditions": [{"type": "A", "at": "1"}], "phase": "x"}
    assert managed(after) == [*managed(stored), entry("u", fields("phase"))]


def test_a_field_dropped_inside_a_list_lets_the_list_stay_the_appliers() -> None:
    stored = custom_resource({"history": [{"id": 0}]}, managed=[A])
    _, _, after = sent(drop("status.history[*].log"), {"history": [{"id": 0, "log": "l"}], "phase": "x"}, [U], stored)
    assert after["status"]["history"] == [{"id": 0}]
    assert managed(after) == [A, U | {"fieldsV1": fields("phase")}]


@pytest.mark.parametrize(
    ("history", "by"),
    [
        pytest.param([*WHOLE, {"id": 9}], [U], id="another list is taken with good reason"),
        pytest.param(WHOLE, [A | {"time": at(7)}, U], id="the applier did not lose it"),
        pytest.param(WHOLE, [A | {"fieldsV1": fields("phase")}], id="nobody has it any more"),
    ],
)
def test_nothing_goes_back_that_was_not_lost(history: list[Json], by: list[Json]) -> None:
    stored = custom_resource({"history": LAST}, managed=[A])
    _, _, after = sent(cap_list(1), {"history": history, "phase": "x"}, by, stored, field_manager="argocd")
    assert managed(after) == by


@pytest.mark.parametrize(
    "by",
    [
        pytest.param([entry("b", fields("history", "phase"), "Apply")], id="an applier took it by force"),
        pytest.param([U | {"apiVersion": "v1"}, entry("b", fields("history"), "Apply")], id="two have it"),
        pytest.param([entry("u", fields("phase", history={"f:x": {}}))], id="somebody has what is in it"),
    ],
)
def test_what_cannot_go_back_is_left_whole(by: list[Json]) -> None:
    stored = custom_resource({"history": LAST}, managed=[A])
    _, decision, after = sent(cap_list(1), {"history": WHOLE, "phase": "x"}, by, stored)
    assert (after["status"]["history"], decision.reason) == (WHOLE, Reason.CO_OWNED)
    assert managed(after) == by


@pytest.mark.parametrize("by", [None, [], [7], "none"])
def test_without_managed_fields_nothing_is_left_whole_nor_given(by: Json) -> None:
    """The API server sends none when it tries a write that was too large once more: it must get smaller."""
    stored = custom_resource({"history": LAST}, managed=[A])
    taken = custom_resource({"history": WHOLE, "phase": "x"})
    if by is not None:
        taken["metadata"]["managedFields"] = by
    attributes = write(taken, stored, field_manager="u")
    after = plain(patched(attributes, judge(cap_list(1), attributes)))
    assert after["status"]["history"] == LAST
    assert after["metadata"] == taken["metadata"]


def test_an_edit_of_the_main_resource_keeps_what_it_gains_elsewhere() -> None:
    stored = custom_resource({"history": LAST}, managed=[entry("argocd", fields("history"), "Apply", subresource="")])
    gained = fields("history") | {"f:spec": {"f:queue": {}}}
    attributes = write(
        custom_resource({"history": WHOLE}, managed=[entry("u", gained, subresource="")], spec={"queue": "new"}),
        stored,
        field_manager="u",
        subresource="",
    )
    after = plain(patched(attributes, judge(cap_list(1), attributes)))
    assert managed(after) == [*managed(stored), entry("u", {"f:spec": {"f:queue": {}}}, subresource="")]


@pytest.mark.parametrize("mode", ["DryRun", "Warn"])
def test_a_policy_that_only_observes_gives_nothing_back(mode: str) -> None:
    stored = custom_resource({"history": LAST}, managed=[A])
    _, decision, _ = sent(policy(cap_list(1), mode=mode), {"history": WHOLE, "phase": "x"}, [U], stored)
    assert (decision.outcome, decision.patch) == (Outcome.WOULD_TRIM, ())


def test_the_result_is_not_changed_again_and_stays_so_over_many_writes() -> None:
    """The applier repeats its words in between, as the API server would compute it: nobody else owns them."""
    stored, step = custom_resource({"history": LAST}, managed=[A]), cap_list(1)
    for number in range(5):
        known = [one for one in managed(stored) if one["manager"] == "u"]
        by = [(known or [U])[0] | {"fieldsV1": fields("history", "phase"), "time": at(10 + number)}]
        _, _, after = sent(step, {"history": WHOLE, "phase": f"p{number}"}, by, stored)
        assert judge(step, write(after, stored, field_manager="u")).patch == ()
        assert managed(after) == [A, by[0] | {"fieldsV1": fields("phase")}]
        stored = after


def test_what_comes_back_counts_in_the_size_of_the_object() -> None:
    stored = custom_resource({"history": LAST}, managed=[A])
    status = {"history": WHOLE, "phase": "y" * 100}
    _, _, after = sent(cap_list(1), status, [U], stored, subresource="")
    for most, outcome in ((len(go(after)), Outcome.TRIMMED), (len(go(after)) - 1, Outcome.REJECTED)):
        limits = policy(cap_list(1), limits=[limit(most, "Object")])
        assert sent(limits, status, [U], stored, subresource="")[1].outcome is outcome
