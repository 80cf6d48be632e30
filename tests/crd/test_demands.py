"""What the engine needs of a CRD, from values and from bytes."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from admission.crd.definition import Definition
from admission.crd.demands import MOST_LEVELS, Key, demands_in
from admission.engine.schema import Schema
from tests.crd.sample import crd, version
from tests.offline.samples import bent

WIDGETS = crd(version("v1"), version("v1beta1"))
V1 = ("example.com", "v1", "widgets")


def demands(document: dict[str, Any]) -> dict[Key, Schema]:
    """What is demanded, whichever way it is read."""
    by_value = dict(Definition.read(document["spec"]).demands)
    by_bytes = dict(demands_in(json.dumps(document["spec"]).encode()))
    assert by_value == by_bytes
    return by_bytes


def test_every_version_demands_what_its_schema_says_of_the_status() -> None:
    found = demands(WIDGETS)
    assert [*found] == [V1, ("example.com", "v1beta1", "widgets")]
    assert found[V1].at(("spec",)) is None
    history = found[V1].at(("status", "history"))
    assert history is not None
    assert (history.min_items, history.keys) == (3, frozenset({"id"}))


def test_another_root_than_the_status_is_known_too() -> None:
    results = {"type": "array", "minItems": 2, "items": {"type": "string"}}
    kind = bent(version(), "schema", "openAPIV3Schema", "properties", "results", to=results)
    assert demands(crd(kind))[V1].at(("results",)) == Schema(min_items=2, items=Schema(kind="string"), kind="array")


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {},
        {"openAPIV3Schema": None},
        {"openAPIV3Schema": {"properties": {"spec": {"minProperties": 3}}}},
    ],
)
def test_a_version_may_demand_nothing(schema: Any) -> None:
    assert demands(crd(bent(version(), "schema", to=schema)))[V1] == Schema()


def test_a_version_that_keeps_everything_demands_nothing_but_an_object() -> None:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    assert demands(crd(bent(version(), "schema", to=schema)))[V1] == Schema(kind="object", is_open=True)


def nested(levels: int) -> dict[str, Any]:
    """A CRD whose status is as deep as this."""
    deep: dict[str, Any] = {"type": "string", "minLength": 1}
    for _ in range(levels):
        deep = {"type": "object", "properties": {"x": deep}}
    return crd(bent(version(), "schema", "openAPIV3Schema", "properties", "status", to=deep))


def test_a_schema_of_a_hundred_levels_is_known() -> None:
    found = demands(nested(100))[V1].at(("status", *["x"] * 100))
    assert found is not None
    assert found.text.min_length == 1


def test_a_schema_of_hundreds_of_levels_demands_nothing() -> None:
    assert demands(nested(MOST_LEVELS))[V1] == Schema()


@pytest.mark.parametrize("spec", [b"{}", b"[]", b"{"])
def test_what_is_no_crd_is_an_error(spec: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        list(demands_in(spec))
