"""The API server's field manager, small: who owns what after an update or an apply, and when an apply is a conflict.

A status is taken apart into its leaves, by the names of ``fieldsV1``; nothing of the engine is used. Lists of objects
that all have an ``id`` of their own are keyed by it, other lists are atomic. Real ones:
``sigs.k8s.io/structured-merge-diff/v6/merge`` (``Updater.Update``, ``Updater.Apply``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tests.engine.build import Json, custom_resource, entry, go

Way: TypeAlias = tuple[str, ...]
Leaves: TypeAlias = dict[Way, Json]
Who: TypeAlias = tuple[str, str]
ITSELF = object()
"""The value of an item of a keyed list, which is owned beside what is in it."""


class ConflictError(Exception):
    """An apply that says something else than another manager owns."""


# --- leaves ----------------------------------------------------------------------------------------------------------


def leaves(value: Json, way: Way = ()) -> Leaves:
    """A value by its leaves."""
    if isinstance(value, dict) and value:
        return {k: v for name, inner in value.items() for k, v in leaves(inner, (*way, f"f:{name}")).items()}
    if not _is_keyed(value):
        return {way: value}
    found: Leaves = {}
    for item in value:
        here = (*way, "k:" + go({"id": item["id"]}).decode())
        found |= {here: ITSELF} | leaves(item, here)
    return found


def _is_keyed(value: Json) -> bool:
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) and "id" in item for item in value):
        return False
    return len({go(item["id"]) for item in value}) == len(value)


def built(parts: Leaves) -> Json:
    """The value that has these leaves."""
    if () in parts and parts[()] is not ITSELF:
        return parts[()]
    groups: dict[str, Leaves] = {}
    for way, value in parts.items():
        if way:
            groups.setdefault(way[0], {})[way[1:]] = value
    if any(name.startswith("k:") for name in groups):
        return [built(group) for group in groups.values()]
    return {name[2:]: built(group) for name, group in groups.items()}


def _differing(old: Leaves, new: Leaves) -> tuple[set[Way], set[Way]]:
    """What was changed or added, and what was removed."""
    changed = {way for way in new if way not in old or _bytes(old[way]) != _bytes(new[way])}
    return changed, set(old) - set(new)


def _bytes(value: Json) -> bytes:
    return b"itself" if value is ITSELF else go(value)


# --- managers --------------------------------------------------------------------------------------------------------


def owned(fields: Json, way: Way = ()) -> set[Way]:
    """The leaves that a ``fieldsV1`` owns."""
    found = {way} if way and (not fields or "." in fields) else set()
    return found.union(*(owned(child, (*way, name)) for name, child in fields.items() if name != "."))


def fields_of(ways: set[Way]) -> Json:
    """The ``fieldsV1`` that owns these leaves."""
    tree: Json = {}
    for way in sorted(ways):
        node = tree
        for depth, name in enumerate(way):
            if way[:depth] in ways:
                node["."] = {}
            node = node.setdefault(name, {})
    return tree


class Stored:
    """One object in etcd: its status and its managers, who are sorted as the API server sorts them."""

    def __init__(self, status: Json = None, managers: Iterable[Json] = ()) -> None:
        self.status: Json = status or {}
        self.managers = list(managers)

    @classmethod
    def of(cls, whole: Json) -> Stored:
        """The object as an admission review shows it."""
        return cls(whole.get("status"), whole["metadata"].get("managedFields", ()))

    @property
    def whole(self) -> Json:
        """The custom resource."""
        return custom_resource(self.status, managed=self.managers)

    def updated(self, status: Json, manager: str, time: str) -> Stored:
        """What admission is shown when somebody updates the status."""
        changed, removed = _differing(_status_leaves(self.status), _status_leaves(status))
        sets = self._sets()
        me = (manager, "Update")
        mine = (sets.get(me, set()) - removed) | changed
        others = {who: ways - changed - removed for who, ways in sets.items() if who != me}
        return Stored(status, self._entries(others | {me: mine}, me, time))

    def applied(self, config: Json, manager: str, time: str, *, force: bool = False) -> Stored:
        """What admission is shown when somebody applies a status.

        Raises:
            ConflictError: another manager owns something that would change.
        """
        sets, me = self._sets(), (manager, "Apply")
        said, live = _status_leaves(config), _status_leaves(self.status)
        elsewhere: set[Way] = set().union(*(ways for who, ways in sets.items() if who != me))
        given_up = sets.get(me, set()) - set(said) - elsewhere
        merged = {way: value for way, value in live.items() if way not in given_up} | said
        changed, _ = _differing(live, merged)
        if not force and changed & elsewhere:
            raise ConflictError(sorted(changed & elsewhere))
        others = {who: ways - changed for who, ways in sets.items() if who != me}
        status = built({way[1:]: value for way, value in merged.items()})
        return Stored(status, self._entries(others | {me: set(said)}, me, time))

    def _sets(self) -> dict[Who, set[Way]]:
        return {(one["manager"], one["operation"]): owned(one["fieldsV1"]) for one in self.managers}

    def _entries(self, sets: Mapping[Who, set[Way]], writer: Who, time: str) -> list[Json]:
        times = {(one["manager"], one["operation"]): one["time"] for one in self.managers} | {writer: time}
        entries = [
            entry(manager, fields_of(ways), operation, time=times[manager, operation])
            for (manager, operation), ways in sets.items()
            if ways
        ]
        return sorted(entries, key=lambda one: (one["operation"], one["time"], one["manager"]))


def _status_leaves(status: Json) -> Leaves:
    return leaves(status, ("f:status",)) if status else {}
