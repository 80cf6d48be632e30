"""CRDs by group and resource."""

from __future__ import annotations

from admission.crd.catalogue import NOTHING, Catalogue, together
from admission.crd.definition import Definition
from admission.engine.schema import Schema, Schemas
from tests.crd.sample import crd, version


def definition(plural: str, group: str = "example.com") -> Definition:
    return Definition.read(crd(plural=plural, group=group)["spec"])


def test_definitions_are_found_by_group_and_plural() -> None:
    widgets, gadgets, other = definition("widgets"), definition("gadgets"), definition("widgets", "other.io")
    catalogue = Catalogue((widgets, gadgets, other))
    assert catalogue.of("example.com") == {"widgets": widgets, "gadgets": gadgets}
    assert catalogue.of("other.io") == {"widgets": other}
    assert catalogue.of("unknown.io") == {}
    assert [*catalogue.by_name] == ["widgets.example.com", "gadgets.example.com", "widgets.other.io"]
    assert [*catalogue.schemas.by_resource] == [
        ("example.com", "v1", "widgets"),
        ("example.com", "v1", "gadgets"),
        ("other.io", "v1", "widgets"),
    ]
    assert NOTHING.schemas == Schemas()


def test_of_a_crd_that_is_known_twice_the_last_one_is_right_with_all_its_versions() -> None:
    old = Schemas({("a.io", "v1", "as"): Schema(min_items=1), ("a.io", "v2", "as"): Schema(min_items=2)})
    new = Schemas({("a.io", "v1", "as"): Schema(min_items=3)})
    other = Schemas({("b.io", "v1", "bs"): Schema()})
    merged = together({"as.a.io": old, "bs.b.io": other}, {"as.a.io": new})
    assert merged.by_resource == {**new.by_resource, **other.by_resource}


def test_of_several_catalogues_the_last_one_is_right() -> None:
    old, new = Definition.read(crd()["spec"]), Definition.read(crd(version("v2"))["spec"])
    assert Catalogue.merged(Catalogue((old, definition("gadgets"))), Catalogue((new,))).definitions == (
        new,
        definition("gadgets"),
    )
