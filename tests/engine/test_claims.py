"""Claims that managers get back, and that are taken from others."""

from __future__ import annotations

import pytest

from admission.engine.claims import add_claim, owned_of, with_claims, without_claims
from tests.engine.build import Json

CLAIMS: Json = {"f:status": {"f:a": {}, "f:l": {'k:{"id":"<"}': {"f:m": {}}}}}


def test_claims_of_one_node_share_it() -> None:
    claims: Json = {}
    for names in (("f:status", "f:a"), ("f:status", "f:l", 'k:{"id":"<"}', "f:m")):
        add_claim(claims, names)
    assert claims == CLAIMS


@pytest.mark.parametrize(
    ("fields", "owned"),
    [
        pytest.param({"f:status": {"f:a": {}, "f:b": {}}}, {"f:status": {"f:a": {}}}, id="one of them"),
        pytest.param({"f:status": {"f:b": {}}}, {}, id="none of them"),
        pytest.param({"f:status": {}}, {}, id="what is around them"),
        pytest.param({"f:status": {"f:a": {"f:x": {}}}}, {}, id="what is in one"),
        pytest.param({"f:status": 7}, {}, id="something odd"),
        pytest.param(
            {"f:status": {"f:l": {r'k:{"id":"\u003c"}': {".": {}, "f:m": {}}}}},
            {"f:status": {"f:l": {r'k:{"id":"\u003c"}': {"f:m": {}}}}},
            id="in its own words",
        ),
    ],
)
def test_those_that_a_manager_owned(fields: Json, owned: Json) -> None:
    assert owned_of(CLAIMS, fields) == owned


WHOLE: Json = {".": {}, "f:a": {}, "f:b": {".": {}, "f:c": {}, "f:d": {}}, "f:e": {}}


@pytest.mark.parametrize(
    ("left", "claims", "after"),
    [
        pytest.param({".": {}, "f:e": {}}, {"f:a": {}}, {".": {}, "f:a": {}, "f:e": {}}, id="where it stood"),
        pytest.param({"f:b": {}}, {"f:b": {"f:c": {}}}, {"f:b": {".": {}, "f:c": {}}}, id="beside the node itself"),
        pytest.param(None, {"f:b": {"f:d": {}}}, {"f:b": {"f:d": {}}}, id="to nothing"),
        pytest.param({"f:z": {}}, {"f:a": {}}, {"f:a": {}, "f:z": {}}, id="what was not there before stays"),
        pytest.param({"f:a": {}}, {"f:a": {}}, {"f:a": {}}, id="what it has already"),
    ],
)
def test_come_back_in_the_order_of_old(left: Json, claims: Json, after: Json) -> None:
    found = with_claims(left, claims, WHOLE)
    assert (found, list(found)) == (after, list(after))


@pytest.mark.parametrize(
    ("fields", "had", "after"),
    [
        pytest.param({"f:status": {"f:a": {}, "f:b": {}}}, {}, {"f:status": {"f:b": {}}}, id="taken"),
        pytest.param({"f:status": {"f:a": {}}}, {}, None, id="nothing is left"),
        pytest.param({"f:status": {".": {}, "f:a": {}}}, {}, {"f:status": {}}, id="the node itself is left"),
        pytest.param({"f:status": {"f:a": {}}}, {"f:status": {"f:a": {}}}, {"f:status": {"f:a": {}}}, id="had before"),
        pytest.param({"f:status": {"f:a": {"f:x": {}}}}, {}, {"f:status": {"f:a": {"f:x": {}}}}, id="what is in it"),
        pytest.param({"f:status": {}}, {}, {"f:status": {}}, id="what is around it"),
        pytest.param({"f:status": {"f:b": None}}, {}, {"f:status": {"f:b": None}}, id="something odd"),
        pytest.param(
            {"f:status": {"f:l": {r'k:{"id":"\u003c"}': {".": {}, "f:m": {}}}}},
            {},
            {"f:status": {"f:l": {r'k:{"id":"\u003c"}': {}}}},
            id="in other words",
        ),
    ],
)
def test_are_taken_from_who_had_them_not(fields: Json, had: Json, after: Json) -> None:
    found = without_claims(fields, CLAIMS, had)
    assert found == after
    assert (found is fields) is (fields == after)
