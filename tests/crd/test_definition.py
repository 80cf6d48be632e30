"""A CRD as far as it matters."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from admission.crd.definition import Definition
from tests.crd.sample import crd, version
from tests.offline.samples import bent

WIDGETS = crd(version("v1"), version("v1alpha1", served=False, subresource=False))


def read(document: dict[str, Any]) -> Definition:
    return Definition.read(document["spec"])


def test_names_and_versions_are_read() -> None:
    widgets = read(WIDGETS)
    assert (widgets.name, widgets.group, widgets.plural, widgets.singular, widgets.kind, widgets.short_names) == (
        "widgets.example.com",
        "example.com",
        "widgets",
        "widget",
        "Widget",
        ("wi",),
    )
    assert [(each.name, each.served, each.has_status) for each in widgets.versions] == [
        ("v1", True, True),
        ("v1alpha1", False, False),
    ]
    assert [each.name for each in widgets.served] == ["v1"]


@pytest.mark.parametrize(
    ("subresources", "has_status"),
    [
        pytest.param({"status": {}}, True, id="an empty map is one"),
        pytest.param({"status": None}, False, id="null is none"),
        pytest.param({"scale": {}}, False, id="another subresource"),
        pytest.param(None, False, id="null"),
    ],
)
def test_a_status_subresource_is_seen(subresources: Any, has_status: bool) -> None:
    widgets = read(bent(WIDGETS, "spec", "versions", 0, "subresources", to=subresources))
    assert widgets.versions[0].has_status is has_status


@pytest.mark.parametrize("names", [{"singular": ""}, {"singular": None}, {}])
def test_the_singular_is_the_kind_in_lower_case_where_it_is_not_given(names: dict[str, Any]) -> None:
    document = bent(WIDGETS, "spec", "names", to={"plural": "widgets", "kind": "Widget", **names})
    assert (read(document).singular, read(document).short_names) == ("widget", ())


def test_demands_are_those_of_every_version_without_the_spec() -> None:
    demands = dict(read(WIDGETS).demands)
    assert [*demands] == [("example.com", "v1", "widgets"), ("example.com", "v1alpha1", "widgets")]
    schema = demands["example.com", "v1", "widgets"]
    assert schema.at(("spec",)) is None
    history = schema.at(("status", "history"))
    assert history is not None
    assert (history.min_items, history.keys) == (3, frozenset({"id"}))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param(None, "Expected `object`, got `null`", id="no spec"),
        pytest.param({**WIDGETS["spec"], "group": 1}, r"Expected `str`, got `int` - at `\$\.group`", id="no text"),
        pytest.param({"group": "a.io"}, "missing required field `names`", id="no names"),
    ],
)
def test_what_is_no_crd_says_what_is_missing(spec: Any, message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        Definition.read(spec)
