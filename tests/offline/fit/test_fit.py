"""Policies held against CRDs: where every need is said, and where it is only noted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from admission.crd.catalogue import NOTHING, Catalogue
from admission.crd.definition import Definition
from admission.offline.fit import fit
from admission.policyfile.loader import read_policies
from admission.policyfile.notes import Read
from admission.policyfile.presets import preset_names
from tests.crd.sample import STATUS, crd, version
from tests.offline.fit.holding import held, note, policy, problem, rule
from tests.offline.samples import bent

V1 = "widgets.example.com (v1)"
PINS = [{"all": [{"field": "log", "operator": "Exists"}]}]


@pytest.mark.parametrize(
    "step",
    [
        {"capConditions": {"max": 5}},
        {"capList": {"path": "status.history", "max": 5, "order": {"by": "at", "as": "Time"}, "keepWhere": PINS}},
        {"dedupe": {"path": "status.history", "keys": ["id"], "keep": "Last"}},
        {"truncate": {"paths": ["status.conditions[*].message", "status.nodes.*.message"], "maxBytes": 200}},
        {"truncate": {"paths": ["status.port"], "maxBytes": 200}},
        {"drop": {"paths": ["status.message", "status.history[*].log", "status.nodes"]}},
        {"restoreTimes": {}},
        {"capMap": {"path": "status.nodes", "max": 5, "order": {"by": "message", "as": "Natural"}}},
        {"expire": {"path": "status.history", "olderThan": "1h", "timeFields": ["at"], "keepNewest": 3}},
    ],
    ids=lambda step: next(iter(step)),
)
def test_what_fits_has_nothing_to_say(tmp_path: Path, step: dict[str, Any]) -> None:
    assert held(tmp_path, policy(step)) == ([], [])


@pytest.mark.parametrize(
    ("step", "told"),
    [
        pytest.param(
            {"capConditions": {"path": "status.conditons", "max": 5}},
            f"capConditions.path: status.conditons is not in the schema of {V1}; did you mean status.conditions?",
            id="an unknown path",
        ),
        pytest.param(
            {"capList": {"path": "status.phase", "max": 5, "order": "NewestLast"}},
            f"capList.path: status.phase is a text in {V1}; capList needs a list",
            id="a list step on a text",
        ),
        pytest.param(
            {"dedupe": {"path": "status.nodes", "keys": ["a"], "keep": "Last"}},
            f"dedupe.path: status.nodes is a map in {V1}; dedupe needs a list",
            id="a list step on a map",
        ),
        pytest.param(
            {"expire": {"path": "status.nodes", "olderThan": "1h"}},
            f"expire.path: status.nodes is a map in {V1}; expire needs a list",
            id="what expires is no list",
        ),
        pytest.param(
            {"capMap": {"path": "status.history", "max": 5}},
            f"capMap.path: status.history is a list in {V1}; capMap needs a map",
            id="a map step on a list",
        ),
        pytest.param(
            {"capMap": {"path": "status.history[*]", "max": 5}},
            f"capMap.path: status.history[*] is an object with named fields in {V1}; capMap needs a map",
            id="a map step on an object",
        ),
        pytest.param(
            {"capMap": {"path": "status.nodes", "max": 5, "evictWhere": [{"field": "phase", "operator": "Exists"}]}},
            f"capMap.evictWhere[0].field: status.nodes.*.phase is not in the schema of {V1}; its fields are message",
            id="what an entry must have to go",
        ),
        pytest.param(
            {"fitSchema": {"paths": ["status.replicas"]}},
            f"fitSchema.paths[0]: status.replicas is a number in {V1}; fitSchema needs a list or a text",
            id="what has no length",
        ),
        pytest.param(
            {
                "budget": {
                    "maxBytes": "1Mi",
                    "steps": [{"drop": {"paths": ["status.message"]}}, {"drop": {"paths": ["status.mesage"]}}],
                }
            },
            f"budget.steps[1].drop.paths[0]: status.mesage is not in the schema of {V1}; did you mean status.message?",
            id="a step of a budget",
        ),
        pytest.param(
            {"truncate": {"paths": ["status.phase", "status.replicas"], "maxBytes": 100}},
            f"truncate.paths[1]: status.replicas is a number in {V1}; truncate needs a text",
            id="a cut of a number",
        ),
        pytest.param(
            {"truncate": {"paths": ["status.history"], "maxBytes": 100}},
            f"truncate.paths[0]: status.history is a list in {V1}; truncate needs a text",
            id="a cut of a list",
        ),
        pytest.param(
            {"capConditions": {"max": 5, "typeField": "kind"}},
            f"capConditions.typeField: status.conditions[*].kind is not in the schema of {V1}; its fields are "
            "lastTransitionTime, message, reason, status, type",
            id="a type field",
        ),
        pytest.param(
            {"capConditions": {"max": 5, "timeFields": ["at", "on"]}},
            f"capConditions.timeFields: status.conditions[*].at is not in the schema of {V1}; its fields are "
            "lastTransitionTime, message, reason, status, type",
            id="time fields of which there is none",
        ),
        pytest.param(
            {"capList": {"path": "status.history", "max": 5, "order": {"by": "att", "as": "Time"}}},
            f"capList.order.by: status.history[*].att is not in the schema of {V1}; did you mean status.history[*].at?",
            id="an order",
        ),
        pytest.param(
            {
                "capList": {
                    "path": "status.history",
                    "max": 5,
                    "order": "NewestLast",
                    "keepWhere": [{"all": [{"field": "logs", "operator": "Exists"}]}],
                }
            },
            f"capList.keepWhere[0].all[0].field: status.history[*].logs is not in the schema of {V1}; "
            "did you mean status.history[*].log?",
            id="a pin",
        ),
        pytest.param(
            {"dedupe": {"path": "status.history", "keys": ["id", "kind"], "keep": "Last"}},
            f"dedupe.keys[1]: status.history[*].kind is not in the schema of {V1}; its fields are at, id, log",
            id="a key",
        ),
        pytest.param(
            {"dedupe": {"path": "status.history", "ignoring": ["time"], "keep": "Last"}},
            f"dedupe.ignoring[0]: status.history[*].time is not in the schema of {V1}; its fields are at, id, log",
            id="a field that is ignored",
        ),
        pytest.param(
            {"restoreTimes": {"fields": ["lastTransitonTime"]}},
            f"restoreTimes.fields[0]: status.conditions[*].lastTransitonTime is not in the schema of {V1}; "
            "did you mean status.conditions[*].lastTransitionTime?",
            id="a time to put back",
        ),
        pytest.param(
            {"restoreTimes": {"unless": ["status", "severity"]}},
            f"restoreTimes.unless[1]: status.conditions[*].severity is not in the schema of {V1}; its fields are "
            "lastTransitionTime, message, reason, status, type",
            id="a field that is compared",
        ),
        pytest.param(
            {"truncate": {"paths": ["status.conditions.message"], "maxBytes": 100}},
            f"truncate.paths[0]: status.conditions is a list in {V1}; write status.conditions[*].message",
            id="a list without its items",
        ),
    ],
)
def test_a_step_that_does_not_fit_is_a_problem(tmp_path: Path, step: dict[str, Any], told: str) -> None:
    assert problem(tmp_path, policy(step)) == f"spec.trim[0].{told}"


def test_one_known_time_field_is_enough(tmp_path: Path) -> None:
    step = {"capConditions": {"max": 5, "timeFields": ["at", "lastTransitionTime"]}}
    assert held(tmp_path, policy(step)) == ([], [])


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        pytest.param(
            {"limits": [{"path": "status.phase", "maxItems": 5, "action": "Warn"}]},
            f"spec.limits[0].path: status.phase is a text in {V1}; maxItems needs a list",
            id="items of a text",
        ),
        pytest.param(
            {
                "limits": [
                    {"maxBytes": "1Ki", "action": "Warn"},
                    {"path": "status.tags", "maxLength": 5, "action": "Warn"},
                ]
            },
            f"spec.limits[1].path: status.tags is a list in {V1}; maxLength needs a text",
            id="characters of a list",
        ),
        pytest.param(
            {"match": {**rule("widgets/status"), "when": [{"field": "spec.sizes", "operator": "Exists"}]}},
            f"spec.match.when[0].field: spec.sizes is not in the schema of {V1}; did you mean spec.size?",
            id="a requirement on the object",
        ),
    ],
)
def test_what_a_policy_asks_besides_its_steps_is_checked(tmp_path: Path, spec: dict[str, Any], told: str) -> None:
    assert problem(tmp_path, policy({"capConditions": {"max": 5}}, **spec)) == told


@pytest.mark.parametrize(
    ("field", "found"),
    [("status.history", "status.history is a list"), ("status.replicas", "status.replicas is a number")],
)
def test_a_heartbeat_that_is_no_time_is_a_problem(tmp_path: Path, field: str, found: str) -> None:
    rule = {"fields": [field], "maxStaleness": "1m"}
    told = f"{found} in {V1}; suppress needs a time, or within (a number) or anyValue"
    assert problem(tmp_path, policy(suppress=[rule])) == f"spec.suppress[0].fields[0]: {told}"


def test_a_number_that_is_no_number_is_a_problem(tmp_path: Path) -> None:
    rule = {"fields": ["status.history"], "maxStaleness": "1m", "within": {"percent": 5}}
    told = f"status.history is a list in {V1}; suppress needs a number or a text"
    assert problem(tmp_path, policy(suppress=[rule])) == f"spec.suppress[0].fields[0]: {told}"


def test_a_requirement_of_a_step_is_checked(tmp_path: Path) -> None:
    step = {"capConditions": {"max": 5}, "when": [{"field": "status.phse", "operator": "In", "values": ["Done"]}]}
    told = f"spec.trim[0].when[0].field: status.phse is not in the schema of {V1}; did you mean status.phase?"
    assert problem(tmp_path, policy(step)) == told


@pytest.mark.parametrize("field", ["metadata.labels['a']", "spec.size"])
def test_a_requirement_on_what_every_object_has_fits(tmp_path: Path, field: str) -> None:
    match = {**rule("widgets/status"), "when": [{"field": field, "operator": "Exists"}]}
    assert held(tmp_path, policy({"capConditions": {"max": 5}}, match=match)) == ([], [])


# --- where it is only noted ---


def test_what_keeps_unknown_fields_is_said_and_not_refused(tmp_path: Path) -> None:
    step = {"truncate": {"paths": ["status.raw.log"], "maxBytes": 100}}
    told = f"status.raw may hold anything in {V1}, so status.raw.log is not checked"
    assert note(tmp_path, policy(step)) == f"spec.trim[0].truncate.paths[0]: {told}"


HISTORY = {"truncate": {"paths": ["status.history[*].log"], "maxBytes": 100}}
BARE = bent(STATUS, "properties", to={"conditions": STATUS["properties"]["conditions"]})
GADGETS = crd(version(status=BARE), plural="gadgets", kind="Gadget")


def test_a_path_that_only_some_versions_have_is_a_note(tmp_path: Path) -> None:
    widgets = crd(version("v1"), version("v1beta1", status=BARE))
    told = "status.history is not in the schema of widgets.example.com (v1beta1); its fields are conditions"
    assert note(tmp_path, policy(HISTORY), widgets) == f"spec.trim[0].truncate.paths[0]: {told}"


def test_a_path_that_only_some_of_the_kinds_have_that_a_policy_names_is_a_note(tmp_path: Path) -> None:
    document = policy(HISTORY, match=rule("widgets/status", "gadgets/status"))
    told = "status.history is not in the schema of gadgets.example.com (v1); its fields are conditions"
    assert note(tmp_path, document, crd(), GADGETS) == f"spec.trim[0].truncate.paths[0]: {told}"


def test_a_path_that_one_kind_of_a_wildcard_has_fits(tmp_path: Path) -> None:
    document = policy(HISTORY, match=rule("*/status"))
    assert held(tmp_path, document, crd(), GADGETS) == ([], [])


def test_a_path_that_no_kind_of_a_wildcard_has_is_a_problem(tmp_path: Path) -> None:
    document = policy(HISTORY, match=rule("*/status"))
    told = "status.history is not in the schema of gadgets.example.com (v1); its fields are conditions"
    assert problem(tmp_path, document, GADGETS) == f"spec.trim[0].truncate.paths[0]: {told}"


def test_a_path_that_may_be_in_one_kind_is_a_note_of_each(tmp_path: Path) -> None:
    open_kind = crd(version(status={"type": "object", "x-kubernetes-preserve-unknown-fields": True}), plural="opens")
    document = policy(HISTORY, match=rule("opens/status", "gadgets/status"))
    problems, notes = held(tmp_path, document, open_kind, GADGETS)
    assert problems == []
    place = "spec.trim[0].truncate.paths[0]"
    may_be = "status may hold anything in opens.example.com (v1), so status.history[*].log is not checked"
    is_not = "status.history is not in the schema of gadgets.example.com (v1); its fields are conditions"
    assert notes == [f"{place}: {may_be}", f"{place}: {is_not}"]


def test_no_crds_answer_nothing(tmp_path: Path) -> None:
    loaded = read_policies(["preset:volcano-job-conditions"])
    found = fit(loaded.read, NOTHING)
    assert found.problems == ()
    (told,) = found.notes
    assert told.message.startswith("no CRD of the group batch.volcano.sh is known")


def test_a_path_that_is_wrong_is_told_once_and_not_with_each_field_of_its_items(tmp_path: Path) -> None:
    step = {"dedupe": {"path": "status.histry", "keys": ["id"], "keep": "Newest", "timeFields": ["at"]}}
    told = f"status.histry is not in the schema of {V1}; did you mean status.history?"
    assert problem(tmp_path, policy(step)) == f"spec.trim[0].dedupe.path: {told}"
    open_step = {"dedupe": {**step["dedupe"], "path": "status.raw.history"}}
    told = f"status.raw may hold anything in {V1}, so status.raw.history is not checked"
    assert note(tmp_path, policy(open_step)) == f"spec.trim[0].dedupe.path: {told}"


def kinds_of(read: Read, **of_version: Any) -> Catalogue:
    """A kind for every resource that the rules of a policy name, in its form."""
    named = {
        (group, *resource.partition("/"))
        for rule in read.policy.match.resources
        for group in rule.groups
        for resource in rule.resources
    }
    return Catalogue(
        tuple(
            Definition.read(crd(version(subresource=bool(slash), **of_version), plural=plural, group=group)["spec"])
            for group, plural, slash, _ in named
        )
    )


@pytest.mark.parametrize("name", preset_names())
def test_every_policy_that_ships_fits_a_kind_that_holds_anything(name: str) -> None:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    for read in read_policies([f"preset:{name}"]).read:
        found = fit([read], kinds_of(read, status=anything))
        assert found.problems == ()
        assert all("may hold anything" in each.message for each in found.notes)


@pytest.mark.parametrize("name", preset_names())
def test_every_policy_that_ships_can_be_held_against_another_kind(name: str) -> None:
    for read in read_policies([f"preset:{name}"]).read:
        for told in fit([read], kinds_of(read)).problems:
            assert told.line > 0, "it stands in the file"
            assert told.path.startswith("spec.")
