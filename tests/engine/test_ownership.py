"""``managedFields``: pruned with what was trimmed, restored with what was suppressed, never taken from an applier."""

from __future__ import annotations

import json
from typing import Any

import pytest

from admission.engine.decision import Decision, Op, Outcome, Reason
from admission.engine.ownership import Ownership, with_managed_fields
from admission.engine.steps import Step
from admission.engine.values import Object, encode, opened
from tests.engine.build import (
    Json,
    cap_conditions,
    cap_list,
    custom_resource,
    dedupe,
    entry,
    go,
    judge,
    patched,
    plain,
    policy,
    raw,
    truncate,
    write,
)

THREE = [{"id": n, "m": "x" * 60} for n in range(3)]


def history_of(*elements: str, **more: Json) -> Json:
    """A ``fieldsV1`` that owns these elements of ``status.history``."""
    return {"f:status": {"f:history": {".": {}} | {element: {".": {}, "f:id": {}} for element in elements}} | more}


def judged(step: Step, status: Json, *managed: Json, stored: Json = None) -> tuple[Json, Decision]:
    """The object after the answer, and the decision."""
    attributes = write(custom_resource(status, managed=managed), stored)
    decision = judge(step, attributes)
    return plain(patched(attributes, decision)), decision


def fields_after(step: Step, status: Json, fields: Json) -> Json:
    return judged(step, status, entry("controller", fields))[0]["metadata"]["managedFields"][0]["fieldsV1"]


# --- pruning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "pruned"),
    [
        pytest.param(
            history_of('k:{"id":0}', 'k:{"id":1}', 'k:{"id":2}'), history_of('k:{"id":2}'), id="keyed items that went"
        ),
        pytest.param(
            {"f:status": {"f:history": {".": {}, 'k:{"id":0}': {".": {}}}}},
            {"f:status": {"f:history": {}}},
            id="where only the list itself is left it becomes a leaf",
        ),
        pytest.param(
            {"f:status": {"f:history": {'k:{"id":0}': {".": {}}}, "f:phase": {}}},
            {"f:status": {"f:phase": {}}},
            id="a node whose children all went is dropped",
        ),
        pytest.param({"f:status": {"f:history": {'k:{"id":0}': {}}}}, {}, id="and so are those above it"),
        pytest.param(
            {"f:status": {"f:history": {"i:0": {}, "i:1": {}, "i:2": {}}}},
            {"f:status": {"f:history": {"i:0": {}}}},
            id="indexes past the end",
        ),
        pytest.param(
            {"f:status": {"f:history": {'k:{"id":0,"m":"y"}': {}, 'k:{"id":2}': {}}}},
            {"f:status": {"f:history": {'k:{"id":0,"m":"y"}': {}, 'k:{"id":2}': {}}}},
            id="what never was in the list stays",
        ),
        pytest.param({"f:status": {"f:history": {}}}, {"f:status": {"f:history": {}}}, id="an atomic list stays owned"),
        pytest.param({"f:status": {}}, {"f:status": {}}, id="an atomic status"),
        pytest.param({"f:status": {"f:phase": {}}}, {"f:status": {"f:phase": {}}}, id="other fields"),
        pytest.param(
            {"f:spec": {"f:history": {'k:{"id":0}': {}}}}, {"f:spec": {"f:history": {'k:{"id":0}': {}}}}, id="the spec"
        ),
        pytest.param(
            {"f:status": {"f:history": {"k:{broken": {}, "x:": {}, "v:{": {}, "i:x": {}, 'k:{"id":0}': {}}}},
            {"f:status": {"f:history": {"k:{broken": {}, "x:": {}, "v:{": {}}}},
            id="what cannot be read stays, an index that is no number does not",
        ),
    ],
)
def test_prunes_what_was_removed_from_a_list(fields: Json, pruned: Json) -> None:
    assert fields_after(cap_list(1), {"history": THREE, "phase": "x"}, fields) == pruned


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ('k:{"id":"a<b"}', "a<b"),
        ('k:{"id":"a\\u003cb"}', "a<b"),
        ('k:{"id":"é"}', "é"),
        ('k:{"id":"\\u00e9"}', "é"),
        ('k:{"id":7}', 7),
        ('k:{"id":true}', True),
        ('k:{"id":9007199254740993}', 9007199254740993),
    ],
)
def test_keys_are_compared_as_values(key: str, value: Json) -> None:
    other = 'k:{"id":"other"}'
    status = {"history": [{"id": value}, {"id": "other"}]}
    assert fields_after(cap_list(1), status, history_of(key, other)) == history_of(other)
    kept = fields_after(cap_list(1, "NewestFirst"), status, history_of(key, other))
    assert kept == history_of(key)


def test_several_keys_name_an_item_together() -> None:
    items = [{"id": 0, "p": "tcp"}, {"id": 0, "p": "udp"}]
    elements = ['k:{"id":0,"p":"tcp"}', 'k:{"id":0,"p":"udp"}']
    assert fields_after(cap_list(1), {"history": items}, history_of(*elements)) == history_of(elements[1])


@pytest.mark.parametrize("items", [["a<", "b", "c"], [1, 2, 3], [1.5, 2.5, True]])
def test_prunes_values_of_a_set(items: list[Json]) -> None:
    elements = [f"v:{go(item).decode()}" for item in items]
    status = {"history": items}
    assert fields_after(cap_list(1), status, history_of(*elements)) == history_of(elements[2])


def test_a_value_that_is_still_there_stays_owned() -> None:
    assert fields_after(dedupe("Last", ["."]), {"history": ["a", "b", "a"]}, history_of('v:"a"')) == history_of('v:"a"')
    twins = [{"id": 1}, {"id": 1}]
    assert fields_after(cap_list(1), {"history": twins}, history_of('k:{"id":1}')) == history_of('k:{"id":1}')


def test_prunes_inside_items_that_stay() -> None:
    inner: Json = {'k:{"n":0}': {}, 'k:{"n":1}': {}, 'k:{"n":2}': {}}
    fields: Json = {"f:status": {"f:history": {'k:{"id":1}': {"f:l": inner}, 'k:{"id":0}': {"f:l": inner}}}}
    status = {"history": [{"id": n, "l": [{"n": k} for k in range(3)]} for n in range(2)]}
    steps = policy(cap_list(2, at="status.history[*].l"), cap_list(1))
    attributes = write(custom_resource(status, managed=[entry("c", fields)]))
    pruned = plain(patched(attributes, judge(steps, attributes)))["metadata"]["managedFields"][0]["fieldsV1"]
    left: Json = {'k:{"n":1}': {}, 'k:{"n":2}': {}}
    assert pruned == {"f:status": {"f:history": {'k:{"id":1}': {"f:l": left}}}}


def test_prunes_below_map_entries_and_odd_names() -> None:
    fields: Json = {
        "f:status": {"f:nodes": {"f:a/b": {"f:l": {'v:"x"': {}, 'v:"y"': {}}}, "f:~": {"f:l": {'v:"x"': {}}}}}
    }
    status = {"nodes": {"a/b": {"l": ["x", "y"]}, "~": {"l": ["x"]}}}
    left: Json = {"f:status": {"f:nodes": {"f:a/b": {"f:l": {'v:"y"': {}}}, "f:~": {"f:l": {'v:"x"': {}}}}}}
    assert fields_after(cap_list(1, at="status.nodes.*.l"), status, fields) == left


def test_the_item_whose_place_was_taken_leaves_managed_fields() -> None:
    items = [{"id": 0, "m": 1}, {"id": 1, "m": 2}, {"id": 2, "m": 1}]
    step = dedupe("Last", ignoring=["id"], position="First")
    owned = [f'k:{{"id":{n}}}' for n in range(3)]
    assert fields_after(step, {"history": items}, history_of(*owned)) == history_of(*owned[1:])


def test_a_cut_text_stays_owned() -> None:
    owned: Json = {"f:status": {"f:history": {'k:{"id":0}': {"f:m": {}}}}}
    result, decision = judged(truncate(40, "status.history[*].m"), {"history": THREE}, entry("controller", owned))
    assert result["metadata"]["managedFields"][0]["fieldsV1"] == owned
    assert all(op.path.startswith("/status") for op in decision.patch)


def test_an_item_of_a_set_is_never_cut() -> None:
    long = "x" * 99
    managed = entry("controller", history_of(f'v:"{long}"', 'v:"y"'))
    result, _ = judged(truncate(40, "status.history[*]"), {"history": [long, "y"]}, managed)
    assert result["status"]["history"] == [long, "y"]
    result, _ = judged(truncate(40, "status.history[*]"), {"history": [long, "y"]}, entry("controller", ATOMIC))
    assert result["status"]["history"][0] != long


def test_touches_only_the_entries_that_are_concerned() -> None:
    managed = [
        entry("kubectl", {"f:spec": {"f:queue": {}}}, subresource=""),
        entry("one", history_of('k:{"id":0}', 'k:{"id":2}')),
        entry("two", history_of('k:{"id":2}')),
        entry("three", history_of('k:{"id":1}')),
    ]
    result, decision = judged(cap_list(1), {"history": THREE}, *managed)
    assert [op.path for op in decision.patch if op.path.startswith("/metadata")] == [
        "/metadata/managedFields/1/fieldsV1",
        "/metadata/managedFields/3/fieldsV1",
    ]
    assert result["metadata"]["managedFields"][0::2] == managed[0::2]
    assert result["metadata"]["managedFields"][3]["fieldsV1"] == {"f:status": {"f:history": {}}}


@pytest.mark.parametrize(
    "managed",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="empty"),
        pytest.param("text", id="a text"),
        pytest.param([7], id="no entries"),
        pytest.param([{"manager": 7}], id="a manager that is no text"),
        pytest.param([{"manager": "x"}], id="no fields"),
        pytest.param([{"manager": "x", "fieldsV1": None}], id="null fields"),
        pytest.param([{"manager": "x", "fieldsV1": []}], id="fields that are no object"),
        pytest.param([{"manager": "x", "fieldsV1": {"f:status": {"f:history": 7}}}], id="a node that is no object"),
        pytest.param([{"manager": "x", "fieldsV1": {"f:status": 7}}], id="a status that is no object"),
    ],
)
def test_odd_managed_fields_do_no_harm(managed: Json) -> None:
    submitted = custom_resource({"history": THREE}, metadata={"name": "x", "managedFields": managed})
    decision = judge(cap_list(1), write(submitted))
    assert decision.outcome is Outcome.TRIMMED
    assert not any(op.path.startswith("/metadata") for op in decision.patch)
    assert judge(cap_list(1), write(custom_resource({"history": THREE}, metadata=None))).outcome is Outcome.TRIMMED


@pytest.mark.parametrize("odd", [7, None, [], "text", {"f:status": 7}, {"f:status": {"f:history": "text"}}])
def test_odd_claims_of_an_applier_do_no_harm(odd: Json) -> None:
    real: Json = {"f:status": {"f:history": {"f:x": {}}}}
    for sent, stored in ((odd, real), (real, odd), (odd, odd)):
        submitted = custom_resource({"history": THREE}, managed=[entry("argocd", sent, "Apply")])
        before = custom_resource({"history": THREE[2:]}, managed=[entry("argocd", stored, "Apply")])
        attributes = write(submitted, before)
        result = plain(patched(attributes, judge(cap_list(1), attributes)))
        assert result["status"] == before["status"]
        assert result["metadata"]["managedFields"] in (
            submitted["metadata"]["managedFields"],
            before["metadata"]["managedFields"],
        )


def test_a_long_set_is_pruned_in_one_pass() -> None:
    items = [f"value-{n}" for n in range(20_000)]
    elements = [f'v:"value-{n}"' for n in range(20_000)]
    assert fields_after(cap_list(10), {"history": items}, history_of(*elements)) == history_of(*elements[-10:])


@pytest.mark.parametrize("member", ["id", "a b", 'say "id"', "back\\slash", "schlüssel", "<id>", "f:id"])
@pytest.mark.parametrize("written", ["plainly", "with escapes"])
def test_the_member_that_names_items_is_found_however_it_is_written(member: str, written: str) -> None:
    element = f"k:{json.dumps({member: 1}, ensure_ascii=False)}"
    escaped = json.dumps(history_of(element)).replace("id", "\\u0069d") if written == "with escapes" else ""
    fields = raw(escaped or go(history_of(element)))
    metadata = raw(b'{"managedFields":[{"manager":"controller","fieldsV1":' + bytes(fields) + b"}]}")
    root: Object = {"status": {"history": [{member: raw(b"1")}]}}
    owners = Ownership(metadata)
    assert owners.names_items_by(("status", "history"), member, root)
    assert not owners.names_items_by(("status", "history"), "other", root)
    assert not owners.names_items_by(("status", "history"), 0, root)


# --- co-owned --------------------------------------------------------------------------------------------------------

ATOMIC: Json = {"f:status": {"f:history": {}}}
KEYED = history_of('k:{"id":0}', 'k:{"id":1}', 'k:{"id":2}')


@pytest.mark.parametrize(
    ("managed", "co_owned"),
    [
        pytest.param([entry("a", ATOMIC, "Apply"), entry("b", ATOMIC)], True, id="an applier and an updater"),
        pytest.param([entry("a", ATOMIC, "Apply"), entry("b", ATOMIC, "Apply")], True, id="two appliers"),
        pytest.param(
            [entry("a", ATOMIC, "Apply"), entry("a", ATOMIC)], True, id="one name with Apply and Update is two"
        ),
        pytest.param([entry("a", ATOMIC), entry("b", ATOMIC)], False, id="two updaters"),
        pytest.param([entry("a", ATOMIC, "Apply")], False, id="one applier"),
        pytest.param([entry("a", ATOMIC, "Apply"), entry("b", KEYED)], False, id="only one owns it as one leaf"),
        pytest.param([entry("a", KEYED, "Apply"), entry("b", KEYED)], False, id="a list that is owned item by item"),
        pytest.param([entry("a", {"f:status": {}}, "Apply"), entry("b", ATOMIC)], True, id="an atomic status above it"),
        pytest.param([entry("a", {"f:spec": {}}, "Apply"), entry("b", ATOMIC)], False, id="an applier of the spec"),
        pytest.param([entry("a", ATOMIC), entry("b", ATOMIC), entry("c", ATOMIC, "Apply")], True, id="three of them"),
    ],
)
@pytest.mark.parametrize(
    "step",
    [cap_list(1), dedupe("First", ["m"]), cap_conditions(1, "status.history", type_field="m")],
    ids=lambda step: step.kind,
)
def test_leaves_a_list_that_is_one_leaf_of_an_applier_and_another(
    step: Step, managed: list[Json], co_owned: bool
) -> None:
    result, decision = judged(step, {"history": THREE}, *managed)
    assert (decision.reason is Reason.CO_OWNED) is co_owned
    assert (result["status"]["history"] == THREE) is co_owned


MESSAGE: Json = {"f:status": {"f:history": {'k:{"id":1}': {".": {}, "f:m": {}}}}}


@pytest.mark.parametrize(
    ("managed", "cut"),
    [
        pytest.param([entry("a", MESSAGE, "Apply"), entry("b", MESSAGE)], [0, 2], id="the text of one item"),
        pytest.param([entry("a", MESSAGE, "Apply"), entry("b", ATOMIC)], [0, 2], id="one owns the list as a leaf"),
        pytest.param([entry("a", ATOMIC, "Apply"), entry("b", ATOMIC)], [], id="both own the list as a leaf"),
        pytest.param([entry("a", MESSAGE), entry("b", MESSAGE)], [0, 1, 2], id="two updaters"),
        pytest.param([entry("a", KEYED, "Apply"), entry("b", MESSAGE)], [0, 1, 2], id="the applier owns another field"),
    ],
)
def test_leaves_a_text_that_is_one_leaf_of_an_applier_and_another(managed: list[Json], cut: list[int]) -> None:
    result, _ = judged(truncate(40, "status.history[*].m"), {"history": THREE}, *managed)
    assert [n for n, item in enumerate(result["status"]["history"]) if item != THREE[n]] == cut


def test_what_is_inside_a_removed_item_does_not_count() -> None:
    result, _ = judged(cap_list(1), {"history": THREE}, entry("a", MESSAGE, "Apply"), entry("b", MESSAGE))
    assert result["status"]["history"] == THREE[2:]


def test_a_shared_text_is_known_by_its_item_after_a_cap() -> None:
    last: Json = {"f:status": {"f:history": {'k:{"id":2}': {"f:m": {}}}}}
    steps = policy(cap_list(2), truncate(40, "status.history[*].m"))
    attributes = write(custom_resource({"history": THREE}, managed=[entry("a", last, "Apply"), entry("b", last)]))
    left = plain(patched(attributes, judge(steps, attributes)))["status"]["history"]
    assert [item["id"] for item in left] == [1, 2]
    assert (left[0]["m"] == THREE[1]["m"], left[1]["m"] == THREE[2]["m"]) == (False, True)


def test_a_write_that_passes_carries_pruned_managed_fields() -> None:
    stored = custom_resource({"history": [{"id": 9}]}, managed=[entry("controller", history_of('k:{"id":9}'))])
    result, decision = judged(cap_list(1), {"history": THREE}, entry("controller", KEYED), stored=stored)
    assert decision.outcome is Outcome.TRIMMED
    assert decision.patch[-1] == Op("replace", "/metadata/managedFields/0/fieldsV1", go(history_of('k:{"id":2}')))
    assert result["metadata"]["managedFields"][0]["fieldsV1"] == history_of('k:{"id":2}')


def test_managed_fields_of_an_object_without_metadata_are_none() -> None:
    for text in (b"{}", b'{"metadata":null}', b'{"metadata":7}', b'{"metadata":{"managedFields":null}}'):
        members: Any = opened(raw(text))
        assert Ownership.of(members).entries == ()
    assert Ownership.of(None).raw is None


# --- keys of keyed lists ---------------------------------------------------------------------------------------------


def of_list(elements: Json) -> Json:
    return entry("a", {"f:status": {"f:history": elements}})


@pytest.mark.parametrize(
    ("managed", "cut"),
    [
        pytest.param(
            [entry("a", {"f:status": {"f:history": {'k:{"id":"k"}': {".": {}, "f:m": {}}}}})], ["m"], id="a key"
        ),
        pytest.param([entry("a", {"f:status": {"f:history": {'k:{"m":"k"}': {".": {}}}}})], ["id"], id="another key"),
        pytest.param([entry("a", ATOMIC)], ["id", "m"], id="an atomic list has no keys"),
        pytest.param(
            [entry("a", {"f:status": {"f:history": {"k:{bad": {}}}})], ["id", "m"], id="an element nobody can read"
        ),
        pytest.param([], ["id", "m"], id="nothing is known"),
    ],
)
def test_the_key_of_an_item_is_never_cut(managed: list[Json], cut: list[str]) -> None:
    item = {"id": "k" * 90, "m": "m" * 90}
    result, _ = judged(truncate(40, "status.history[*].id", "status.history[*].m"), {"history": [item]}, *managed)
    assert [name for name, text in result["status"]["history"][0].items() if text != item[name]] == cut


def test_ownership_of_a_long_keyed_list_is_looked_up_not_searched() -> None:
    keyed: Json = {f'k:{{"id":{n}}}': {".": {}, "f:id": {}, "f:m": {}} for n in range(4000)}
    managed = [of_list(keyed) | {"operation": "Apply"}, entry("b", {"f:status": {"f:phase": {}}})]
    items = [{"id": n, "m": "m" * 90} for n in range(4000)]
    result, decision = judged(truncate(40, "status.history[*].m"), {"history": items}, *managed)
    assert decision.policies[0].items == 4000, "searched, it takes minutes"
    assert result["metadata"]["managedFields"] == managed


ESCAPED = str.maketrans({"A": "\\u0041", "k": "\\u006b", "v": "\\u0076"})


@pytest.mark.parametrize("fields", [{"f:status": {"f:history": {}}}, history_of('k:{"id":0}')])
def test_escapes_that_go_would_not_write_hide_no_manager(fields: Json) -> None:
    managed = [entry("argocd", fields, "Apply"), entry("controller", fields)]
    plainly = write(custom_resource({"history": THREE}, managed=managed))
    metadata = go(managed).decode()
    escaped = metadata.replace('"Apply"', '"Apply"'.translate(ESCAPED)).replace('"k:', '"\\u006b:')
    sent = bytes(plainly.submitted).decode().replace(metadata, escaped)
    assert sent != bytes(plainly.submitted).decode()
    steps = policy(cap_list(1), truncate(45, "status.history[*].m", "status.history[*].id"))
    loosely = write(sent)
    left, wanted = (plain(patched(one, judge(steps, one))) for one in (loosely, plainly))
    assert left == wanted


def test_names_that_tell_items_apart_are_found_among_thousands() -> None:
    keyed = 'k:{"%s":"a"}'
    fields: Json = {"f:status": {"f:history": {keyed % f"key{number}": {} for number in range(0, 3000, 2)}}}
    status = {"history": [{f"key{number}": "a" for number in range(3000)}]}
    members: Object = {"metadata": raw(go({"managedFields": [entry("c", fields)]})), "status": raw(go(status))}
    owners = Ownership.of(members)
    named = [owners.names_items_by(("status", "history"), f"key{number}", members) for number in range(3000)]
    assert named == [True, False] * 1500


ENTRIES: list[Json] = [entry("a", {"f:status": {"f:x": {}}}), entry("b", {"f:spec": {}}), entry("c", {})]


@pytest.mark.parametrize(
    ("operations", "left"),
    [
        ([], ENTRIES),
        ([Op("replace", "/metadata/managedFields/1/fieldsV1", b"{}")], [ENTRIES[0], entry("b", {}), ENTRIES[2]]),
        ([Op("remove", "/metadata/managedFields/2"), Op("remove", "/metadata/managedFields/0")], [ENTRIES[1]]),
        ([Op("replace", "/metadata/managedFields", b"[{}]")], [{}]),
    ],
)
def test_tells_the_managed_fields_that_operations_leave(operations: list[Op], left: list[Json]) -> None:
    owners = Ownership({"managedFields": raw(go(ENTRIES))})
    assert json.loads(bytes(owners.after(operations) or b"")) == left


def test_there_are_no_managed_fields_after_nothing() -> None:
    assert Ownership(None).after([]) is None


def test_an_object_gets_other_managed_fields_or_none() -> None:
    members: Object = {"metadata": raw('{"name":"train","managedFields":[{}]}'), "status": raw("{}")}
    changed, bare = with_managed_fields(members, raw("[]")), with_managed_fields(members, None)
    assert encode(changed) == b'{"metadata":{"name":"train","managedFields":[]},"status":{}}'
    assert encode(bare) == b'{"metadata":{"name":"train"},"status":{}}'
    odd: Object = {"metadata": raw("7")}
    assert with_managed_fields(odd, raw("[]")) is odd
