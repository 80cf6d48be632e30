"""Sizes of what would be stored and of what is, and which writes no limit may reject."""

import json
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.document import Document
from admission.engine.sides import Of, Result, Stored, must_pass
from admission.errors import DocumentError
from tests.engine.build import Json, cap_list, custom_resource, go, write
from tests.engine.oracle import as_go_writes

SPEC = {"query": "select <1>; " * 20}
SHORT, LONG = {"history": [1, 2]}, {"history": [1, 2, 3, 4, 5]}


def result(attributes: Attributes) -> Result:
    return Result(Document.of(attributes), "status")


def stored(attributes: Attributes) -> Stored:
    return Stored(Document.of(attributes), "status")


def size(value: Json) -> int:
    return len(as_go_writes(value).encode())


def test_on_a_status_write_the_object_is_the_stored_one_with_this_status() -> None:
    before = custom_resource(SHORT, spec=SPEC)
    attributes = write(custom_resource(LONG, spec=None, metadata={"name": "train"}), before)
    assert result(attributes).size(Of.OBJECT, 0) == size(before | {"status": LONG})
    assert stored(attributes).size(Of.OBJECT, 0) == size(before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(custom_resource(None), custom_resource(LONG), id="the first status"),
        pytest.param(custom_resource(LONG), custom_resource(None), id="the status goes"),
        pytest.param(custom_resource(None), custom_resource(None), id="never a status"),
    ],
)
def test_a_status_that_comes_or_goes_counts_with_its_name(before: Json, after: Json) -> None:
    expected = {name: value for name, value in before.items() if name != "status"}
    expected |= {"status": after["status"]} if "status" in after else {}
    assert result(write(after, before)).size(Of.OBJECT, 0) == size(expected)


def test_elsewhere_the_object_is_the_submitted_one() -> None:
    attributes = write(custom_resource(LONG, spec=SPEC), custom_resource(SHORT), subresource="")
    assert result(attributes).size(Of.OBJECT, 0) == size(custom_resource(LONG, spec=SPEC))
    created = write(custom_resource(LONG, spec=SPEC), subresource="")
    assert result(created).size(Of.OBJECT, 0) == size(custom_resource(LONG, spec=SPEC))


@pytest.mark.parametrize("subresource", ["", "status"])
def test_what_was_trimmed_does_not_count(subresource: str) -> None:
    attributes = write(custom_resource(LONG), custom_resource(SHORT), subresource=subresource)
    document = Document.of(attributes)
    cap_list(3).apply(document, 0)
    trimmed = {"history": [3, 4, 5]}
    assert Result(document, "status").size(Of.STATUS, 0) == size(trimmed)
    assert Result(document, "status").size(Of.OBJECT, 0) == size(custom_resource(trimmed))
    assert Result(document.fork(), "status").size(Of.OBJECT, 0) == size(custom_resource(trimmed))
    assert Result(document, "status", pruned=0).size(Of.OBJECT, 0) == size(custom_resource(trimmed))


@pytest.mark.parametrize("subresource", ["", "status"])
def test_sizes_are_those_in_etcd_whatever_the_form_of_the_bytes(subresource: str) -> None:
    before, after = custom_resource(SHORT, spec=SPEC), custom_resource({"message": "a < b & c"}, spec=SPEC)
    loose = write(json.dumps(after, indent=1), json.dumps(before, indent=1), subresource=subresource)
    tight = write(after, before, subresource=subresource)
    for of in Of:
        assert result(loose).size(of, 0) == result(tight).size(of, 0)
        assert stored(loose).size(of, 0) == stored(tight).size(of, 0)
    assert stored(tight).size(Of.STATUS, 0) == size(SHORT)


def test_a_size_that_cannot_be_above_is_told_without_a_look_into_the_stored_object() -> None:
    attributes = replace(write(custom_resource(LONG), custom_resource(SHORT)), stored=Raw(b"no JSON, never read"))
    assert result(attributes).size(Of.OBJECT, 1_000) <= 1_000
    with pytest.raises(DocumentError):
        result(replace(attributes, stored=Raw(b"{no JSON"))).size(Of.OBJECT, 0)


def test_without_a_stored_object_nothing_is_stored() -> None:
    assert [stored(write(custom_resource(LONG))).size(of, 0) for of in Of] == [0, 0]
    assert stored(write(custom_resource(LONG), custom_resource(None))).size(Of.STATUS, 0) == 0


GOING = {"name": "train", "deletionTimestamp": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("submitted", "before", "passes"),
    [
        pytest.param(custom_resource(LONG), None, False, id="a new object"),
        pytest.param(custom_resource(LONG), custom_resource(SHORT), False, id="another status"),
        pytest.param(custom_resource(LONG), custom_resource(LONG), True, id="the stored status"),
        pytest.param(custom_resource(LONG, spec=SPEC), custom_resource(LONG), True, id="another spec"),
        pytest.param(custom_resource(None), custom_resource(None), True, id="no status, as stored"),
        pytest.param(custom_resource(LONG), custom_resource(None), False, id="the first status"),
        pytest.param(custom_resource(LONG, metadata=GOING), custom_resource(SHORT), True, id="going, as submitted"),
        pytest.param(custom_resource(LONG), custom_resource(SHORT, metadata=GOING), True, id="going, as stored"),
        pytest.param(custom_resource(LONG, metadata=GOING), None, True, id="going, and new"),
        pytest.param(
            custom_resource(LONG, metadata={"deletionTimestamp": None}), None, False, id="a null is no deletion"
        ),
        pytest.param(custom_resource(LONG, metadata="odd"), None, False, id="metadata of another type"),
    ],
)
def test_which_writes_must_pass(submitted: Json, before: Json, passes: bool) -> None:
    assert must_pass(Document.of(write(submitted, before)), "status") is passes


def test_a_write_that_ends_as_it_is_stored_must_pass() -> None:
    attributes = write(custom_resource(LONG), custom_resource({"history": [4, 5]}))
    document = Document.of(attributes)
    assert not must_pass(document, "status")
    cap_list(2).apply(document, 0)
    assert must_pass(document, "status")


def test_objects_are_compared_as_json() -> None:
    text: Any = go(custom_resource(LONG)).replace(b"[1,", b"[ 1,")
    assert must_pass(Document.of(write(text, custom_resource(LONG))), "status")
