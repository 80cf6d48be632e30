"""Random writes: a create, or an update near or far from what is stored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from tests.engine.build import Json, at, custom_resource, go, raw, write
from tests.engine.fieldmanager import Stored
from tests.engine.strategies.beats import beaten, by_a_writer
from tests.engine.strategies.dice import Dice, happens, pick, several
from tests.engine.strategies.looseness import loosened
from tests.engine.strategies.managers import MANAGERS, managed_fields
from tests.engine.strategies.matches import LABELS, NAMES, NAMESPACES, USERS
from tests.engine.strategies.schemas import ROOTS
from tests.engine.strategies.values import conditions, record, status, text

Trimmed = Callable[[Attributes], Json]
"""What the API server would store after an answer."""


MEMBERS: dict[str, Callable[[Dice], Json]] = {
    "report": status,
    "results": lambda dice: several(dice, 7, record),
    "conditions": lambda dice: conditions(dice, 7),
}
NO_STATUS: Sequence[Json] = (None, [], "Running", 7)
"""What may stand where a status is expected."""


def an_object(dice: Dice, beside: Collection[str] = ()) -> Json:
    """A custom resource, with some members that policies trim, those ``beside`` its status mostly."""
    roots = {"status": status(dice) if not happens(dice, 4) else pick(dice, NO_STATUS)}
    roots |= {name: make(dice) for name, make in MEMBERS.items() if happens(dice, 90 if name in beside else 8)}
    if happens(dice, 2):
        del roots["status"]
    whole = custom_resource(None)
    whole |= roots
    metadata = whole["metadata"]
    managed = managed_fields(dice, roots)
    if managed is not None:
        metadata["managedFields"] = managed
    if happens(dice, 40):
        metadata["labels"] = pick(dice, LABELS)
    if happens(dice, 3):
        metadata["deletionTimestamp"] = at(5)
    return whole


def moved_on(dice: Dice, value: Json) -> Json:
    """A value in which a controller has set some times anew, and now and then something else."""
    match value:
        case dict():
            return {name: _moved_member(dice, name, inner) for name, inner in value.items()}
        case list():
            return [moved_on(dice, item) for item in value if not happens(dice, 3)]
        case _:
            return value


def _moved_member(dice: Dice, name: str, value: Json) -> Json:
    if name in ("lastTransitionTime", "lastUpdateTime", "transitionID") and happens(dice, 60):
        return pick(dice, (at(20), at(21), at(22), "2026-01-01T00:21:00.5Z", None, "e"))
    return text(dice) if isinstance(value, str) and happens(dice, 2) else moved_on(dice, value)


def facts(dice: Dice, main: int) -> dict[str, Any]:
    """What a request tells beside its objects; so many percent are writes of the main resource."""
    return {
        "subresource": "" if happens(dice, main) else "status",
        "name": pick(dice, NAMES) if happens(dice, 15) else "train",
        "namespace": pick(dice, NAMESPACES) if happens(dice, 15) else "research",
        "user": pick(dice, USERS),
        "field_manager": pick(dice, (None, None, "", *MANAGERS)),
        "request_dry_run": happens(dice, 10),
        "version": "v1" if happens(dice, 5) else "v1alpha1",
    }


def a_write(dice: Dice, trim: Trimmed, beside: Collection[str] = (), heartbeats: int = 8) -> Attributes:
    """A create or an update; often the stored object is what the submitted one is trimmed to, or nearly so.

    So many percent are ``heartbeats``.
    """
    submitted, told = an_object(dice, beside), facts(dice, 75 if beside else 15)
    if isinstance(submitted.get("status"), dict) and happens(dice, 24):
        return _repeated(dice, submitted, trim, told)
    if happens(dice, heartbeats):
        return _beating(dice, submitted, trim, told)
    stored = _stored(dice, submitted, beside, lambda: trim(write(submitted, **told)))
    written = write(submitted, stored, **told)
    if written.stored is not None and happens(dice, 50):
        later = {name: moved_on(dice, value) if name in ROOTS else value for name, value in submitted.items()}
        written = bent(written, submitted=raw(go(later)))
    if written.stored is None and happens(dice, 20):
        written = bent(written, operation="UPDATE")
    return loosened(dice, written) if happens(dice, 15) else written


def _repeated(dice: Dice, whole: Json, trim: Trimmed, told: dict[str, Any]) -> Attributes:
    """Somebody updates what an applier says to its very words, untrimmed, and mostly says something new beside."""
    about = told | {"version": "v1alpha1"}
    words = {name: value for name, value in whole["status"].items() if happens(dice, 25)}
    if happens(dice, 50):
        left = trim(write(whole, **about)).get("status") or {}
        words = {name: value for name, value in whole["status"].items() if left.get(name, value) != value} or words
    rest = {name: value for name, value in whole["status"].items() if name not in words}
    said = Stored().updated(rest, "kubelet", at(1)).applied(words, "argocd", at(1))
    if happens(dice, 20):
        said = said.applied(words, "flux", at(2))
    stored = trim(write(_managed(whole, said), **about))
    kept = Stored.of(stored)
    if happens(dice, 40):
        kept = kept.updated((kept.status or {}) | {"known": 1}, "controller", at(3))
        stored = _managed(stored, kept)
    news = {"news": pick(dice, (1, "x", [1]))} if happens(dice, 80) else {}
    repeated = whole["status"] if happens(dice, 40) else words
    later = {name: moved_on(dice, value) if happens(dice, 20) else value for name, value in repeated.items()}
    if happens(dice, 10):
        sent = kept.applied(later | news, "kubectl", at(9), force=True)
    else:
        sent = kept.updated((kept.status or {}) | later | news, "controller", at(9))
    return write(_managed(whole, sent), stored, **about)


def _beating(dice: Dice, whole: Json, trim: Trimmed, told: dict[str, Any]) -> Attributes:
    """Somebody sends again what is stored, with some leaves moved."""
    percent = pick(dice, (3, 10, 40))
    if isinstance(whole.get("status"), dict) and happens(dice, 40):
        return _by_its_owner(dice, whole, trim, told, percent)
    stored = trim(write(whole, **told))
    sent = {name: beaten(dice, value, percent) if name in ROOTS else value for name, value in stored.items()}
    written = write(by_a_writer(dice, stored, sent, told), stored, **told)
    return loosened(dice, written) if happens(dice, 15) else written


def _by_its_owner(dice: Dice, whole: Json, trim: Trimmed, told: dict[str, Any], percent: int) -> Attributes:
    """One of two writers who share a status writes again, and the managers are what the API server makes of it."""
    about = told | {"version": "v1alpha1"}
    mine = {name: value for name, value in whole["status"].items() if happens(dice, 60)}
    rest = {name: value for name, value in whole["status"].items() if name not in mine}
    said = Stored().updated(rest, "kubelet", at(1))
    is_applied = happens(dice, 40)
    said = said.applied(mine, "controller", at(2)) if is_applied else said.updated(rest | mine, "controller", at(2))
    stored = trim(write(_managed(whole, said), **about))
    kept = Stored.of(stored)
    news = {"phase": "News"} if happens(dice, 5) else {}
    moved = {name: beaten(dice, value, percent) for name, value in (kept.status or {}).items() if name in mine} | news
    if is_applied:
        sent = kept.applied(moved, "controller", at(720), force=True)
    else:
        sent = kept.updated((kept.status or {}) | moved, "controller", at(720))
    about["field_manager"] = pick(dice, ("controller", "controller", None))
    return write(_managed(stored, sent), stored, **about)


def _managed(whole: Json, owned: Stored) -> Json:
    metadata = whole["metadata"] | {"managedFields": owned.managers}
    return whole | {"metadata": metadata, "status": owned.status}


def _stored(dice: Dice, submitted: Json, beside: Collection[str], trimmed: Callable[[], Json]) -> Json:
    match dice.number(0, 9):
        case 0:
            return None
        case 1:
            return an_object(dice, beside)
        case 2 | 3:
            return submitted
        case kind:
            stored = trimmed()
            if kind == 9:
                stored["metadata"]["managedFields"] = managed_fields(dice, {"status": stored.get("status")}) or []
            elif happens(dice, 50):
                for one in stored["metadata"].get("managedFields") or []:
                    if isinstance(one, dict):
                        one["time"] = at(30)
            return stored
