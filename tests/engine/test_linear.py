"""Twice as many members cost twice the work: counted in calls, which no other load on the machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeAlias

import pytest

from admission.engine.decision import Outcome
from admission.engine.steps import Step
from tests.engine.build import (
    Json,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    dedupe,
    drop,
    entry,
    judge,
    pin,
    restore_times,
    truncate,
    write,
)

MEMBERS: Final = 500
Made: TypeAlias = Callable[[int], Json]


def the_map(count: int) -> Json:
    return {"map": {f"key-{number}": {"id": number, "m": "m" * 60} for number in range(count)}}


def the_list(count: int) -> Json:
    items = range(count)
    return {"history": [{"id": n, "half": n // 2, "m": "m" * 60, "at": at(n % 1000)} for n in items]}


def one_item(count: int) -> Json:
    return {"history": [{f"key{number}": "m" * 60 for number in range(count)} | {"id": 1}]}


def conditions(count: int) -> Json:
    items = range(count)
    return {"conditions": [{"type": f"T{n // 2}", "status": "True", "lastTransitionTime": at(n % 900)} for n in items]}


def unique(count: int, minute: int = 0) -> Json:
    items = range(count)
    return {"conditions": [{"type": f"T{n}", "lastTransitionTime": at(n % 900 + minute)} for n in items]}


def owned(status: Json) -> list[Json]:
    """Managed fields that name everything one by one."""
    fields: dict[str, Json] = {}
    for name, value in status.items():
        if isinstance(value, dict):
            fields[f"f:{name}"] = {f"f:{key}": {} for key in value}
        else:
            key = "id" if "id" in value[0] else "type"
            quote = '"' if key == "type" else ""
            fields[f"f:{name}"] = {
                f'k:{{"{key}":{quote}{item[key]}{quote}}}': {".": {}} | {f"f:{inner}": {} for inner in item}
                for item in value
            }
    return [entry("controller", {"f:status": fields})]


def calls(function: Callable[[], Any]) -> int:
    """The calls of functions, ours and Python's."""
    count = 0

    def tell(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def work(step: Step, status: Json, stored: Json) -> int:
    whole = None if stored is None else custom_resource(stored, managed=owned(stored))
    attributes = write(custom_resource(status, managed=owned(status)), whole)
    assert judge(step, attributes).outcome in (Outcome.TRIMMED, Outcome.SUPPRESSED)
    return calls(lambda: judge(step, attributes))


@pytest.mark.parametrize(
    ("step", "made", "stored"),
    [
        pytest.param(drop("status.map.*"), the_map, None, id="drop the entries of a map"),
        pytest.param(drop("status.map.*.m"), the_map, None, id="drop in the entries of a map"),
        pytest.param(drop("status.history[*].m"), the_list, None, id="drop in the items of a list"),
        pytest.param(drop("status.history[*].*"), one_item, None, id="drop the fields of an item"),
        pytest.param(truncate(40, "status.map.*.m"), the_map, None, id="truncate in a map"),
        pytest.param(truncate(40, "status.history[*].m"), the_list, None, id="truncate in a list"),
        pytest.param(truncate(40, "status.history[*].*"), one_item, None, id="truncate the fields of an item"),
        pytest.param(cap_list(10), the_list, None, id="capList"),
        pytest.param(cap_list(10, "at Time"), the_list, None, id="capList by time"),
        pytest.param(cap_list(10, "m Natural"), the_list, None, id="capList by a natural key"),
        pytest.param(cap_list(10, pins=[pin("id Gt 5", newest=9), pin("half In 3")]), the_list, None, id="pins"),
        pytest.param(cap_conditions(10), conditions, None, id="capConditions"),
        pytest.param(cap_conditions(10, keep=["T1"]), conditions, None, id="capConditions of some types"),
        pytest.param(dedupe("Last", ["half"]), the_list, None, id="dedupe"),
        pytest.param(
            dedupe("Newest", ["half"], position="First", times=["at"]), the_list, None, id="dedupe to the first"
        ),
        pytest.param(dedupe("First", ["half"], scope="Consecutive"), the_list, None, id="dedupe runs"),
        pytest.param(dedupe("First", ignoring=["id", "at"]), the_list, None, id="dedupe but for some fields"),
        pytest.param(restore_times(), unique, lambda count: unique(count, 1), id="restoreTimes"),
    ],
)
def test_twice_as_many_members_are_twice_the_work(step: Step, made: Made, stored: Made | None) -> None:
    once, twice = (work(step, made(n), None if stored is None else stored(n)) for n in (MEMBERS, 2 * MEMBERS))
    assert twice < 2.2 * once  # sorting takes a little more than twice
