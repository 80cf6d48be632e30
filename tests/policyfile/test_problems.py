"""What pydantic found, in words: the parts that tables of messages do not show."""

import json
from collections.abc import Iterator
from copy import deepcopy
from io import BytesIO
from typing import Any

import pytest

from admission.policyfile.document import StatusPolicyModel
from admission.policyfile.loader import read_policies
from admission.policyfile.problems import known_keys, model_at
from tests.policyfile.sample import bent, told

RICH = bent(
    ("spec.mode", "DryRun"),
    ("spec.match.when", [{"field": "status.phase", "operator": "In", "values": ["Done"]}]),
    ("spec.match.names", {"include": ["a-*"], "exclude": ["a-b"]}),
    ("spec.match.objectSelector", {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a"]}]}),
    (
        "spec.trim",
        [
            {"capConditions": {"path": "status.conditions", "max": 9, "keepTypes": ["Ready"]}},
            {
                "capList": {
                    "path": "status.history",
                    "max": 10,
                    "order": {"by": "time", "as": "Time"},
                    "keepWhere": [{"all": [{"field": "phase", "operator": "Lt", "values": ["5"]}], "newest": 2}],
                }
            },
            {"dedupe": {"path": "status.runs", "keys": ["type"], "keep": "Last"}},
            {"dedupe": {"path": "status.tries", "ignoring": ["at"], "keep": "First"}},
            {"truncate": {"paths": ["status.log"], "maxBytes": 100, "keep": "Head"}},
            {"drop": {"paths": ["status.debug"]}, "when": [{"field": "status.old", "operator": "Exists"}]},
            {"restoreTimes": {"path": "status.conditions", "fields": ["lastTransitionTime"], "unless": ["status"]}},
        ],
    ),
    (
        "spec.limits",
        [
            {"maxBytes": "1Mi", "of": "Object", "action": "Reject"},
            {"path": "status.history", "maxItems": 99, "action": "Warn"},
            {"path": "status.message", "maxLength": 99, "action": "Warn"},
        ],
    ),
)
"""Every kind of map that a policy has, with what it asks for."""


def places(value: Any, around: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every key of a document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        if isinstance(key, str):
            yield (*around, key)
        yield from places(inner, (*around, key))


PLACES = [place for place in places(RICH) if len(place) > 1]  # a file without apiVersion or kind is something else
EVERY_KEY = pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))


def renamed(place: tuple[str | int, ...], name: str) -> dict[str, Any]:
    """The rich policy with another name for one key, at the same place in its map."""
    policy = deepcopy(RICH)
    holder: Any = policy
    for key in place[:-1]:
        holder = holder[key]
    members = [(name if key == place[-1] else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(members)
    return policy


@EVERY_KEY
def test_a_misspelt_key_is_told_alone_with_the_nearest(place: tuple[str | int, ...]) -> None:
    (message,) = told(renamed(place, f"{place[-1]}x"))
    assert message.endswith(f'x: unknown key; did you mean "{place[-1]}"?')


@EVERY_KEY
def test_an_unknown_key_is_told_with_nothing_else_but_what_is_required(place: tuple[str | int, ...]) -> None:
    *others, message = told(renamed(place, "zzz"))
    assert ".zzz: unknown key; known here: " in message
    assert len(others) <= 1
    assert all(f".{place[-1]}: is missing; " in other for other in others)


def test_a_policy_with_nothing_but_an_unknown_key_is_not_told_that_it_does_nothing() -> None:
    policy = renamed(("spec", "trim"), "steps")
    del policy["spec"]["limits"]
    known = "mode, priority, root, rollout, allowCore, match, trim, suppress, limits"
    assert told(policy) == [f"spec.steps: unknown key; known here: {known}"]


def test_known_keys_are_those_of_the_map_at_the_place() -> None:
    assert known_keys(StatusPolicyModel, ()) == ["apiVersion", "kind", "metadata", "spec"]
    assert known_keys(StatusPolicyModel, ("spec", "trim", 3, "capList", "order")) == ["by", "as"]
    assert known_keys(StatusPolicyModel, ("spec", "trim", 0))[0] == "when"


@pytest.mark.parametrize("key", ["<<", "<list>", "<", ""])
@pytest.mark.parametrize("around", ["", "metadata", "spec.match"])
def test_any_key_can_be_an_unknown_one(around: str, key: str) -> None:
    policy = bent()
    holder: Any = policy
    for name in filter(None, around.split(".")):
        holder = holder[name]
    holder[key] = {"a": 1}
    (problem,) = read_policies(["-"], stdin=BytesIO(json.dumps(policy).encode())).problems
    assert problem.message.startswith("unknown key")
    assert problem.path.startswith(around)


@pytest.mark.parametrize("place", [("nothing",), ("spec", "mode"), ("spec", "nothing", "below")])
def test_where_no_map_is_no_key_is_known(place: tuple[str, ...]) -> None:
    assert model_at(StatusPolicyModel, place) is None
    assert known_keys(StatusPolicyModel, place) == []
