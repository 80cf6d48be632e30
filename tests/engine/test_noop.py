"""Writes that change nothing."""

from __future__ import annotations

import pytest

from admission.engine.decision import Decision, Outcome
from admission.engine.document import Document
from admission.engine.noop import equals_stored, may_become_stored
from tests.engine.build import Json, at, cap_list, custom_resource, entry, judge, patched, plain, write

STATUS: Json = {"phase": "Running"}
OWNED = entry("controller", {"f:status": {"f:phase": {}}})


@pytest.mark.parametrize(
    ("sent", "stored", "equal"),
    [
        (STATUS, STATUS, True),
        (STATUS, {"phase": "Done"}, False),
        (STATUS, None, False),
        (None, STATUS, False),
        (None, None, True),
    ],
)
def test_the_roots_are_compared(sent: Json, stored: Json, equal: bool) -> None:
    assert equals_stored(Document.of(write(custom_resource(sent), custom_resource(stored)))) is equal


def test_members_in_another_order_are_equal() -> None:
    sent, stored = '{"status":{"a":1,"b":2}}', '{"status": {"b": 2, "a": 1}}'
    assert equals_stored(Document.of(write(sent, stored)))


def test_a_create_equals_nothing() -> None:
    assert not equals_stored(Document.of(write(custom_resource(STATUS))))


@pytest.mark.parametrize(
    ("managed", "subresource", "changes", "may"),
    [
        ([OWNED], "status", {}, True),
        ([OWNED], "status", {"spec": {}}, True),
        ([OWNED], "", {}, True),
        ([OWNED], "", {"spec": {}}, False),
        ([OWNED, entry("newcomer", {})], "status", {}, False),
    ],
)
def test_a_write_may_become_what_is_stored_when_nobody_loses_anything(
    managed: Json, subresource: str, changes: Json, may: bool
) -> None:
    sent = custom_resource(STATUS, managed=managed, **changes)
    attributes = write(sent, custom_resource(STATUS, managed=[OWNED]), subresource=subresource)
    assert may_become_stored(Document.of(attributes), attributes, {}) is may


# --- putting back who owns what --------------------------------------------------------------------------------------

THREE = [{"id": n, "m": "x" * 60} for n in range(3)]
STORED_STATUS: Json = {"history": THREE[2:]}
ATOMIC: Json = {"f:status": {"f:history": {}}}


def keyed(*ids: int) -> Json:
    """A ``fieldsV1`` that owns these items of the history."""
    return {"f:status": {"f:history": {".": {}} | {f'k:{{"id":{n}}}': {".": {}, "f:id": {}} for n in ids}}}


OWN = entry("controller", ATOMIC, time=at(1))


def suppressed(
    submitted: list[Json] | None, stored: list[Json] | None, writer: str | None = "controller"
) -> tuple[Json, Json, Decision]:
    before = custom_resource(STORED_STATUS, managed=stored)
    attributes = write(custom_resource({"history": THREE}, managed=submitted), before, field_manager=writer)
    decision = judge(cap_list(1), attributes)
    return plain(patched(attributes, decision)), before, decision


KUBECTL = entry("kubectl", {"f:spec": {"f:queue": {}}}, "Apply", subresource="", time=at(0))
OTHER = entry("other", {"f:status": {"f:phase": {}}}, time=at(0))


@pytest.mark.parametrize(
    ("submitted", "stored", "paths"),
    [
        pytest.param(None, None, [], id="none on both sides"),
        pytest.param([OWN], [OWN], [], id="the same"),
        pytest.param([OWN | {"time": at(2)}], [OWN], ["/0/time"], id="only a time"),
        pytest.param([KUBECTL, OWN | {"time": at(2)}], [KUBECTL, OWN], ["/1/time"], id="only the entry that differs"),
        pytest.param([OWN | {"fieldsV1": keyed(0, 1, 2)}], [OWN], ["/0"], id="the fields of an updater"),
        pytest.param([OWN, OTHER], [OTHER, OWN], ["/0", "/1"], id="another order"),
        pytest.param([OWN], [OWN, OTHER], [""], id="an updater lost all it owned"),
        pytest.param(
            [OWN | {"time": at(2)}, KUBECTL], [OWN | {"time": None}, KUBECTL], ["/0"], id="a time that was not stored"
        ),
    ],
)
def test_restores_the_stored_managed_fields_in_the_fewest_bytes(
    submitted: list[Json] | None, stored: list[Json] | None, paths: list[str]
) -> None:
    submitted, stored = (
        None if side is None else [{k: v for k, v in one.items() if v is not None} for one in side]
        for side in (submitted, stored)
    )
    result, before, decision = suppressed(submitted, stored)
    assert decision.outcome is Outcome.SUPPRESSED
    restored = [op.path for op in decision.patch if op.path.startswith("/metadata")]
    assert restored == [f"/metadata/managedFields{path}" for path in paths]
    assert result == before


APPLIER = entry("argocd", {"f:status": {"f:phase": {}}}, "Apply", time=at(0))


@pytest.mark.parametrize(
    ("submitted", "stored"),
    [
        pytest.param([OWN, APPLIER], [OWN], id="an applier claims something for the first time"),
        pytest.param([OWN, OTHER], [OWN], id="so does an updater"),
        pytest.param(
            [OWN, APPLIER | {"fieldsV1": {"f:status": {"f:x": {}}}}],
            [OWN, APPLIER],
            id="an applier claims other fields",
        ),
        pytest.param([OWN | {"subresource": ""}], [OWN], id="another subresource"),
        pytest.param([OWN | {"apiVersion": "v2"}], [OWN], id="another version"),
        pytest.param(None, [OWN], id="none were sent"),
        pytest.param([OWN], None, id="none were stored"),
        pytest.param([{"manager": 7}], [OWN], id="what was sent cannot be read"),
    ],
)
def test_a_claim_that_would_be_lost_makes_the_write_real(
    submitted: list[Json] | None, stored: list[Json] | None
) -> None:
    result, before, decision = suppressed(submitted, stored)
    assert decision.outcome is Outcome.TRIMMED
    assert result["status"] == before["status"]
    assert result["metadata"].get("managedFields") == submitted


BEREAVED = APPLIER | {"fieldsV1": {"f:status": {"f:message": {}}}}
WHOLE = APPLIER | {"fieldsV1": {"f:status": {"f:message": {}, "f:history": {}}}}


@pytest.mark.parametrize(
    ("submitted", "stored"),
    [
        pytest.param([OWN, BEREAVED], [WHOLE], id="by a manager that is new"),
        pytest.param([OWN, BEREAVED], [OWN, WHOLE], id="by a manager that is known"),
        pytest.param([OWN], [WHOLE], id="all of it"),
    ],
)
def test_an_applier_gets_back_what_an_update_that_changes_nothing_took(
    submitted: list[Json], stored: list[Json]
) -> None:
    result, before, decision = suppressed(submitted, stored)
    assert decision.outcome is Outcome.SUPPRESSED
    assert result == before


@pytest.mark.parametrize("submitted", [[OWN, BEREAVED], [OWN]], ids=["in part", "altogether"])
def test_what_an_applier_gives_up_itself_stays_given_up(submitted: list[Json]) -> None:
    result, _, decision = suppressed(submitted, [OWN, WHOLE], writer="argocd")
    assert decision.outcome is Outcome.TRIMMED
    assert result["metadata"]["managedFields"] == submitted


def test_an_applier_whose_pruned_claim_is_the_stored_one_loses_nothing() -> None:
    applier = entry("argocd", keyed(0, 1, 2), "Apply", time=at(2))
    stored = entry("argocd", keyed(2), "Apply", time=at(1))
    result, before, decision = suppressed([applier], [stored])
    assert decision.outcome is Outcome.SUPPRESSED
    assert result == before


@pytest.mark.parametrize(
    "writer",
    [pytest.param("argocd", id="it writes itself"), pytest.param(None, id="nobody tells who writes")],
)
def test_an_applier_that_may_have_let_go_of_something_does_not_get_it_back(writer: str | None) -> None:
    result, _, decision = suppressed([OWN, BEREAVED], [OWN, WHOLE], writer)
    assert decision.outcome is Outcome.TRIMMED
    assert result["metadata"]["managedFields"] == [OWN, BEREAVED]
