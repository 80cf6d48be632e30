"""Random ``managedFields``: mostly they fit the object."""

from __future__ import annotations

from collections.abc import Sequence

from tests.engine.build import Json, at, entry, go
from tests.engine.strategies.dice import Dice, happens, pick, several


def fields_of(dice: Dice, owned: Json) -> Json:
    """A ``fieldsV1`` node that fits a value: some of it, item by item or as one leaf."""
    if not isinstance(owned, dict | list) or happens(dice, 30):
        return {}
    node: dict[str, Json] = {".": {}} if happens(dice, 60) else {}
    if isinstance(owned, dict):
        node |= {f"f:{name}": fields_of(dice, inner) for name, inner in owned.items() if happens(dice, 80)}
        return node
    for item in owned:
        if not happens(dice, 80):
            continue
        keys = [
            name for name in ("type", "id", "n") if isinstance(item, dict) and isinstance(item.get(name), str | int)
        ]
        if isinstance(item, dict) and keys:
            node["k:" + go({keys[0]: item[keys[0]]}).decode()] = fields_of(dice, item)
        elif not isinstance(item, dict | list):
            node["v:" + go(item).decode()] = {}
    return node


MANAGERS = ("controller", "argocd", "kubectl")
ODD_FIELDS: Sequence[Json] = (
    {"f:status": {"f:history": {'k:{"id":99}': {".": {}}}}},
    {"f:status": {"f:history": {"k:{": {}, "v:": {}, "q:": {}}}},
    {"f:status": 7},
    None,
    {"f:spec": {"f:queue": {}}},
)


UNREADABLE: Sequence[Json] = ([], [7], "none", {}, [{"manager": 7}], [{"manager": "a", "fieldsV1": 7}])


def managed_entry(dice: Dice, owned: Json) -> Json:
    """One manager of what the roots of an object hold."""
    fields = pick(dice, ODD_FIELDS) if happens(dice, 10) else fields_of_roots(dice, owned)
    operation = pick(dice, ("Update", "Apply"))
    changes = {"subresource": pick(dice, ("status", ""))} if happens(dice, 20) else {}
    return entry(pick(dice, MANAGERS), fields, operation, time=at(dice.number(0, 3)), **changes)


def fields_of_roots(dice: Dice, owned: Json) -> Json:
    """What a manager owns of some roots."""
    return {f"f:{root}": fields_of(dice, value) for root, value in owned.items() if happens(dice, 85)}


def managed_fields(dice: Dice, owned: Json) -> Json:
    """Up to three managers, each of them once; mostly consistent with the roots ``owned``."""
    if happens(dice, 30):
        return None
    if happens(dice, 3):
        return pick(dice, UNREADABLE)
    entries = several(dice, 3, lambda d: managed_entry(d, owned))
    if entries and happens(dice, 25):
        entries.append(entry("flux", pick(dice, entries)["fieldsV1"], "Apply", time=at(2)))
    return list({(one["manager"], one["operation"], one["subresource"]): one for one in entries}.values())
