"""Of a policy with mistakes everything else is read, so that one mistake does not hide another."""

from typing import Any

import pytest

from admission.policyfile.draft import Draft
from admission.policyfile.lines import Lines
from tests.policyfile.sample import GONE, VALID, bent

CAP = VALID["spec"]["trim"][0]


def draft(data: Any) -> Draft:
    return Draft.of(data, Lines(7), "p.yaml")


def test_what_is_right_is_read_by_its_place() -> None:
    requirement = {"field": "status.phase", "operator": "Exists"}
    pin = {"all": [{"field": "state", "operator": "Exists"}]}
    bends = (
        ("spec.match.when", [requirement]),
        ("spec.trim.0.when", [requirement]),
        ("spec.trim.0.capList.keepWhere", [pin]),
    )
    read = draft(bent(*bends))
    assert list(read.rules) == [("spec", "match", "resources", 0)]
    assert {loc: str(asked) for loc, asked in read.asked.items()} == {
        ("spec", "match", "when", 0): "status.phase",
        ("spec", "trim", 0, "when", 0): "status.phase",
        ("spec", "trim", 0, "capList", "keepWhere", 0, "all", 0): "status.history[*].state",
    }
    assert [entry.kind for entry in read.entries.values()] == ["capList"]
    assert (read.name, read.source, read.problems) == ("widget-history", "p.yaml:7", [])


def test_what_is_asked_of_the_entries_of_a_map_is_read_from_the_object_on() -> None:
    asked = [{"field": "state", "operator": "Exists"}, {"field": ".", "operator": "Exists"}, {"field": "x"}]
    read = draft(bent(("spec.trim", [{"capMap": {"path": "status.nodes", "max": 1, "evictWhere": asked}}])))
    assert {loc[-1]: str(found) for loc, found in read.asked.items()} == {
        0: "status.nodes.*.state",
        1: "status.nodes.*",
    }


def test_a_wrong_item_does_not_hide_its_neighbours() -> None:
    wrong = {"apiGroups": ["*"], "resources": ["widgets/status"]}
    read = draft(bent(("spec.match.resources", [wrong, *VALID["spec"]["match"]["resources"]])))
    assert list(read.rules) == [("spec", "match", "resources", 1)]
    assert list(draft(bent(("spec.trim", [{"capLits": {}}, CAP]))).entries) == [("spec", "trim", 1)]


def test_the_path_of_a_step_with_another_mistake_is_read() -> None:
    read = draft(bent(("spec.trim.0.capList.max", -1)))
    assert read.entries == {}
    assert {loc: str(path) for loc, path in read.paths.items()} == {
        ("spec", "trim", 0, "capList", "path"): "status.history"
    }


def test_what_a_budget_holds_has_its_places_and_the_budget_is_none_of_them() -> None:
    inner = [{"capLits": {}}, {"when": [ASKED], **CAP}]
    read = draft(bent(("spec.trim", [{"budget": {"maxBytes": "no size", "steps": inner}}, CAP])))
    inside = ("spec", "trim", 0, "budget", "steps", 1)
    assert list(read.entries) == [inside, ("spec", "trim", 1)]
    assert list(read.paths) == [(*inside, "capList", "path"), ("spec", "trim", 1, "capList", "path")]
    assert list(read.asked) == [(*inside, "when", 0)]


ASKED = {"field": "status.phase", "operator": "Exists"}


def test_every_path_of_a_step_has_its_place() -> None:
    step = {"truncate": {"paths": ["status.a", "status[", "status.b"], "maxBytes": 10}}
    at = ("spec", "trim", 0, "truncate", "paths")
    assert list(draft(bent(("spec.trim", [step]))).paths) == [(*at, 0), (*at, 2)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(None, id="nothing"),
        pytest.param([VALID], id="a list"),
        pytest.param(bent(("spec", "text")), id="no map where one should be"),
        pytest.param(bent(("spec.trim", {"capList": {}}), ("spec.match.resources", None)), id="no list either"),
    ],
)
def test_what_is_no_policy_at_all_has_nothing_to_read(data: Any) -> None:
    read = draft(data)
    assert (read.rules, read.asked, read.entries, read.paths) == ({}, {}, {}, {})


@pytest.mark.parametrize(("name", "read"), [("w", "w"), (5, None), (GONE, None)], ids=["text", "a number", "none"])
def test_only_a_text_is_a_name(name: Any, read: str | None) -> None:
    assert draft(bent(("metadata.name", name))).name == read


@pytest.mark.parametrize(("mode", "off"), [("Off", True), ("Enforce", False), ("off", False), (None, False)])
def test_only_off_is_off(mode: Any, off: bool) -> None:
    assert draft(bent(("spec.mode", mode))).is_off is off


def test_a_problem_is_told_with_its_place() -> None:
    read = draft(VALID)
    read.report(("spec", "trim", 0, "capList", "max"), "is too small")
    assert [str(problem) for problem in read.problems] == ["p.yaml:7: spec.trim[0].capList.max: is too small"]
