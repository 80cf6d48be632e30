"""``restoreTimes``: a transition time without a transition goes back to what is stored."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.decision import Op, Outcome, Reason
from tests.engine.build import (
    Json,
    after,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    decide,
    dedupe,
    drop,
    entry,
    exact,
    go,
    judge,
    patched,
    plain,
    policy,
    restore_times,
    truncate,
    write,
)

OLD, NEW = at(1), at(9)
READY: dict[str, Json] = {"type": "Ready", "status": "True", "reason": "Up", "message": "m", "lastTransitionTime": OLD}
MOVED = READY | {"lastTransitionTime": NEW}


def ready(**changes: Json) -> Json:
    return {name: value for name, value in (MOVED | changes).items() if value != "GONE"}


def left(step: Any, sent: Json, stored: Json, at: str = "conditions") -> Json:
    return after(step, custom_resource({at: sent}), custom_resource({at: stored}))["status"][at]


def times(step: Any, sent: list[Json], stored: list[Json]) -> list[Json]:
    """The transition times that are left."""
    return [one.get("lastTransitionTime") for one in left(step, sent, stored)]


# --- what counts as a transition -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "restored"),
    [
        pytest.param(ready(), True, id="equal but for its time"),
        pytest.param(ready(status="False"), False, id="another status"),
        pytest.param(ready(reason="Down"), False, id="another reason"),
        pytest.param(ready(message="n"), False, id="another message"),
        pytest.param(ready(severity="Error"), False, id="a field that was not there"),
        pytest.param(ready(severity=None), False, id="null is not absent"),
        pytest.param(ready(message="GONE"), False, id="a field that is not there any more"),
        pytest.param(ready(observedGeneration=7), True, id="a new generation is no transition"),
        pytest.param(ready(lastUpdateTime=NEW, lastProbeTime=NEW, lastHeartBeatTime=NEW), True, id="other times"),
        pytest.param(ready(type="Other"), False, id="another type"),
        pytest.param(ready(type="GONE"), False, id="no type"),
        pytest.param("Ready", False, id="no object"),
    ],
)
def test_the_stored_time_goes_back_where_everything_else_is_equal(sent: Json, restored: bool) -> None:
    (found,) = left(restore_times(), [sent], [READY])
    assert found == (sent | {"lastTransitionTime": OLD} if restored else sent)


@pytest.mark.parametrize(
    ("sent", "restored"),
    [
        pytest.param(ready(message="n"), True, id="a field that is not listed"),
        pytest.param(ready(status="False"), False, id="a field that is listed"),
        pytest.param(ready(severity="Error"), False, id="a listed field that only one side has"),
        pytest.param(ready(severity=None), False, id="null is not absent"),
        pytest.param(ready(), True, id="a listed field that no side has"),
    ],
)
def test_only_the_listed_fields_need_to_be_equal(sent: Json, restored: bool) -> None:
    step = restore_times(unless=["status", "severity"])
    assert times(step, [sent], [READY]) == [OLD if restored else NEW]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1", "1", True),
        ("1", "1.0", False),
        ('{"a":1,"b":[2]}', '{"b":[2],"a":1}', True),
        ('{"a":1}', '{"a":2}', False),
        ('"\\u0061"', '"a"', True),
        ("true", "1", False),
        ("12345678901234567890", "12345678901234567891", False),
    ],
)
def test_values_are_compared_as_they_are_written(one: str, other: str, equal: bool) -> None:
    def whole(value: str, time: str) -> str:
        condition = f'{{"type":"A","lastTransitionTime":"{time}","phase":{value}}}'
        return f'{{"status":{{"conditions":[{condition}],"more":1}}}}'

    decision = judge(restore_times(), write(whole(one, NEW), whole(other, OLD)))
    assert bool(decision.patch) is equal


# --- who is whose twin -----------------------------------------------------------------------------------------------


def condition(type_: str, minute: int, **more: Json) -> dict[str, Json]:
    return {"type": type_, "lastTransitionTime": at(minute)} | more


def test_twins_are_found_wherever_they_stand() -> None:
    sent = [condition("A", 9), condition("B", 9), condition("C", 9)]
    stored = [condition("C", 3), condition("A", 1), condition("X", 5)]
    assert times(restore_times(), sent, stored) == [at(1), at(9), at(3)]


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        pytest.param([condition("A", 9), condition("A", 8)], [condition("A", 1)], id="twice in what was sent"),
        pytest.param([condition("A", 9)], [condition("A", 1), condition("A", 2)], id="twice in what is stored"),
        pytest.param([condition("A", 9)] * 2, [condition("A", 1)] * 2, id="twice in both"),
        pytest.param([condition("A", 9)], [], id="nowhere"),
    ],
)
def test_what_occurs_twice_or_nowhere_has_no_twin(sent: list[Json], stored: list[Json]) -> None:
    assert left(restore_times(), sent, stored) == sent


@pytest.mark.parametrize(
    ("keys", "restored"),
    [
        pytest.param(["type", "id"], True, id="two keys, one of them a number"),
        pytest.param(["id"], True, id="a number"),
        pytest.param(["ref.name"], True, id="a path"),
        pytest.param(["ref"], True, id="an object, in another order"),
        pytest.param(["type", "nothing"], False, id="a key that is not there"),
        pytest.param(["type", "empty"], False, id="a key that is null"),
    ],
)
def test_twins_have_equal_keys_of_any_kind(keys: list[str], restored: bool) -> None:
    more = '"type":"A","id":1,"empty":null,"ref":'
    sent = f'{{"status":{{"conditions":[{{{more}{{"name":"x","n":1}},"lastTransitionTime":"{NEW}"}}],"x":1}}}}'
    stored = f'{{"status":{{"conditions":[{{{more}{{"n":1,"name":"x"}},"lastTransitionTime":"{OLD}"}}],"x":2}}}}'
    assert bool(judge(restore_times(keys=keys), write(sent, stored)).patch) is restored


# --- what goes back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "stored", "found"),
    [
        pytest.param(NEW, "2026-01-01T00:00:00.123456789+0100", "stored", id="the text as it is stored"),
        pytest.param(NEW, "not a time", "stored", id="any text"),
        pytest.param(NEW, "", "stored", id="an empty one"),
        pytest.param("", OLD, "stored", id="over an empty one"),
        pytest.param(NEW, None, "sent", id="stored as null"),
        pytest.param(None, OLD, "sent", id="sent as null"),
        pytest.param(NEW, 7, "sent", id="stored as a number"),
        pytest.param(7, OLD, "sent", id="sent as a number"),
        pytest.param(NEW, "GONE", "sent", id="not stored"),
        pytest.param("GONE", OLD, "sent", id="not sent"),
    ],
)
def test_only_texts_go_back_to_texts(sent: Json, stored: Json, found: str) -> None:
    one, other = ready(lastTransitionTime=sent), ready(lastTransitionTime=stored)
    assert left(restore_times(), [one], [other]) == [other if found == "stored" else one]


def test_several_fields_go_back_together() -> None:
    step = restore_times(fields=["lastTransitionTime", "transitionID"])
    sent, stored = ready(transitionID="b"), READY | {"transitionID": "a"}
    assert left(step, [sent], [stored]) == [stored]
    assert left(step, [READY | {"transitionID": "b"}], [stored]) == [stored]
    assert left(restore_times(), [sent], [stored]) == [sent]


def test_what_machines_read_never_goes_back() -> None:
    step = restore_times(fields=["reason", "lastTransitionTime"], keys=["type"], unless=["status"])
    assert left(step, [ready(reason="New")], [READY]) == [ready(reason="New", lastTransitionTime=OLD)]


def test_one_operation_says_it_and_no_byte_counts_as_saved() -> None:
    decision = decide(restore_times(), {"conditions": [MOVED], "x": 1}, {"conditions": [READY], "x": 2})
    assert decision.patch == (Op("replace", "/status/conditions/0/lastTransitionTime", go(OLD)),)
    report = decision.policies[0].steps[0]
    assert (report.step, report.path, report.items, report.bytes) == ("restoreTimes", "status.conditions", 1, 0)
    assert (decision.policies[0].items, decision.policies[0].put_back) == (0, 1)


def test_a_stored_text_may_be_longer_than_the_one_that_was_sent() -> None:
    stored = READY | {"lastTransitionTime": "2026-01-01T00:01:00.123456789Z"}
    decision = decide(restore_times(), {"conditions": [MOVED], "x": 1}, {"conditions": [stored], "x": 2})
    assert (decision.outcome, decision.violations) == (Outcome.TRIMMED, ())
    assert decision.bytes_after == decision.bytes_before + len(".123456789")


# --- where the lists are ---------------------------------------------------------------------------------------------


def test_lists_in_a_map_pair_by_key() -> None:
    step = restore_times("status.nodes.*.conditions")
    sent = {"a": {"conditions": [MOVED], "load": 1}, "b": {"conditions": [MOVED]}, "c": {"conditions": [MOVED]}}
    stored = {"c": {"conditions": [READY]}, "a": {"conditions": [READY], "load": 2}}
    found = left(step, sent, stored, "nodes")
    assert [node["conditions"] for node in found.values()] == [[READY], [MOVED], [READY]]


PARENTS = "status.parents[*].conditions"


@pytest.mark.parametrize(
    ("sent", "stored", "restored"),
    [
        pytest.param([{"n": 1}, {"n": 2}], [{"n": 1}, {"n": 2}], [True, True], id="the same items"),
        pytest.param([{"n": 1}, {"n": 2}], [{"n": 1}, {"n": 3}], [True, False], id="one is another"),
        pytest.param([{"n": 2}, {"n": 1}], [{"n": 1}, {"n": 2}], [False, False], id="in another order"),
        pytest.param([{"n": 1}, {"n": 2}], [{"n": 1}], [True, False], id="a new one"),
        pytest.param([{"n": 1}], [{"n": 1}, {"n": 2}], [True], id="one fewer"),
        pytest.param([{"n": 1}], [{"n": 1, "m": None}], [False], id="a field more"),
    ],
)
def test_lists_in_items_pair_by_position_where_the_items_are_equal(
    sent: list[Json], stored: list[Json], restored: list[bool]
) -> None:
    here = [item | {"conditions": [MOVED]} for item in sent]
    there = [item | {"conditions": [READY, condition("New", 3)]} for item in stored]
    found = left(restore_times(PARENTS), here, there, "parents")
    assert [item["conditions"] == [READY] for item in found] == restored


@pytest.mark.parametrize(
    ("at_path", "restored"),
    [
        ("status.parents[0].conditions", [True, False]),
        ("status.parents[-1].conditions", [False, True]),
        ("status.parents[1:].conditions", [False, True]),
        ("status.parents[5].conditions", [False, False]),
        ("status.parents[*].*", [True, True]),
    ],
)
def test_an_index_or_a_slice_pairs_the_items_that_it_names(at_path: str, restored: list[bool]) -> None:
    here, there = [{"n": n, "conditions": [MOVED]} for n in (1, 2)], [{"n": n, "conditions": [READY]} for n in (1, 2)]
    found = left(restore_times(at_path), here, there, "parents")
    assert [item["conditions"] == [READY] for item in found] == restored


@pytest.mark.parametrize(
    ("stored", "restored"),
    [
        ({"a": [{"m": 1, "b": [{"conditions": [READY]}, {}]}]}, True),
        ({"a": [{"m": 2, "b": [{"conditions": [READY]}, {}]}]}, False),
        ({"a": [{"m": 1, "b": [{"conditions": [READY]}]}]}, False),
        ({"a": [{"m": 1, "b": [{"conditions": [READY], "x": 1}, {}]}]}, False),
        ({"a": [{"m": 1, "b": {"conditions": [READY]}}]}, False),
        ({"a": [{"m": 1, "b": [{"conditions": {}}, {}]}]}, False),
    ],
)
def test_items_around_items_must_be_equal_too(stored: Json, restored: bool) -> None:
    sent = {"a": [{"m": 1, "b": [{"conditions": [MOVED]}, {}]}]}
    found = left(restore_times("status.x.a[*].b[*].conditions"), sent, stored, "x")
    assert (found["a"][0]["b"][0]["conditions"] == [READY]) is restored


@pytest.mark.parametrize(
    ("status", "stored", "found"),
    [
        pytest.param({"conditions": [READY]}, {"conditions": [READY]}, True, id="equal"),
        pytest.param({"conditions": [READY]}, None, True, id="nothing is stored"),
        pytest.param({"conditions": [READY]}, {"phase": "Up"}, True, id="no list is stored"),
        pytest.param({"conditions": []}, {"conditions": [READY]}, True, id="an empty list"),
        pytest.param({"phase": "Up"}, {"conditions": [READY]}, False, id="no list was sent"),
        pytest.param({"conditions": {"a": 1}}, {"conditions": [READY]}, False, id="a map"),
        pytest.param({"conditions": None}, {"conditions": [READY]}, False, id="null"),
    ],
)
def test_tells_whether_its_path_leads_to_a_list(status: Json, stored: Json, found: bool) -> None:
    decision = decide(restore_times(), status | {"x": 1}, None if stored is None else stored | {"x": 2})
    assert decision.policies[0].steps[0].found is found
    assert decision.patch == ()


# --- no write --------------------------------------------------------------------------------------------------------

KEYED: Json = {
    "f:status": {"f:conditions": {'k:{"type":"Ready"}': {".": {}, "f:type": {}, "f:lastTransitionTime": {}}}}
}


def managed(minute: int, *names: str, operation: str = "Update") -> list[Json]:
    return [entry(name, KEYED, operation, time=at(minute)) for name in names]


def test_a_controller_that_only_moves_its_times_writes_nothing() -> None:
    attributes = write(
        custom_resource({"conditions": [MOVED]}, managed=managed(9, "controller")),
        custom_resource({"conditions": [READY]}, managed=managed(1, "controller")),
    )
    decision = judge(restore_times(), attributes)
    assert (decision.outcome, decision.reason) == (Outcome.SUPPRESSED, Reason.EQUAL_AFTER_TRIMMING)
    assert patched(attributes, decision) == exact(attributes.stored or "")


def test_a_write_that_brings_something_else_keeps_the_old_time() -> None:
    attributes = write(custom_resource({"conditions": [MOVED], "n": 2}), custom_resource({"conditions": [READY]}))
    decision = judge(restore_times(), attributes)
    assert decision.outcome is Outcome.TRIMMED
    assert plain(patched(attributes, decision))["status"] == {"conditions": [READY], "n": 2}


def test_a_new_object_has_nothing_to_go_back_to() -> None:
    assert decide(restore_times(), {"conditions": [MOVED]}).outcome is Outcome.UNCHANGED


# --- ownership -------------------------------------------------------------------------------------------------------


def test_a_time_that_an_applier_shares_is_left_alone() -> None:
    sent = custom_resource(
        {"conditions": [MOVED], "n": 2}, managed=managed(9, "a", operation="Apply") + managed(9, "b")
    )
    decision = judge(restore_times(), write(sent, custom_resource({"conditions": [READY]})))
    assert (decision.patch, decision.reason) == ((), Reason.CO_OWNED)


def test_a_time_that_was_taken_from_an_applier_goes_back_to_what_it_applied() -> None:
    taken: Json = {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {"f:lastTransitionTime": {}}}}}
    rest: Json = {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {".": {}, "f:type": {}}}}}
    stored = custom_resource({"conditions": [READY]}, managed=managed(1, "a", operation="Apply"))
    sent = custom_resource({"conditions": [MOVED], "n": 2}, managed=[entry("a", rest, "Apply"), entry("b", taken)])
    attributes = write(sent, stored, field_manager="b")
    assert plain(patched(attributes, judge(restore_times(), attributes)))["status"]["conditions"] == [READY]


def test_a_text_that_tells_items_apart_is_left_alone() -> None:
    name = f'k:{{"lastTransitionTime":"{NEW}"}}'
    owned: Json = {"f:status": {"f:conditions": {name: {".": {}, "f:lastTransitionTime": {}}}}}
    sent = custom_resource({"conditions": [MOVED], "n": 2}, managed=[entry("b", owned)])
    assert judge(restore_times(), write(sent, custom_resource({"conditions": [READY]}))).patch == ()


# --- together with other steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_a_message_that_is_cut_is_compared_as_it_is_stored(first: bool) -> None:
    cut = truncate(10, "status.conditions[*].message", marker="…")
    steps = (cut, restore_times()) if first else (restore_times(), cut)
    sent, stored = ready(message="m" * 99), READY | {"message": "m" * 7 + "…"}
    assert left(policy(*steps), [sent], [stored]) == [stored]


def test_duplicates_that_go_make_a_twin() -> None:
    steps = policy(restore_times(), dedupe("Last", ["type"], "status.conditions"))
    assert times(steps, [condition("A", 8), condition("A", 9)], [condition("A", 1)]) == [at(1)]


def test_a_time_goes_back_in_a_list_that_shrinks_and_is_reordered() -> None:
    steps = policy(
        restore_times(),
        dedupe("Last", ["type"], "status.conditions", position="First"),
        cap_list(2, at="status.conditions"),
    )
    sent = [condition("A", 8), condition("B", 9, n=1), condition("A", 9), condition("B", 9, n=2)]
    assert times(steps, sent, [condition("B", 2, n=2), condition("A", 1)]) == [at(1), at(2)]


def test_ages_are_judged_by_the_times_that_went_back() -> None:
    steps = policy(restore_times(), cap_conditions(2, keep=[]))
    sent = [condition("A", 9), condition("B", 5), condition("C", 6)]
    assert [one["type"] for one in left(steps, sent, [condition("A", 1)])] == ["B", "C"]


@pytest.mark.parametrize("steps", [(0, 1), (1, 0)])
def test_a_text_that_would_be_cut_again_is_left_alone(steps: tuple[int, int]) -> None:
    fields = ["lastTransitionTime", "transitionID"]
    all_steps = (restore_times(fields=fields), truncate(10, "status.conditions[*].*", marker="…"))
    sent, stored = ready(transitionID="b" * 99), READY | {"transitionID": "a" * 99}
    both = [policy(all_steps[step], name=f"p{at}") for at, step in enumerate(steps)]
    assert left(both, [sent], [stored]) == [READY | {"transitionID": "b" * 7 + "…"}]


def test_a_time_that_is_dropped_does_not_come_back() -> None:
    steps = policy(restore_times(), drop("status.conditions[*].lastTransitionTime"))
    assert left(steps, [MOVED], [READY]) == [ready(lastTransitionTime="GONE")]
