"""What a patch may do, whatever a step did: the re-check, and that it never cries without need."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from msgspec import Raw

from admission.engine.decision import Op, Outcome, Reason
from admission.engine.document import Document
from admission.engine.evaluate import evaluate
from admission.engine.fieldpath import FieldPath
from admission.engine.invariants import broken
from admission.engine.licence import Licence
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.schema import Schema, Schemas
from admission.engine.steps import CapList, Effect
from admission.engine.values import encode, open_object, quoted
from tests.engine.build import (
    NOW,
    Json,
    budget,
    cap_conditions,
    cap_list,
    cap_map,
    custom_resource,
    decide,
    dedupe,
    drop,
    entry,
    exact,
    fit_schema,
    go,
    judge,
    kept,
    only,
    path,
    pin,
    policy,
    raw,
    restore_times,
    trimmed,
    truncate,
    write,
)

LICENCE = Licence(
    shrinking=(path("status.history"), path("status.conditions")),
    cutting=(path("status.message"),),
    dropping=(path("status.extra"), path("status.conditions"), path("status.conditions[*].*")),
)
A_HISTORY = [{"id": number} for number in range(4)]


@dataclass(frozen=True, slots=True)
class Rogue:
    """A step that does to the document what no step may do."""

    kind: ClassVar[str] = "rogue"

    does: Callable[[Document], None] = field(compare=False)
    licence: Licence = LICENCE

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        return (path("status.history"),)

    def apply(self, document: Document, now: int) -> Effect:
        before = document.revision
        self.does(document)
        return Effect(found=True, items=document.revision - before)


def _set(document: Document, at: str, value: bytes) -> None:
    for trail, container, key in list(document.places(path(at))):
        if encode(container[key]) != value:  # type: ignore[index]
            document.replace(trail, container, key, Raw(value))


def _reorders(document: Document) -> None:
    for trail, items in document.lists(path("status.history")):
        if len(items) == len(A_HISTORY):
            document.move_item(trail, items, 2, 0)
            document.remove_items(trail, items, [2])


def _swaps_behind_the_back(document: Document) -> None:
    for trail, items in document.lists(path("status.history")):
        if len(items) == len(A_HISTORY):
            document.remove_items(trail, items, [0, 1])
            items[0], items[1] = items[1], items[0]


def _removes_others_than_it_says(document: Document) -> None:
    for trail, items in document.lists(path("status.history")):
        if len(items) == len(A_HISTORY):
            document.remove_items(trail, items, [0])
            items[0] = raw('{"id":0}')


def _adds_an_item(document: Document) -> None:
    for trail, items in document.lists(path("status.history")):
        if encode(items[0]) == b'{"id":0}':
            document.remove_items(trail, items, [0])
            items.append(raw('{"id":99}'))


def _adds_a_field(document: Document) -> None:
    status = open_object(document.object, "status")
    if status is not None and "new" not in status:
        status["new"] = raw("1")
        for trail, items in document.lists(path("status.history")):
            document.remove_items(trail, items, [0])


def _removes_a_type(document: Document) -> None:
    for trail, items in document.lists(path("status.conditions")):
        if len(items) > 1:
            document.remove_items(trail, items, [0])


def _drops(*names: str) -> Callable[[Document], None]:
    def does(document: Document) -> None:
        for name in names:
            for trail, container, key in list(document.places(path(name))):
                assert isinstance(container, dict)
                document.remove_member(trail, container, str(key))

    return does


def _puts_back(at: str, text: str) -> Callable[[Document], None]:
    def does(document: Document) -> None:
        for trail, container, key in list(document.places(path(at))):
            assert isinstance(container, dict)
            if encode(container[str(key)]) != go(text):
                document.put_back(trail, container, str(key), raw(go(text)))

    return does


def _never_ends(document: Document) -> None:
    for trail, container, key in document.places(path("status.message")):
        text = encode(container[key])  # type: ignore[index]
        document.replace(trail, container, key, Raw(b'"ba"' if text == b'"ab"' else b'"ab"'))


ROGUES = [
    pytest.param(lambda d: _set(d, "spec.queue", b'"x"'), "I1", id="it edits the spec"),
    pytest.param(_swaps_behind_the_back, "I6", id="it swaps items without saying so"),
    pytest.param(_removes_others_than_it_says, "I2", id="it removes others than it says"),
    pytest.param(_adds_an_item, "I2", id="it adds an item"),
    pytest.param(_adds_a_field, "I2", id="it adds a field"),
    pytest.param(
        lambda d: _set(d, "status.message", json.dumps("m" * 200).encode()), "I5", id="it makes a text longer"
    ),
    pytest.param(lambda d: _set(d, "status.message", b"7"), "I6", id="it turns a text into a number"),
    pytest.param(lambda d: _set(d, "status.count", b"7"), "I6", id="it changes a number"),
    pytest.param(lambda d: _set(d, "status.phase", b'"x"'), "I6", id="it cuts a text that nobody named"),
    pytest.param(lambda d: _set(d, "status.conditions[*].reason", b'"x"'), "I6", id="it cuts a condition's reason"),
    pytest.param(_drops("status.count"), "I6", id="it drops what nobody named"),
    pytest.param(_drops("status.extra", "status.count"), "I6", id="it drops more than was named"),
    pytest.param(_drops("status.conditions[*].reason"), "I6", id="it drops what machines read"),
    pytest.param(_drops("status.conditions"), "I6", id="it drops a list of conditions"),
    pytest.param(_reorders, "I7", id="it changes the order"),
    pytest.param(_removes_a_type, "I7", id="it removes the last condition of a type"),
    pytest.param(_never_ends, "I4", id="it never comes to an end"),
]
STATUS: dict[str, Json] = {
    "conditions": [{"type": "A", "reason": "Because"}, {"type": "B", "reason": "Because"}],
    "count": 12,
    "extra": {"a": 1},
    "events": [{"id": number} for number in range(4)],
    "history": A_HISTORY,
    "message": "short",
    "phase": "Running",
}


@pytest.mark.parametrize(("does", "invariant"), ROGUES)
def test_leaves_out_a_policy_that_breaks_an_invariant_and_applies_the_others(
    does: Callable[[Document], None], invariant: str
) -> None:
    rogue = policy(Rogue(does), name="rogue")
    good = policy(cap_list(3, at="status.events"), name="good", priority=-1)
    decision = decide([rogue, good], STATUS)
    assert [violation.invariant for violation in decision.violations] == [invariant]
    assert [violation.policy for violation in decision.violations] == ["rogue"]
    assert {report.name: (report.outcome, report.reason) for report in decision.policies} == {
        "rogue": (Outcome.SKIPPED, Reason.INVARIANT_VIOLATED),
        "good": (Outcome.TRIMMED, Reason.NONE),
    }
    assert decision.outcome is Outcome.TRIMMED
    assert decision.patch == (Op("remove", "/status/events/0"),)


@pytest.mark.parametrize(("does", "invariant"), ROGUES)
def test_a_lone_policy_that_breaks_an_invariant_changes_nothing(
    does: Callable[[Document], None], invariant: str
) -> None:
    decision = decide(Rogue(does), STATUS)
    assert (decision.outcome, decision.reason) == (Outcome.SKIPPED, Reason.INVARIANT_VIOLATED)
    assert [(each.invariant, each.step) for each in decision.violations] == [(invariant, Rogue.kind)]
    assert decision.patch == ()


def test_a_second_failure_lets_the_write_pass_as_it_came() -> None:
    rogues = [policy(Rogue(_removes_a_type), name=name) for name in ("one", "two")]
    decision = decide([*rogues, policy(cap_list(3), name="good")], STATUS)
    assert (decision.outcome, decision.reason) == (Outcome.SKIPPED, Reason.INVARIANT_VIOLATED)
    assert decision.patch == ()
    assert [violation.policy for violation in decision.violations] == ["one", "two"]
    assert {report.outcome for report in decision.policies} == {Outcome.SKIPPED}
    assert decision.bytes_after == decision.bytes_before


def test_an_observed_policy_that_breaks_an_invariant_touches_nobody_else() -> None:
    rogue: Policy = policy(Rogue(_removes_a_type), name="rogue", mode=Mode.WARN)
    decision = decide([rogue, policy(cap_list(3), name="good")], STATUS)
    assert decision.outcome is Outcome.TRIMMED
    assert [violation.policy for violation in decision.violations] == ["rogue"]
    assert decision.warnings == ()


def test_an_error_in_a_step_is_not_swallowed() -> None:
    def fails(document: Document) -> None:
        raise KeyError("a fault of ours")

    with pytest.raises(KeyError):
        decide(Rogue(fails), STATUS)


# --- what is put back ------------------------------------------------------------------------------------------------

OLD, NEWER = "2026-01-01T00:01:00.5Z", "2026-01-01T00:02:00Z"
STORED = [{"type": "A", "at": OLD, "id": "a"}, {"type": "B", "at": NEWER, "id": "b"}, {"type": "C", "at": "c"}] + [
    {"type": "D", "at": text} for text in "de"
]
SENT: Json = [{"type": name, "at": "", "id": ""} for name in "ABCDE"]
RESTORING = restore_times("status.state", fields=["at"]).licence


@pytest.mark.parametrize(
    ("does", "licence", "invariant"),
    [
        pytest.param(_puts_back("status.state[0].at", OLD), RESTORING, None, id="the stored text of the same item"),
        pytest.param(_puts_back("status.state[0].at", NEWER), RESTORING, "I6", id="that of another item"),
        pytest.param(_puts_back("status.state[0].at", "new"), RESTORING, "I6", id="one that nobody stored"),
        pytest.param(_puts_back("status.state[0].id", "a"), RESTORING, "I6", id="another field"),
        pytest.param(_puts_back("status.state[3].at", "d"), RESTORING, "I6", id="of a type that occurs twice"),
        pytest.param(_puts_back("status.state[4].at", "e"), RESTORING, "I6", id="of a type that is not stored"),
        pytest.param(_puts_back("status.state[0].at", OLD), Licence(), "I5", id="although no step may"),
        pytest.param(
            _puts_back("status.state[0].at", NEWER),
            Licence(restoring=RESTORING.restoring, cutting=(path("status.state[*].at"),)),
            "I5",
            id="a longer text of another item where texts may be cut",
        ),
    ],
)
def test_only_what_is_stored_for_the_same_item_is_put_back(
    does: Callable[[Document], None], licence: Licence, invariant: str | None
) -> None:
    attributes = write(custom_resource({"state": SENT}), custom_resource({"state": STORED, "x": 1}))
    decision = judge(Rogue(does, licence), attributes)
    assert [each.invariant for each in decision.violations] == ([] if invariant is None else [invariant])


def test_a_text_of_another_item_of_the_same_wildcard_is_not_put_back() -> None:
    def parents(*texts: str) -> Json:
        return custom_resource({"parents": [{"state": [{"type": "A", "at": text}]} for text in texts]})

    licence = restore_times("status.parents[*].state", fields=["at"]).licence
    attributes = write(parents("x", "x"), parents(OLD, NEWER))
    for position, text, fine in [(0, OLD, True), (1, NEWER, True), (0, NEWER, False), (1, OLD, False)]:
        does = _puts_back(f"status.parents[{position}].state[0].at", text)
        assert (judge(Rogue(does, licence), attributes).violations == ()) is fine


def test_what_is_put_back_excuses_nothing_else_that_grows() -> None:
    def does(document: Document) -> None:
        _puts_back("status.state[0].at", OLD)(document)
        for trail, items in document.lists(path("status.state")):
            if len(items) == len(SENT):
                document.move_item(trail, items, 4, 2)
                document.remove_items(trail, items, [3])

    licence = Licence((path("status.state"),), (path("status.state"),), restoring=RESTORING.restoring)
    sent = [*SENT[:4], {"type": "C", "at": "c" * 99, "id": ""}]
    decision = judge(Rogue(does, licence), write(custom_resource({"state": sent}), custom_resource({"state": STORED})))
    assert [each.invariant for each in decision.violations] != []


# --- pins ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [cap_list(2, pins=[pin("id In 0")]), cap_list(2, first=1)], ids=["where", "first"])
def test_a_pinned_item_stays(step: CapList) -> None:
    def removes(position: int) -> Callable[[Document], None]:
        def does(document: Document) -> None:
            for trail, items in document.lists(path("status.history")):
                if len(items) == len(A_HISTORY):
                    document.remove_items(trail, items, [position])

        return does

    wrong = decide(Rogue(removes(0), step.licence), STATUS)
    assert [(each.invariant, each.detail) for each in wrong.violations] == [
        ("I7", "a pinned item left /status/history")
    ]
    assert decide(Rogue(removes(1), step.licence), STATUS).violations == ()


@pytest.mark.parametrize(
    ("names", "fine"),
    [
        pytest.param(["a"], True, id="what may go"),
        pytest.param(["a", "c"], True, id="all that may"),
        pytest.param(["b"], False, id="what runs on"),
        pytest.param(["conditions"], False, id="a list of conditions"),
        pytest.param(["a", "b"], False, id="more than may"),
    ],
)
def test_only_entries_that_may_go_leave_a_map(names: list[str], fine: bool) -> None:
    nodes: Json = {"a": "DONE", "b": "RUNNING", "c": "DONE", "conditions": [{"type": "A"}]}
    step = cap_map(1, where=[". NotIn RUNNING"])
    decision = decide(Rogue(_drops(*(f"status.nodes.{name}" for name in names)), step.licence), {"nodes": nodes})
    assert [each.invariant for each in decision.violations] == ([] if fine else ["I6"])


@pytest.mark.parametrize(
    ("demands", "fine"),
    [({"minProperties": 2}, True), ({"minProperties": 3}, False), ({"required": ["a"]}, False), ({}, True)],
)
def test_a_map_keeps_the_entries_that_the_schema_demands(demands: Json, fine: bool) -> None:
    schema = Schema.of({"properties": {"status": {"properties": {"nodes": demands}}}})
    rogue = policy(Rogue(_drops("status.nodes.a"), cap_map(1).licence))
    sent = write(custom_resource({"nodes": {"a": 1, "b": 2, "c": 3}}))
    decision = judge(PolicySet.of([rogue], Schemas({("*", "*", "*"): schema})), sent)
    assert [each.invariant for each in decision.violations] == ([] if fine else ["I8"])


# --- what tells items apart ------------------------------------------------------------------------------------------

KEYED = Schema.of(
    {
        "properties": {
            "status": {
                "properties": {
                    "nodes": {"items": {}, "x-kubernetes-list-map-keys": ["name"]},
                    "tags": {"items": {}, "x-kubernetes-list-type": "set"},
                }
            }
        }
    }
)
OWNED = [
    entry(
        "controller",
        {"f:status": {"f:nodes": {'k:{"name":"node-a"}': {".": {}}}, "f:tags": {'v:"tag-a"': {}}}},
    )
]
NODES_AND_TAGS: dict[str, Json] = {
    "nodes": [{"name": "node-a", "log": "long"}, {"name": "node-b", "log": "long"}],
    "tags": ["tag-a", "tag-b"],
}
BENDING = Licence(
    cutting=(path("status.nodes[*].name"), path("status.nodes[*].log"), path("status.tags[*]")),
    dropping=(path("status.nodes[*].name"), path("status.nodes[*].log")),
)


@pytest.mark.parametrize("known", ["from the schema", "from the managed fields", "not at all"])
@pytest.mark.parametrize(
    ("does", "tells_apart"),
    [
        pytest.param(lambda d: _set(d, "status.nodes[1].name", b'"n"'), True, id="it cuts a key"),
        pytest.param(_drops("status.nodes[1].name"), True, id="it drops a key"),
        pytest.param(lambda d: _set(d, "status.tags[1]", b'"t"'), True, id="it cuts the item of a set"),
        pytest.param(lambda d: _set(d, "status.nodes[1].log", b'"l"'), False, id="it cuts another text"),
        pytest.param(_drops("status.nodes[1].log"), False, id="it drops another field"),
    ],
)
def test_what_tells_the_items_of_a_list_apart_stays(
    does: Callable[[Document], None], tells_apart: bool, known: str
) -> None:
    managed = OWNED if known == "from the managed fields" else None
    schemas = Schemas({("*", "*", "*"): KEYED} if known == "from the schema" else {})
    policies = PolicySet.of([policy(Rogue(does, BENDING))], schemas)
    decision = evaluate(policies, write(custom_resource(NODES_AND_TAGS, managed=managed)), NOW)
    broken_ones = [each.invariant for each in decision.violations]
    assert broken_ones == (["I8"] if tells_apart and known != "not at all" else [])
    assert (decision.outcome is Outcome.TRIMMED) is not bool(broken_ones)


# --- no false alarm --------------------------------------------------------------------------------------------------


def test_blanks_between_tokens_are_no_difference() -> None:
    items = [{"id": 1, "n": 1}, {"id": 2, "m": {"x": [1, 2]}}, {"id": 1, "n": 2}]
    text = json.dumps(custom_resource({"history": items, "other": {"a": [1]}}), indent=2)
    decision = judge(dedupe("First", ignoring=["n"]), write(text))
    assert decision.violations == ()
    assert decision.patch == (Op("remove", "/status/history/2"),)


@pytest.mark.parametrize("name", ["a&b", "<a>", "\u2028", 'say "hi"', "back\\slash", "tab\t"])
def test_member_names_that_go_escapes_are_no_difference(name: str) -> None:
    items = [{"id": number, name: {"x": number}} for number in range(3)] * 2
    assert kept(dedupe("Last", ignoring=["n"]), [*items, {"id": 9}]) == [*items[:3], {"id": 9}]


def test_a_list_that_one_policy_calls_conditions_is_plain_to_another() -> None:
    calls_it_conditions = policy(cap_conditions(5, "status.history"), name="a")
    history = [{"type": "A", "reason": "r" * 99}, {"type": "B", "reason": "r"}]
    caps = policy(cap_list(1), name="b")
    assert trimmed([calls_it_conditions, caps], {"history": history})["history"] == history[1:]
    cuts = policy(truncate(40, "status.history[*].reason", marker="…"), name="b")
    assert trimmed([calls_it_conditions, cuts], {"history": history})["history"][0]["reason"] == "r" * 37 + "…"


def test_types_that_a_policy_drops_hold_no_conditions_for_another() -> None:
    calls_it_conditions = policy(cap_conditions(9, "status.history"), cap_list(2, last=1), name="a")
    drops = policy(drop("status.history[*].type"), name="b")
    history = [{"type": "A"}, {"type": "B"}, {"type": "C"}, {"id": 1}]
    decision = decide([calls_it_conditions, drops], {"history": history})
    assert decision.violations == ()
    assert trimmed([calls_it_conditions, drops], {"history": history})["history"] == [{}, {"id": 1}]


def test_a_list_that_a_policy_calls_conditions_keeps_their_promises_in_it() -> None:
    history = [{"type": "A", "reason": "r" * 99}, {"type": "B", "reason": "r"}]
    calls_it_conditions = cap_conditions(5, "status.history")
    cuts = truncate(40, "status.history[*].reason")
    assert trimmed(policy(calls_it_conditions, cap_list(1), cuts), {"history": history})["history"] == history


def test_a_text_that_is_cut_to_what_another_item_already_is() -> None:
    step = truncate(10, "status.history[*]", marker="…")
    assert kept(step, ["a" * 50, "b", "a" * 7 + "…"]) == ["a" * 7 + "…", "b", "a" * 7 + "…"]


def test_an_item_that_moved_can_be_cut_later() -> None:
    steps = policy(dedupe("Last", ["id"], position="First"), truncate(10, "status.history[*].m", marker="…"))
    items = [{"id": 1, "m": "x"}, {"id": 2}, {"id": 1, "m": "y" * 50}]
    assert trimmed(steps, {"history": items})["history"] == [{"id": 1, "m": "y" * 7 + "…"}, {"id": 2}]


def test_an_item_that_was_cut_can_move_later() -> None:
    steps = policy(truncate(10, "status.history[*].m", marker="…"), dedupe("Last", ["id"], position="First"))
    items = [{"id": 1, "m": "x" * 99}, {"id": 2}, {"id": 1, "m": "y" * 50}]
    assert trimmed(steps, {"history": items})["history"] == [{"id": 1, "m": "y" * 7 + "…"}, {"id": 2}]


def test_what_happened_inside_a_moved_item_is_pruned_too() -> None:
    steps = policy(cap_list(1, at="status.history[*].l"), dedupe("Last", ignoring=["id", "l"], position="First"))
    items = [{"id": 1, "l": [{"k": 1}]}, {"id": 2, "l": [{"k": 1}, {"k": 2}]}]
    inner: Json = {'k:{"k":1}': {}, 'k:{"k":2}': {}}
    owned = {"f:status": {"f:history": {'k:{"id":1}': {".": {}}, 'k:{"id":2}': {".": {}, "f:l": inner}}}}
    decision = judge(steps, write(custom_resource({"history": items}, managed=[entry("c", owned)])))
    pruned: Json = {"f:status": {"f:history": {'k:{"id":2}': {".": {}, "f:l": {'k:{"k":2}': {}}}}}}
    assert exact(decision.patch[-1].value or b"") == pruned


def test_two_policies_may_work_on_one_list() -> None:
    first = policy(only("status.phase In Running", cap_list(3)), name="first")
    second = policy(cap_list(2, "NewestFirst"), name="second")
    assert trimmed([first, second], STATUS)["history"] == [{"id": 1}, {"id": 2}]


def test_a_patch_that_loses_the_status_does_not_lead_to_the_result() -> None:
    copy = Document.of(write(custom_resource(STATUS)))
    assert broken(copy, [Op("remove", "/status/missing")], [], NOW) is not None
    outside = broken(copy, [Op("remove", "/status")], [], NOW)
    assert outside is not None
    assert outside.invariant == "I1"


def test_a_list_that_no_step_may_shrink_keeps_its_items() -> None:
    rogue = Rogue(_removes_a_type, Licence())
    assert [(violation.invariant, violation.detail) for violation in decide(rogue, STATUS).violations] == [
        ("I6", "items of /status/conditions are missing")
    ]


@pytest.mark.parametrize(
    ("extra", "invariant"),
    [
        pytest.param(Op("remove", "/metadata/managedFields/9"), "I2", id="an entry that is not there"),
        pytest.param(Op("replace", "/metadata/managedFields/0/nothing", b"1"), "I2", id="a member that is not there"),
        pytest.param(Op("replace", "/metadata/labels", b"{}"), "I1", id="another part of the metadata"),
        pytest.param(Op("remove", "/metadata/managedFields/0"), "I11", id="an entry that is there"),
        pytest.param(Op("replace", "/metadata/managedFields/0/fieldsV1", b'{"f:status":{}}'), None, id="as it was"),
    ],
)
def test_operations_on_ownership_are_replayed_too(extra: Op, invariant: str | None) -> None:
    managed = [{"manager": "a", "operation": "Update", "fieldsV1": {"f:status": {}}}]
    attributes = write(custom_resource({"history": [1, 2, 3]}, managed=managed))
    document = Document.of(attributes)
    step = cap_list(1)
    step.apply(document, NOW)
    found = broken(document, [*document.operations(), extra], [step.licence], NOW)
    assert (found.invariant if found else None) == invariant


def test_a_text_that_grows_is_not_hidden_by_another_that_shrinks() -> None:
    def grows(document: Document) -> None:
        holder = document.object["status"]
        assert isinstance(holder, dict)
        document.replace(("status",), holder, "message", quoted("long " * 30))
        document.replace(("status",), holder, "output", quoted(""))

    status = {"message": "short", "output": "x" * 500}
    licence = Licence(cutting=(path("status.message"), path("status.output")))
    document = Document.of(write(custom_resource(status)))
    list(document.places(path("status.message")))
    grows(document)
    found = broken(document, document.operations(), [licence], NOW)
    assert found is not None
    assert (found.invariant, found.detail) == ("I5", "/status/message got bigger")


def test_types_are_those_of_the_list_also_when_the_list_around_it_has_lost_items() -> None:
    def conditions(*types: str) -> list[Json]:
        return [{"type": name, "lastTransitionTime": f"2026-01-01T00:00:0{at}Z"} for at, name in enumerate(types)]

    nodes = [{"conditions": conditions("A", "A", "B")}, {"conditions": conditions("C", "C", "D", "D", "E")}]
    steps = policy(cap_conditions(1, "status.nodes[*].conditions"), cap_list(1, at="status.nodes"))
    decision = decide(steps, {"nodes": nodes})
    assert (decision.outcome, decision.violations) == (Outcome.TRIMMED, ())
    left = trimmed(steps, {"nodes": nodes})["nodes"]
    assert [[each["type"] for each in node["conditions"]] for node in left] == [["C", "D", "E"]]


# --- what the schema demands -----------------------------------------------------------------------------------------


def _empties_the_history(document: Document) -> None:
    for trail, items in document.lists(path("status.history")):
        if items:
            document.remove_items(trail, items, range(len(items)))


DEMANDING = {
    "message": {"minLength": 3},
    "history": {"minItems": 1},
    "phase": {"pattern": "^R"},
    "extra": {"required": ["a"]},
}


@pytest.mark.parametrize(
    ("does", "told"),
    [
        pytest.param(_empties_the_history, "/status/history has fewer items than the schema demands", id="minItems"),
        pytest.param(
            lambda d: _set(d, "status.message", b'"ab"'),
            "/status/message is not what the schema demands any more",
            id="minLength",
        ),
        pytest.param(_drops("status.extra.a"), "/status/extra lacks a field that the schema demands", id="required"),
    ],
)
def test_a_step_that_breaks_what_the_schema_demands_is_found(does: Callable[[Document], None], told: str) -> None:
    schema = Schema.of({"properties": {"status": {"properties": DEMANDING}}})
    licence = Licence((path("status.history"),), (), (path("status.message"),), (path("status.extra.a"),))
    rogue = policy(Rogue(does, licence))
    policies = PolicySet.of([rogue], Schemas({("*", "*", "*"): schema}))
    decision = evaluate(policies, write(custom_resource(STATUS)), NOW)
    assert [(each.invariant, each.detail) for each in decision.violations] == [("I8", told)]
    assert decision.patch == ()


ALLOWING = {"message": {"maxLength": 3}, "history": {"maxItems": 2}, "phase": {"maxLength": 3, "pattern": "R"}}


def _keeps(*positions: int) -> Callable[[Document], None]:
    def does(document: Document) -> None:
        for trail, items in document.lists(path("status.history")):
            if len(items) == len(A_HISTORY):
                document.remove_items(trail, items, set(range(len(items))) - set(positions))

    return does


@pytest.mark.parametrize(
    ("does", "invariant"),
    [
        pytest.param(lambda d: _set(d, "status.message", b'"sho"'), None, id="a text at the length allowed"),
        pytest.param(lambda d: _set(d, "status.message", b'"sh"'), "I6", id="a text cut too short"),
        pytest.param(lambda d: _set(d, "status.message", b'"ort"'), "I6", id="a text that lost its start"),
        pytest.param(lambda d: _set(d, "status.phase", b'"Run"'), "I8", id="a text of a certain form"),
        pytest.param(lambda d: _set(d, "status.other", b'"x"'), "I6", id="a text that the schema does not limit"),
        pytest.param(_keeps(0, 1), None, id="a list of as many items as allowed"),
        pytest.param(_keeps(0), "I6", id="a list that lost too many"),
        pytest.param(_drops("status.message"), "I6", id="a field that went"),
    ],
)
def test_what_is_cut_to_what_the_schema_allows_is_cut_to_that(
    does: Callable[[Document], None], invariant: str | None
) -> None:
    schema = Schema.of({"properties": {"status": {"properties": ALLOWING}}})
    rogue = policy(Rogue(does, fit_schema().licence))
    policies = PolicySet.of([rogue], Schemas({("*", "*", "*"): schema}))
    decision = evaluate(policies, write(custom_resource(STATUS | {"other": "xyz"})), NOW)
    assert [each.invariant for each in decision.violations] == ([] if invariant is None else [invariant])
    assert bool(decision.patch) is (invariant is None)


def test_without_a_schema_nothing_may_be_fitted_to_it() -> None:
    rogue = Rogue(lambda document: _set(document, "status.message", b'"sho"'), fit_schema().licence)
    assert [each.invariant for each in decide(rogue, STATUS).violations] == ["I6"]


def test_a_step_inside_a_budget_that_breaks_an_invariant_is_found() -> None:
    decision = decide(budget(1, Rogue(_removes_a_type)), STATUS)
    assert [(each.invariant, each.step) for each in decision.violations] == [("I7", "budget")]
    assert decision.patch == ()


def test_an_item_of_a_set_that_takes_the_place_of_its_twin_is_not_cut() -> None:
    steps = [dedupe("Last", ["."], at="status.hosts", scope="Consecutive", position="First")]
    managed = [entry("volcano", {"f:status": {"f:hosts": {'v:"a"': {}}}})]
    policies = [policy(*steps, name="once"), policy(truncate(100, "status.hosts[*]"), name="short", priority=1)]
    attributes = write(custom_resource({"hosts": ["b", "a", "a"]}, managed=managed))
    decision = judge(policies, attributes)
    assert decision.violations == ()
    assert decision.outcome is Outcome.TRIMMED
