"""What a structural schema says of one value."""

from __future__ import annotations

from typing import Any

import pytest

from admission.crd.shape import ANYTHING, Shape, Type


@pytest.mark.parametrize(
    ("openapi", "kind"),
    [
        ({"type": "array", "items": {"type": "string"}}, Type.LIST),
        ({"type": "string"}, Type.TEXT),
        ({"type": "integer"}, Type.NUMBER),
        ({"type": "number"}, Type.NUMBER),
        ({"type": "boolean"}, Type.BOOLEAN),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, Type.OBJECT),
        ({"type": "object", "additionalProperties": {"type": "string"}}, Type.MAP),
        ({"type": "object", "additionalProperties": True}, Type.MAP),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, Type.ANY),
        ({"type": "object", "x-kubernetes-embedded-resource": True}, Type.OBJECT),
        ({"type": "object"}, Type.OBJECT),
        ({"type": "object", "additionalProperties": False}, Type.OBJECT),
        ({"x-kubernetes-int-or-string": True}, Type.ANY),
        ({}, Type.ANY),
    ],
)
def test_a_value_has_a_type(openapi: dict[str, Any], kind: Type) -> None:
    assert Shape(openapi).type is kind


def test_what_is_below_a_value_is_known() -> None:
    text = {"type": "string"}
    assert Shape({"type": "array", "items": text}).items == Shape(text)
    assert Shape({"type": "array"}).items == ANYTHING
    assert Shape({"type": "object", "additionalProperties": text}).entries == Shape(text)
    assert Shape({"type": "object", "additionalProperties": True}).entries == ANYTHING
    assert Shape({"type": "object"}).entries is None
    assert Shape({"properties": {"a": text, "b": True}}).members == {"a": Shape(text)}


def test_an_embedded_object_has_what_every_object_has() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"kind": {"type": "string"}}}
    assert Shape(embedded).members == {
        "apiVersion": ANYTHING,
        "metadata": ANYTHING,
        "kind": Shape({"type": "string"}),
    }


@pytest.mark.parametrize(
    ("openapi", "form"),
    [({"pattern": "^a"}, "pattern"), ({"enum": ["a"]}, "enum"), ({"format": "date-time"}, "format"), ({}, None)],
)
def test_a_text_may_have_a_form(openapi: dict[str, Any], form: str | None) -> None:
    assert Shape({"type": "string", **openapi}).form == form
