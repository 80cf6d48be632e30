"""What steps may change."""

from __future__ import annotations

import pytest

from admission.engine.licence import Evicting, Fitting, Leaving, Licence, Restoring
from admission.engine.pin import KeepWhere, Pinning
from admission.engine.values import Trail
from tests.engine.build import (
    NOW,
    budget,
    cap_conditions,
    cap_list,
    cap_map,
    dedupe,
    drop,
    expire,
    fit_schema,
    go,
    path,
    pin,
    policy,
    raw,
    requirements,
    restore_times,
    truncate,
)


def test_a_policy_may_what_its_steps_may() -> None:
    steps = (
        cap_conditions(1, keep=["A"]),
        cap_list(1),
        cap_list(1, last=1),
        dedupe("Last", ["k"], position="First"),
        cap_map(1, where=["m Exists"]),
        expire("1h", newest=2, pins=[pin("m Exists")]),
        truncate(40),
    )
    others = (budget(1, drop("status.extra"), restore_times("status.mine")), fit_schema(), fit_schema("status.x"))
    assert policy(*steps, *others).licence == Licence(
        shrinking=(path("status.conditions"), *[path("status.history")] * 4),
        pinning=(
            Pinning(path("status.history"), last=1),
            Pinning(path("status.history"), where=(pin("m Exists"), KeepWhere((), 2))),
        ),
        evicting=(Evicting(path("status.nodes"), requirements(["m Exists"])),),
        reordering=(path("status.history"),),
        cutting=(path("status.message"),),
        dropping=(path("status.extra"),),
        restoring=(Restoring(path("status.mine"), (path("type"),), ("lastTransitionTime",)),),
        conditions=(path("status.conditions"), path("status.mine")),
        leaving=(Leaving(path("status.conditions"), ("A",)),),
        fitting=(Fitting(), Fitting((path("status.x"),))),
    )


@pytest.mark.parametrize(
    ("trail", "protected"),
    [
        (("status", "conditions", 0, "reason"), True),
        (("status", "conditions", 0, "type"), True),
        (("status", "conditions", 0, "status"), True),
        (("status", "conditions", 0, "observedGeneration"), True),
        (("status", "conditions", 0, "message"), False),
        (("status", "conditions", 0, "details", "reason"), False),
        (("status", "nodeConditions", "n1", 0, "reason"), True),
        (("status", "mine", 0, "reason"), True),
        (("status", "history", 0, "reason"), False),
        (("status", "reason"), False),
        (("status",), False),
    ],
)
def test_protects_what_machines_read_in_a_condition(trail: Trail, protected: bool) -> None:
    licence = Licence(cutting=(path("status.*"),), conditions=(path("status.mine"),))
    assert licence.protects(trail) is protected
    assert not (licence.cuts(trail) and protected)


def test_what_is_fitted_to_the_schema_is_what_paths_name_or_everything() -> None:
    message, reason = ("status", "conditions", 0, "message"), ("status", "conditions", 0, "reason")
    for step in (fit_schema(), fit_schema("status.conditions[*].*")):
        assert step.licence.fits(message)
        assert not step.licence.fits(reason)
    assert fit_schema().licence.fits(("status", "history"))
    assert not fit_schema("status.message").licence.fits(("status", "history"))
    assert not cap_list(1).licence.fits(("status", "history"))


def test_a_step_with_types_to_keep_lets_the_others_leave() -> None:
    licence = cap_conditions(1, "status.*.conditions", keep=["A"]).licence
    assert licence.may_leave(("status", "x", "conditions"), "B")
    assert not licence.may_leave(("status", "x", "conditions"), "A")
    assert not licence.may_leave(("status", "conditions"), "B")
    assert not cap_conditions(1).licence.may_leave(("status", "conditions"), "B")
    assert not cap_conditions(1, keep=["A"], type_field="phase").licence.may_leave(("status", "conditions"), "B")


def test_wildcards_and_slices_cover_any_position() -> None:
    licence = Licence(shrinking=(path("status.l[1:].*.m"),), reordering=(path("status.l[*]"),))
    assert licence.shrinks(("status", "l", 0, "x", "m"))
    assert not licence.shrinks(("status", "l", "0", "x", "m"))
    assert licence.reorders(("status", "l", 7))
    assert not licence.reorders(("status", "l"))


@pytest.mark.parametrize(
    ("trail", "a_list", "drops"),
    [
        (("status", "extra"), False, True),
        (("status", "extra"), True, True),
        (("status", "conditions"), True, False),
        (("status", "conditions"), False, True),
        (("status", "mine"), True, False),
        (("status", "nodeConditions"), False, True),
        (("status", "nodeConditions", "n1"), True, False),
        (("status", "mine", 0, "message"), False, True),
        (("status", "mine", 0, "reason"), False, False),
        (("status", "mine", 0), False, False),
        (("spec", "extra"), False, False),
    ],
)
def test_drops_fields_but_no_list_of_conditions_and_nothing_that_machines_read(
    trail: Trail, a_list: bool, drops: bool
) -> None:
    dropping = tuple(map(path, ("status.*", "status.mine[*].*", "status.nodeConditions.*")))
    licence = Licence(dropping=dropping, conditions=(path("status.mine"),))
    assert licence.drops(trail, a_list=a_list) is drops


@pytest.mark.parametrize(
    ("trail", "restores"),
    [
        (("status", "mine", 0, "lastTransitionTime"), True),
        (("status", "mine", 0, "transitionID"), False),
        (("status", "mine", 0, "a", "lastTransitionTime"), False),
        (("status", "mine", "x", "lastTransitionTime"), False),
        (("status", "mine", 0, "status"), False),
        (("status", "lastTransitionTime"), False),
        (("lastTransitionTime",), False),
    ],
)
def test_restores_the_fields_of_items_but_nothing_that_machines_read(trail: Trail, restores: bool) -> None:
    licence = restore_times("status.mine", fields=["lastTransitionTime", "status"]).licence
    assert list(licence.restores(trail)) == ([*licence.restoring] if restores else [])


@pytest.mark.parametrize(
    ("trail", "entry", "may"),
    [
        (("status", "nodes", "a"), "DONE", True),
        (("status", "nodes", "a"), "RUNNING", False),
        (("status", "nodes", "a"), None, False),
        (("status", "others", "a"), "DONE", False),
        (("status", "nodes"), "DONE", False),
        (("status", "nodes", "a", "b"), "DONE", False),
        (("status", "conditions", 0, "message"), "DONE", True),
        (("status", "conditions", 0, "reason"), "DONE", False),
    ],
)
def test_entries_that_meet_all_requirements_may_go(trail: Trail, entry: str | None, may: bool) -> None:
    steps = (cap_map(1, where=[". In DONE"]), cap_map(1, at="status.conditions[*]"))
    licence, value = policy(*steps).licence, raw(go(entry))
    taken = any(one.takes(value, NOW) for one in licence.evictions(trail[:-1]))
    assert (taken and not licence.spares(trail, value)) is may


def test_a_list_of_conditions_is_spared() -> None:
    licence = Licence()
    assert licence.spares(("status", "x", "conditions"), raw("[]"))
    assert not licence.spares(("status", "x", "conditions"), raw("{}"))
    assert not licence.spares(("status", "x", "history"), raw("[]"))
    declared = policy(cap_map(1), cap_conditions(1, "status.nodes.*")).licence
    assert declared.spares(("status", "nodes", "a"), [])
