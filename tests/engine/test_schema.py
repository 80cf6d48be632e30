"""What a schema demands, and that no trim breaks it (invariant I8)."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.engine.decision import Outcome, Reason
from admission.engine.evaluate import evaluate
from admission.engine.policy import PolicySet
from admission.engine.schema import UNKNOWN, Schema, Schemas
from admission.engine.steps import Step
from admission.engine.textform import TextForm
from tests.engine.build import (
    GROUP,
    NOW,
    at,
    cap_conditions,
    cap_list,
    cap_map,
    custom_resource,
    dedupe,
    drop,
    entry,
    expire,
    judge,
    patched,
    plain,
    policy,
    restore_times,
    truncate,
    write,
)

HISTORY: list[Any] = [{"n": number} for number in range(6)]


def known(**properties: Any) -> Schemas:
    """The schema of the status of every version of jobs."""
    openapi = {"properties": {"status": {"properties": properties}}}
    return Schemas({(GROUP, "*", "jobs"): Schema.of(openapi)})


def trimmed(steps: Sequence[Step] | Step, status: Any, schemas: Schemas) -> tuple[Any, Reason]:
    """The status that is left, and why not less is."""
    policies = PolicySet.of([policy(*(steps if isinstance(steps, Sequence) else [steps]))], schemas)
    attributes = write(custom_resource(status))
    decision = evaluate(policies, attributes, NOW)
    assert not decision.violations, decision.violations
    after = plain(patched(attributes, decision))
    again = evaluate(policies, write(after), NOW)
    assert again.outcome is Outcome.UNCHANGED, "it changes its own result"
    return after["status"], decision.policies[0].reason


# --- reading ---------------------------------------------------------------------------------------------------------


def test_reads_what_a_trim_could_break() -> None:
    schema = Schema.of(
        {
            "type": "object",
            "required": ["phase"],
            "minProperties": 1,
            "properties": {
                "phase": {"type": "string", "enum": ["A"]},
                "log": {"type": "string", "minLength": 3},
                "hosts": {"x-kubernetes-list-type": "set", "minItems": 2},
                "parents": {"x-kubernetes-list-map-keys": ["name"], "items": {"required": ["name"]}},
                "nodes": {"additionalProperties": {"minProperties": 4}},
            },
        }
    )
    assert schema.kind == "object"
    assert schema.required == {"phase"}
    assert schema.min_properties == 1
    assert schema.at(("phase",)) == Schema(text=TextForm(enums=(frozenset("A"),)), kind="string")
    assert schema.at(("log",)) == Schema(text=TextForm(min_length=3), kind="string")
    assert schema.at(("hosts",)) == Schema(min_items=2, is_set=True)
    assert schema.at(("parents", 7)) == Schema(required=frozenset({"name"}))
    assert schema.at(("nodes", "any")) == Schema(min_properties=4)


def test_what_may_be_of_several_kinds_has_none() -> None:
    either = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert Schema.of(either).kind is None
    assert Schema.of(either | {"type": "string"}).kind is None
    assert Schema.of({"type": ["string"]}).kind is None


def test_an_object_is_open_when_unknown_members_stay() -> None:
    assert Schema.of({"type": "object", "x-kubernetes-preserve-unknown-fields": True}).is_open
    assert not Schema.of({"type": "object"}).is_open


@pytest.mark.parametrize("trail", [("gone",), ("phase", "x"), ("phase", 0), ("phase", 0, "x")])
def test_says_nothing_of_what_it_does_not_name(trail: Any) -> None:
    assert Schema.of({"properties": {"phase": {}}}).at(trail) is None


@pytest.mark.parametrize("word", ["allOf", "anyOf", "oneOf"])
def test_takes_alternatives_as_if_all_were_demanded(word: str) -> None:
    parts = [{"required": ["a"], "properties": {"x": {"minItems": 2}}}, {"required": ["b"], "minProperties": 3}]
    schema = Schema.of({"properties": {"x": {"minItems": 1}}, word: parts})
    assert schema.required == {"a", "b"}
    assert schema.min_properties == 3
    assert schema.properties["x"].min_items == 2


@pytest.mark.parametrize(
    "odd",
    [
        {"required": "phase"},
        {"minItems": "3"},
        {"minItems": True},
        {"properties": []},
        {"items": [{}]},
        {"allOf": {}},
        {"additionalProperties": True},
        {"required": [1]},
    ],
)
def test_what_has_not_the_form_of_a_schema_demands_nothing(odd: Any) -> None:
    assert Schema.of(odd) == Schema()


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ((GROUP, "v1alpha1", "jobs"), True),
        ((GROUP, "*", "jobs"), True),
        (("*", "*", "*"), True),
        ((GROUP, "v1", "jobs"), False),
        (("batch", "*", "jobs"), False),
    ],
)
def test_a_schema_is_for_a_version_or_for_all(key: tuple[str, str, str], found: bool) -> None:
    assert (Schemas({key: Schema()}).of(write(custom_resource({}))) is not None) is found
    assert UNKNOWN.of(write(custom_resource({}))) is None


def test_a_schema_for_the_very_kind_is_right_before_one_for_all() -> None:
    exact, every = Schema(min_items=1), Schema(min_items=2)
    schemas = Schemas({("*", "*", "*"): every, (GROUP, "v1alpha1", "jobs"): exact})
    assert schemas.of(write(custom_resource({}))) is exact
    assert schemas.of(write(custom_resource({}), resource="queues")) is every


@pytest.mark.parametrize(
    ("openapi", "most"),
    [
        pytest.param({"maxItems": 3, "maxLength": 5}, (3, 5), id="both"),
        pytest.param({"maxItems": 3, "allOf": [{"maxItems": 2}, {"maxLength": 7}]}, (2, 7), id="all of allOf"),
        pytest.param({"maxItems": 3, "anyOf": [{"maxItems": 2}, {"maxLength": 7}]}, (3, None), id="not of anyOf"),
        pytest.param({"oneOf": [{"allOf": [{"maxItems": 2}]}]}, (None, None), id="not of what oneOf holds"),
        pytest.param({"maxItems": "3", "maxLength": -1}, (None, None), id="of another form"),
        pytest.param({"maxItems": True, "maxLength": 0}, (None, 0), id="no booleans"),
    ],
)
def test_knows_how_large_something_may_be_where_that_is_certain(openapi: Any, most: Any) -> None:
    schema = Schema.of(openapi)
    assert (schema.max_items, schema.max_length) == most


@pytest.mark.parametrize(
    ("openapi", "least"),
    [
        pytest.param({"type": "object"}, None, id="nothing is limited"),
        pytest.param({"maxLength": 5}, len('"abcdef"'), id="a text"),
        pytest.param({"maxLength": 5, "pattern": "x"}, None, id="a text that is not cut"),
        pytest.param({"maxItems": 3}, len("[1,1,1,1]"), id="a list"),
        pytest.param({"maxItems": 0}, len("[1]"), id="a list of nothing"),
        pytest.param({"items": {"maxLength": 5}, "maxItems": 9}, len('"abcdef"'), id="the least of all"),
        pytest.param({"properties": {"a": {"additionalProperties": {"maxItems": 0}}}}, len("[1]"), id="deep inside"),
    ],
)
def test_knows_how_many_bytes_something_too_large_has_at_least(openapi: Any, least: int | None) -> None:
    assert Schema.of(openapi).least_too_large == least


# --- lists -----------------------------------------------------------------------------------------------------------


def test_a_cap_stops_at_min_items_and_the_newest_of_what_would_go_stays() -> None:
    status, reason = trimmed(cap_list(1), {"history": HISTORY}, known(history={"minItems": 4}))
    assert (status["history"], reason) == (HISTORY[2:], Reason.SCHEMA_REQUIRES)


def test_a_cap_above_min_items_is_not_touched_by_it() -> None:
    status, reason = trimmed(cap_list(4), {"history": HISTORY}, known(history={"minItems": 4}))
    assert (status["history"], reason) == (HISTORY[2:], Reason.NONE)


def test_a_list_that_has_too_few_items_already_is_left_alone() -> None:
    status, reason = trimmed(cap_list(1), {"history": HISTORY[:3]}, known(history={"minItems": 4}))
    assert (status["history"], reason) == (HISTORY[:3], Reason.SCHEMA_REQUIRES)


def test_conditions_stop_at_min_items_too() -> None:
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": at(minute)} for minute in (3, 1, 2)]
    status, _ = trimmed(cap_conditions(1), {"conditions": conditions}, known(conditions={"minItems": 2}))
    assert status["conditions"] == [conditions[0], conditions[2]]


@pytest.mark.parametrize(
    ("position", "left"),
    [("OfKept", ["b2", "a3", "c1"]), ("First", ["a3", "b2", "c1"])],
)
def test_duplicates_stop_at_min_items_too(position: str, left: list[str]) -> None:
    items = [
        {"k": k, "id": f"{k}{n}", "lastTransitionTime": at(n)} for k, n in (("a", 1), ("b", 2), ("a", 3), ("c", 1))
    ]
    step = dedupe("Newest", ["k"], position=position)
    status, _ = trimmed(step, {"history": items}, known(history={"minItems": 3}))
    assert [item["id"] for item in status["history"]] == left
    status, reason = trimmed(step, {"history": items}, known(history={"minItems": 4}))
    assert (status["history"], reason) == (items, Reason.SCHEMA_REQUIRES)


def test_the_newest_duplicate_stays_where_not_all_may_go() -> None:
    items = [{"k": "a", "lastTransitionTime": at(minute)} for minute in (2, 1, 9)]
    status, _ = trimmed(dedupe("Newest", ["k"]), {"history": items}, known(history={"minItems": 2}))
    assert status["history"] == [items[0], items[2]]


def test_a_list_may_be_emptied_and_stays_a_list() -> None:
    status, _ = trimmed(cap_list(0), {"history": HISTORY}, known(history={"items": {}}))
    assert status == {"history": []}


# --- strings ---------------------------------------------------------------------------------------------------------


def test_a_cut_counts_its_marker_toward_min_length() -> None:
    status, _ = trimmed(truncate(40), {"message": "x" * 200}, known(message={"minLength": 60}))
    assert status["message"] == "x" * 32 + "… [statuscap: 168 bytes cut]"


def test_characters_count_not_bytes() -> None:
    status, _ = trimmed(truncate(40), {"message": "é" * 200}, known(message={"minLength": 60}))
    assert len(status["message"]) == 60


def test_a_text_that_cannot_get_shorter_stays_whole() -> None:
    text = "x" * 60
    assert trimmed(truncate(40), {"message": text}, known(message={"minLength": 59})) == (
        {"message": text},
        Reason.SCHEMA_REQUIRES,
    )


@pytest.mark.parametrize("form", [{"pattern": "^x+$"}, {"enum": ["x" * 200]}, {"format": "byte"}])
def test_a_text_of_a_certain_form_is_never_cut(form: Any) -> None:
    status, reason = trimmed(truncate(40), {"message": "x" * 200}, known(message=form))
    assert (status, reason) == ({"message": "x" * 200}, Reason.SCHEMA_REQUIRES)


@pytest.mark.parametrize(
    ("schema", "at"),
    [
        ({"x-kubernetes-list-map-keys": ["id"]}, "status.parents[*].id"),
        ({"x-kubernetes-list-type": "set"}, "status.parents[*]"),
    ],
)
def test_what_tells_items_apart_is_never_cut(schema: Any, at: str) -> None:
    items: list[Any] = ["x" * 200, "y" * 200] if at.endswith("]") else [{"id": "x" * 200}, {"id": "y" * 200}]
    status, _ = trimmed(truncate(40, at), {"parents": items}, known(parents=schema))
    assert status["parents"] == items


@pytest.mark.parametrize(
    ("schema", "left", "told"),
    [
        pytest.param({}, {"a": 1}, "", id="nothing is demanded"),
        pytest.param({"required": ["log"]}, {"log": "l", "a": 1}, "SchemaRequires", id="the field is required"),
        pytest.param({"required": ["a"]}, {"a": 1}, "", id="another field is required"),
        pytest.param({"minProperties": 2}, {"log": "l", "a": 1}, "SchemaRequires", id="too few fields would be left"),
        pytest.param({"minProperties": 1}, {"a": 1}, "", id="enough fields are left"),
    ],
)
def test_a_field_that_the_schema_requires_is_never_dropped(schema: Any, left: Any, told: str) -> None:
    status, reason = trimmed(drop("status.node.log"), {"node": {"log": "l", "a": 1}}, known(node=schema))
    assert (status, reason) == ({"node": left}, Reason(told))


@pytest.mark.parametrize(
    "schema", [{"x-kubernetes-list-map-keys": ["id"]}, {"x-kubernetes-list-type": "set"}], ids=["keyed", "set"]
)
def test_what_tells_items_apart_is_never_dropped(schema: Any) -> None:
    status, _ = trimmed(drop("status.parents[*].id"), {"parents": [{"id": 1}]}, known(parents=schema))
    assert status == {"parents": [{"id": 1}]}


# --- always ----------------------------------------------------------------------------------------------------------

TEXTS = st.text("aé😀 ", min_size=0, max_size=120)


@settings(max_examples=300, deadline=None)
@given(
    text=TEXTS,
    most=st.integers(40, 90),
    least=st.integers(0, 130),
    keep=st.sampled_from(["Head", "Tail", "HeadAndTail"]),
)
def test_no_cut_goes_below_min_length(text: str, most: int, least: int, keep: str) -> None:
    status, _ = trimmed(truncate(most, keep=keep), {"message": text}, known(message={"minLength": least}))
    left = status["message"]
    assert len(left) >= min(least, len(text))
    assert len(left.encode()) <= len(text.encode())
    assert left == text or len(left.encode()) <= max(most, 4 * least)


@settings(max_examples=200, deadline=None)
@given(
    keys=st.lists(st.sampled_from("abc"), max_size=9),
    most=st.integers(0, 9),
    least=st.integers(0, 9),
    position=st.sampled_from(["OfKept", "First"]),
)
def test_no_list_goes_below_min_items(keys: list[str], most: int, least: int, position: str) -> None:
    items = [{"k": key, "id": place} for place, key in enumerate(keys)]
    steps: list[Step] = [dedupe("Last", ["k"], position=position), cap_list(most)]
    status, _ = trimmed(steps, {"history": items}, known(history={"minItems": least}))
    left = status["history"]
    assert len(left) >= min(least, len(items))
    assert len({item["id"] for item in left}) == len(left)


def test_ownership_is_pruned_as_far_as_items_went() -> None:
    keyed: dict[str, Any] = {f'k:{{"n":{number}}}': {"f:n": {}} for number in range(6)}
    managed = [entry("volcano", {"f:status": {"f:history": keyed}})]
    policies = PolicySet.of([policy(cap_list(1))], known(history={"minItems": 4}))
    attributes = write(custom_resource({"history": HISTORY}, managed=managed))
    after = plain(patched(attributes, evaluate(policies, attributes, NOW)))
    assert len(after["metadata"]["managedFields"][0]["fieldsV1"]["f:status"]["f:history"]) == 4


def test_a_write_that_stays_whole_for_the_schema_says_so() -> None:
    policies = PolicySet.of([policy(cap_list(1))], known(history={"minItems": 6}))
    decision = evaluate(policies, write(custom_resource({"history": HISTORY})), NOW)
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.SCHEMA_REQUIRES)


@pytest.mark.parametrize(
    ("demands", "stored", "sent"),
    [
        pytest.param({"minLength": 3}, "x", "abcd", id="too short"),
        pytest.param({"maxLength": 3}, "abcd", "x", id="too long"),
        pytest.param({"pattern": "^[a-z]+$"}, "A", "abcd", id="against a pattern"),
        pytest.param({"pattern": "^(a|b)+$"}, "a", "b", id="a pattern that cannot be judged"),
        pytest.param({"enum": ["on", "off"]}, "yes", "on", id="none of a list"),
        pytest.param({"format": "date-time"}, "2026-01-01 00:00:00", "2026-01-02T00:00:00Z", id="no date-time"),
        pytest.param({"format": "uuid"}, "a", "b", id="a format that cannot be judged"),
        pytest.param({"allOf": [{"maxLength": 9}, {"enum": ["on"]}]}, "off", "on", id="against one of several"),
    ],
)
def test_a_text_that_the_schema_does_not_admit_is_not_put_back(demands: Any, stored: str, sent: str) -> None:
    schemas = known(conditions={"items": {"properties": {"transitionID": demands}}})
    condition = {"type": "Ready", "status": "True"}
    attributes = write(
        custom_resource({"conditions": [condition | {"transitionID": sent}]}),
        custom_resource({"conditions": [condition | {"transitionID": stored}]}),
    )
    step = restore_times(fields=["transitionID"])
    decision = evaluate(PolicySet.of([policy(step)], schemas), attributes, NOW)
    assert (decision.outcome, decision.reason, decision.patch) == (Outcome.UNCHANGED, Reason.SCHEMA_REQUIRES, ())
    assert judge(step, attributes).outcome is Outcome.SUPPRESSED


def test_a_time_that_the_schema_admits_is_put_back() -> None:
    time = {
        "type": "string",
        "format": "date-time",
        "maxLength": 40,
        "pattern": r"^\d{4}-[0-9T:.-]+(Z|[+-]\d{2}:\d{2})$",
    }
    schemas = known(conditions={"items": {"properties": {"lastTransitionTime": time}}})
    before, after = ({"conditions": [{"type": "Ready", "lastTransitionTime": at(minute)}]} for minute in (1, 2))
    attributes = write(custom_resource(after), custom_resource(before))
    decision = evaluate(PolicySet.of([policy(restore_times())], schemas), attributes, NOW)
    assert (decision.outcome, decision.violations) == (Outcome.SUPPRESSED, ())


# --- what ages -------------------------------------------------------------------------------------------------------

NODES: dict[str, Any] = {f"n{number}": {"phase": "Done"} for number in range(6)}


def test_a_cap_of_a_map_stops_at_min_properties_and_the_newest_of_what_would_go_stays() -> None:
    status, reason = trimmed(cap_map(1), {"nodes": NODES}, known(nodes={"minProperties": 4}))
    assert (list(status["nodes"]), reason) == (["n2", "n3", "n4", "n5"], Reason.SCHEMA_REQUIRES)


def test_a_map_that_has_too_few_entries_already_is_left_alone() -> None:
    status, reason = trimmed(cap_map(0), {"nodes": NODES}, known(nodes={"minProperties": 9}))
    assert (status["nodes"], reason) == (NODES, Reason.SCHEMA_REQUIRES)


def test_entries_that_the_schema_requires_stay_and_others_go_in_their_place() -> None:
    schemas = known(nodes={"required": ["n0", "n4"]})
    status, reason = trimmed(cap_map(3), {"nodes": NODES}, schemas)
    assert (list(status["nodes"]), reason) == (["n0", "n4", "n5"], Reason.NONE)
    status, reason = trimmed(cap_map(1), {"nodes": NODES}, schemas)
    assert (list(status["nodes"]), reason) == (["n0", "n4"], Reason.SCHEMA_REQUIRES)


def test_a_cap_of_a_map_above_min_properties_is_not_touched_by_it() -> None:
    status, reason = trimmed(cap_map(4), {"nodes": NODES}, known(nodes={"minProperties": 4}))
    assert (list(status["nodes"]), reason) == (["n2", "n3", "n4", "n5"], Reason.NONE)


@pytest.mark.parametrize(("least", "left"), [(0, [5]), (3, [3, 4, 5]), (6, [0, 1, 2, 3, 4, 5])])
def test_what_expires_stops_at_min_items_and_the_newest_of_what_would_go_stays(least: int, left: list[int]) -> None:
    history = [{"n": number, "t": at(number)} for number in range(6)]
    step = expire("1h", times=["t"])
    status, reason = trimmed(step, {"history": history}, known(history={"minItems": least}))
    assert [item["n"] for item in status["history"]] == left
    assert reason is (Reason.SCHEMA_REQUIRES if least else Reason.NONE)


@settings(max_examples=100)
@given(
    st.sets(st.integers(0, 20), max_size=12),
    st.integers(0, 8),
    st.integers(0, 12),
    st.sets(st.integers(0, 20), max_size=3),
)
def test_no_map_loses_what_the_schema_demands(numbers: set[int], most: int, least: int, named: set[int]) -> None:
    nodes = {f"n{number}": "x" for number in numbers}
    required = [f"n{number}" for number in sorted(named & numbers)]
    schemas = known(nodes={"minProperties": least, "required": required})
    status, _ = trimmed(cap_map(most), {"nodes": nodes}, schemas)
    assert len(status["nodes"]) >= min(least, len(nodes))
    assert set(required) <= status["nodes"].keys()
    assert len(status["nodes"]) <= max(most, least, len(required), 0) or len(status["nodes"]) == len(nodes)
