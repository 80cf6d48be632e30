"""The check of ``managedFields``: every way in which a patch could do more to them than prune and give back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from admission.engine.custody import custody_fault
from admission.engine.document import Document
from admission.engine.values import opened
from tests.engine.build import Json, at, custom_resource, entry, go, raw, write

FULL, SHORT = [{"id": n, "m": "x" * 60} for n in range(3)], [{"id": 2, "m": "x" * 60}]
BEFORE: Json = {"f:status": {"f:history": {}, "f:message": {}}}
A = entry("argocd", BEFORE, "Apply")
BEREAVED = A | {"fieldsV1": {"f:status": {"f:message": {}}}}
V = entry("v", {"f:status": {"f:phase": {}}}, time=at(1))
U = entry("u", {"f:status": {"f:history": {}, "f:x": {}}}, time=at(5))
LEFT = U | {"fieldsV1": {"f:status": {"f:x": {}}}}
STORED: Json = {"history": SHORT, "message": "m", "phase": "p"}
STATUS: Json = {"history": SHORT, "message": "m", "phase": "p", "x": 1}


def fault(managed: Json, sent: Json = None, status: Json = None) -> str | None:
    """What the check says of managers after a write of ``u`` that took the history from the applier."""
    attributes = write(
        custom_resource(STATUS | {"history": FULL}, managed=sent or [BEREAVED, V, U]),
        custom_resource(STORED, managed=[A, V]),
    )
    members = opened(raw(go(custom_resource(status or STATUS, managed=managed))))
    assert isinstance(members, dict)
    return custody_fault(Document.of(attributes), members)


@pytest.mark.parametrize(
    "managed",
    [
        pytest.param([A, V, LEFT], id="the applier has it back"),
        pytest.param([BEREAVED, V, U], id="nothing is done"),
        pytest.param([V, A, LEFT], id="in another order"),
    ],
)
def test_what_the_api_server_would_have_said_is_right(managed: list[Json]) -> None:
    assert fault(managed) is None


def test_an_entry_that_was_dropped_may_come_back_with_what_is_still_there() -> None:
    assert fault([A | {"fieldsV1": {"f:status": {"f:history": {}}}}, V, LEFT], [V, U]) is None


def test_all_managers_may_be_the_stored_ones_where_the_status_is() -> None:
    assert fault([A, V], status=STORED) is None
    assert fault([A, V]) == "'u' lost f:status/f:x"


def test_what_is_gone_may_be_owned_by_nobody() -> None:
    gone = {name: value for name, value in STATUS.items() if name != "x"}
    assert fault([A, V], status=gone) is None


@pytest.mark.parametrize(
    ("managed", "wrong"),
    [
        pytest.param([BEREAVED, V, LEFT], "'u' lost f:status/f:history", id="taken and given to nobody"),
        pytest.param([A, V, U | {"fieldsV1": {"f:status": {"f:history": {}}}}], "'u' lost f:status/f:x", id="too much"),
        pytest.param([A, V], "'u' lost f:status/f:x", id="a whole entry"),
        pytest.param([V, LEFT], "'argocd' lost f:status/f:message", id="an applier's"),
        pytest.param([A, V | {"fieldsV1": BEFORE}, LEFT], "'v' lost f:status/f:phase", id="given to somebody else"),
        pytest.param(
            [A | {"fieldsV1": {"f:status": {**BEFORE["f:status"], "f:phase": {}}}}, V, LEFT],
            "'argocd' gained f:status/f:phase",
            id="more than it had",
        ),
        pytest.param(
            [A | {"fieldsV1": {"f:status": {}}}, V, LEFT], "'argocd' gained f:status", id="a leaf around what it had"
        ),
        pytest.param([A | {"time": at(9)}, V, LEFT], "the entry of 'argocd' is another one", id="another time"),
        pytest.param([A, V, LEFT, entry("new", {})], "the entry of 'new' is another one", id="made up"),
        pytest.param([], "nobody owns anything any more", id="all of them"),
        pytest.param("none", "nobody owns anything any more", id="unreadable"),
    ],
)
def test_anything_else_is_wrong(managed: Json, wrong: str) -> None:
    assert fault(managed) == wrong


@pytest.mark.parametrize(
    "bend", [lambda s: s | {"history": FULL}, lambda s: s | {"history": []}], ids=["whole", "else"]
)
def test_what_is_not_what_was_stored_does_not_go_back(bend: Callable[[Json], Json]) -> None:
    assert fault([A, V, LEFT], status=bend(STATUS)) == "'argocd' gained f:status/f:history"
