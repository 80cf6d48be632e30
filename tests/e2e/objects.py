"""What the tests write: custom objects without a namespace of their own, and statuses that are too long."""

from __future__ import annotations

from typing import Any

from tests.controlplane.objects import GADGETS, NOSUBS, WIDGETS, sample
from tests.controlplane.resources import Resource

Json = dict[str, Any]

KINDS = {GADGETS.plural: "Gadget", WIDGETS.plural: "Widget", NOSUBS.plural: "Nosub"}
SPEC = {"size": 1}
SENT = 30  # items that a controller writes
KEPT = 10  # items that the policies of ``policies`` keep
LONGEST = 1024  # bytes of a message that they keep


def made(resource: Resource, name: str, *, status: Json | None = None) -> Json:
    """Return one object of the kind, to be created; its namespace is the URL's.

    It has a spec: the API server tracks no Update manager of an object that was created without any field.
    """
    return {**sample(KINDS[resource.plural], name, spec=dict(SPEC), status=status), "metadata": {"name": name}}


def said(resource: Resource, name: str, status: Json) -> Json:
    """Return what an applier says who owns nothing but the status."""
    return {**sample(KINDS[resource.plural], name, status=status), "metadata": {"name": name}}


def instant(number: int) -> str:
    """Return the ``number``-th minute of a day."""
    return f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"


def conditions(count: int = SENT, *, first: int = 0, types: int = 5, message: str = "all is well") -> list[Json]:
    """Return conditions from old to new, which share a few types as an append-only controller makes them."""
    return [
        {
            "type": f"T{number % types}",
            "status": "True",
            "reason": "Observed",
            "message": message,
            "lastTransitionTime": instant(number),
        }
        for number in range(first, first + count)
    ]


def history(count: int = SENT, *, first: int = 0) -> list[Json]:
    """Return entries with an ``id`` of their own, from old to new."""
    return [{"id": f"e{number}", "phase": "Done", "time": instant(number)} for number in range(first, first + count)]


def attempts(count: int = SENT, *, first: int = 0) -> list[Json]:
    """Return entries with an ``id`` of their own, from old to new, all of them of a year long gone."""
    return [{**one, "time": one["time"].replace("2026", "2020")} for one in history(count, first=first)]


def executors(count: int = SENT, *, first: int = 0) -> Json:
    """Return a map with one entry for every executor that ever ran, by its number."""
    return {f"exec-{number}": {"phase": "Done"} for number in range(first, first + count)}


def keyed_conditions(count: int = SENT, *, first: int = 0) -> list[Json]:
    """Return conditions with a type of their own each."""
    return conditions(count, first=first, types=10**6)
