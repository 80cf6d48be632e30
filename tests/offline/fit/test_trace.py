"""Paths that lead somewhere in a schema, or nowhere: each message word for word."""

from __future__ import annotations

import pytest

from admission.crd.shape import Shape, Type
from admission.engine.fieldpath import FieldPath
from admission.offline.fit.remark import Remark
from admission.offline.fit.trace import Found, trace
from tests.crd.sample import version

ROOT = Shape(version()["schema"]["openAPIV3Schema"])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("status", Type.OBJECT),
        ("status.conditions", Type.LIST),
        ("status.conditions[*]", Type.OBJECT),
        ("status.conditions[0].message", Type.TEXT),
        ("status.conditions[:-1].message", Type.TEXT),
        ("status.conditions[*].*", Type.TEXT),
        ("status.nodes.*.message", Type.TEXT),
        ("status.nodes['a.b/c'].message", Type.TEXT),
        ("status.labels", Type.MAP),
        ("status.raw.known", Type.TEXT),
        ("status.port", Type.ANY),
        ("spec.size", Type.NUMBER),
        ("metadata.labels['a/b']", Type.ANY),
        ("apiVersion", Type.ANY),
        ("status.template.kind", Type.ANY),
        (".", Type.OBJECT),
    ],
)
def test_a_path_that_is_in_the_schema_leads_to_a_value(path: str, kind: Type) -> None:
    found = trace(ROOT, FieldPath.parse(path))
    assert isinstance(found, Found)
    assert found.shape.type is kind


@pytest.mark.parametrize(
    ("path", "told"),
    [
        pytest.param(
            "status.conditons[*].message",
            "status.conditons is not in the schema of …; did you mean status.conditions[*].message?",
            id="misspelt",
        ),
        pytest.param(
            "status.conditions[*].mesage",
            "status.conditions[*].mesage is not in the schema of …; did you mean status.conditions[*].message?",
            id="misspelt at the end",
        ),
        pytest.param(
            "status.nodes.*.xyz",
            "status.nodes.*.xyz is not in the schema of …; its fields are message",
            id="nothing near",
        ),
        pytest.param(
            "results[*].x", "results is not in the schema of …; its fields are spec, status", id="another root"
        ),
        pytest.param(
            "status.xyz",
            "status.xyz is not in the schema of …; its fields are conditions, digest, history, labels, message, nodes, "
            "phase, port and 4 more",
            id="nothing near among many",
        ),
        pytest.param(
            "status.conditions.message",
            "status.conditions is a list in …; write status.conditions[*].message",
            id="a list without its items",
        ),
        pytest.param(
            "status.conditions.*.message",
            "status.conditions is a list in …; write status.conditions[*].*.message",
            id="the entries of a list",
        ),
        pytest.param(
            "status.nodes[*].message", "status.nodes is a map in …; write status.nodes.*.message", id="items of a map"
        ),
        pytest.param(
            "status.conditions[*][0]",
            "status.conditions[*] is an object with named fields in …, no list; its fields are lastTransitionTime, "
            "message, reason, status, type",
            id="items of an object",
        ),
        pytest.param(
            "status.phase.x",
            "status.phase is a text in …; nothing is below it, and status.phase.x leads nowhere",
            id="below a text",
        ),
        pytest.param(
            "status.replicas[*]",
            "status.replicas is a number in …; nothing is below it, and status.replicas[*] leads nowhere",
            id="items of a number",
        ),
        pytest.param(
            "status.template.spec",
            "status.template.spec is not in the schema of …; its fields are apiVersion, kind, metadata",
            id="what an embedded object does not have",
        ),
    ],
)
def test_a_path_that_is_not_in_the_schema_is_wrong(path: str, told: str) -> None:
    remark = trace(ROOT, FieldPath.parse(path))
    assert isinstance(remark, Remark)
    assert (f"{remark.head} …{remark.tail}", remark.wrong) == (told, True)


def test_an_object_of_which_nothing_is_stored_is_told() -> None:
    empty = Shape({"type": "object", "properties": {"status": {"type": "object"}}})
    remark = trace(empty, FieldPath.parse("status.phase"))
    assert isinstance(remark, Remark)
    assert remark.tail == "; the schema names no field there, so the API server stores none"


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("status.raw.unknown", "status.raw"),
        ("status.raw[*].x", "status.raw"),
        ("status.raw.*.x", "status.raw.*"),
        ("status.port.x", "status.port"),
    ],
)
def test_what_may_hold_anything_is_said_and_not_wrong(path: str, at: str) -> None:
    remark = trace(ROOT, FieldPath.parse(path))
    assert isinstance(remark, Remark)
    assert (remark.head, remark.tail) == (f"{at} may hold anything in", f", so {path} is not checked")
    assert not remark.wrong


@pytest.mark.parametrize("wanted", [Type.TEXT, Type.LIST, Type.MAP, Type.OBJECT])
def test_of_several_fields_that_a_wildcard_leads_to_one_of_the_wanted_type_counts(wanted: Type) -> None:
    found = trace(ROOT, FieldPath.parse("status.*"), {wanted})
    assert isinstance(found, Found)
    assert found.shape.type is wanted
