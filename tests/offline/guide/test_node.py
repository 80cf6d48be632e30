"""A field is read from its schema, whatever form the schema gives it."""

from __future__ import annotations

from typing import Any

import pytest

from admission.offline.guide.node import Node

DOCUMENT: dict[str, Any] = {
    "$defs": {
        "Inner": {
            "type": "object",
            "description": "What is inside.",
            "properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/Inner"}},
            "required": ["a"],
        },
        "Word": {"type": "string", "enum": ["Yes", "No"]},
    }
}


def node(schema: dict[str, Any]) -> Node:
    return Node("x", schema, DOCUMENT)


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": "array", "items": {"type": "string"}}, "[]string"),
        ({"type": "array", "items": {"$ref": "#/$defs/Inner"}}, "[]Object"),
        ({"$ref": "#/$defs/Inner"}, "Object"),
        ({"$ref": "#/$defs/Word"}, "string"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}, "integer or string"),
        ({"oneOf": [{"const": "All"}, {"type": "array", "items": {"type": "string"}}]}, "string or []string"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "map[string]string"),
        ({"type": "object", "additionalProperties": True}, "Object"),
        ({"const": True}, "boolean"),
        ({"type": "array", "items": {}}, "[]any"),
        ({}, "any"),
    ],
    ids=str,
)
def test_types_are_those_of_kubectl(schema: dict[str, Any], type_: str) -> None:
    assert node(schema).type == type_


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/Inner"},
        {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
        {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]},
        {"oneOf": [{"enum": ["a"]}, {"type": "array", "items": {"$ref": "#/$defs/Inner"}}]},
    ],
    ids=["itself", "in a list", "or nothing", "a choice"],
)
def test_the_fields_of_a_map_are_found_wherever_it_stands(schema: dict[str, Any]) -> None:
    found = node(schema)
    assert [(each.name, each.required) for each in found.members] == [("a", True), ("b", False)]
    assert found.member("a") is not None
    assert found.member("c") is None


def test_a_map_that_holds_itself_is_the_same_further_down() -> None:
    found = node({"$ref": "#/$defs/Inner"})
    inside = found.member("b")
    assert inside is not None
    assert inside.identity == found.identity


def test_what_is_said_of_the_field_and_of_its_map_is_said_once() -> None:
    reference = {"$ref": "#/$defs/Inner"}
    assert node(reference).description == "What is inside."
    assert node(reference | {"description": "A thing."}).description == "A thing.\n\nWhat is inside."
    choice = {"anyOf": [reference, {"type": "null"}]}
    assert node(choice | {"description": "A thing."}).description == "A thing.\n\nWhat is inside."
    assert node(choice | {"description": "What is inside."}).description == "What is inside."


def test_words_and_defaults() -> None:
    found = node({"anyOf": [{"$ref": "#/$defs/Word"}, {"const": "Maybe"}], "default": "Yes"})
    assert (found.words, found.default) == (("Yes", "No", "Maybe"), '"Yes"')
    assert node({"type": "integer", "default": 0}).default == "0"
    assert node({"type": "array", "default": []}).default == ""
