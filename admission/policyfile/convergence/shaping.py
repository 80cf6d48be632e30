"""From schemas to molds: what a kind demands of the values that policies look at.

What a schema does not know is left out, as the API server would prune it; what it demands is there, and beside that a
few members that no policy names, so that what works on whole items meets more than it looks for.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from admission.engine.schema import Schema
from admission.policyfile.convergence.mold import Mold

MOST_OTHERS: Final = 3
"""Members of one object that no policy names."""

MOST_NEEDED: Final = 100
"""Members that an object is given because its schema demands them; one that demands more lacks the others."""

_OBJECT, _ARRAY = "object", "array"
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_DATE_TIME: Final = "date-time"


def shape(mold: Mold, schema: Schema, *, to_the_limit: bool = False) -> None:
    """Give a mold the form that a schema demands.

    ``to_the_limit`` also counts what the schema lets a list or text have at most as a cap that a policy looks at.
    """
    mold.schema = schema
    match schema.kind:
        case "object":
            _shape_object(mold, schema, to_the_limit)
        case "array":
            _shape_list(mold, schema, to_the_limit)
        case _:
            _shape_scalar(mold, schema, to_the_limit)


def _shape_object(mold: Mold, schema: Schema, to_the_limit: bool) -> None:
    is_looked_into = bool(mold.members)
    if not schema.is_open:
        _prune(mold, schema)
    demanded = sorted(schema.required, key=lambda name: (name not in mold.members, name))[:MOST_NEEDED]
    mold.needed |= frozenset(demanded)
    for name in demanded:
        if name in schema.properties:
            _fill(mold, name)
    if is_looked_into:
        _add_others(mold, schema)
    if mold.is_map and mold.item is not None and schema.entries is not None:
        shape(mold.item, schema.entries, to_the_limit=to_the_limit)
    for name, inside in mold.members.items():
        known = schema.properties.get(name, schema.entries)
        if known is not None:
            shape(inside, known, to_the_limit=to_the_limit)


def _prune(mold: Mold, schema: Schema) -> None:
    """Leave out what the API server would; what policies take for a map may be an object with named members."""
    if schema.entries is not None:
        return
    if mold.is_map and mold.item is not None:
        for name in schema.properties:
            mold.members.setdefault(name, deepcopy(mold.item))
        mold.is_map = False
    for name in [name for name in mold.members if name not in schema.properties]:
        del mold.members[name]


def _add_others(mold: Mold, schema: Schema) -> None:
    others = [name for name, each in schema.properties.items() if name not in mold.members and each.kind in _SCALARS]
    for name in sorted(others)[:MOST_OTHERS]:
        _fill(mold, name)


def _fill(mold: Mold, name: str) -> None:
    if name not in mold.members:
        mold.member(name).is_filler = True


def _shape_list(mold: Mold, schema: Schema, to_the_limit: bool) -> None:
    is_filler = mold.item is None
    item = mold.as_list()
    item.is_filler = is_filler
    if to_the_limit and schema.max_items is not None:
        mold.counts.add(schema.max_items)
    item.needed |= schema.keys
    for name in sorted(schema.keys):
        _fill(item, name)
    if schema.items is not None:
        shape(item, schema.items, to_the_limit=to_the_limit)


def _shape_scalar(mold: Mold, schema: Schema, to_the_limit: bool) -> None:
    form = schema.text
    mold.is_time = mold.is_time or _DATE_TIME in form.formats
    mold.words.update(dict.fromkeys(sorted(frozenset().union(*form.enums))))
    if to_the_limit and schema.max_length is not None:
        mold.sizes.add(schema.max_length)


def lacks(value: object, schema: Schema | None) -> bool:
    """True when a value, or something in it, lacks what its schema demands: a member, an item, a character."""
    match value:
        case _ if schema is None:
            return False
        case dict():
            return (
                not schema.required <= value.keys()
                or len(value) < schema.min_properties
                or any(lacks(inside, schema.properties.get(name, schema.entries)) for name, inside in value.items())
            )
        case list():
            missing = len(value) < schema.min_items
            return missing or any(
                lacks(item, schema.items) or (isinstance(item, dict) and not schema.keys <= item.keys())
                for item in value
            )
        case str():
            return not schema.text.admits_at_length(value)
        case _:
            return False
