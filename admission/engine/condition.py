"""What a condition is, and what protects it from every step.

A condition is an object in a list whose key ends in ``conditions`` (any case: ``clusterConditions``), or in a list in
a map under such a key (``nodeConditions.NAME``), or in a list that a step of the same policy declares to be one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

from admission.engine.texts import texts_of_each
from admission.engine.values import Key, List, Trail

TYPE: Final = "type"
STATUS: Final = "status"
OBSERVED_GENERATION: Final = "observedGeneration"
PROTECTED_FIELDS: Final = frozenset({TYPE, STATUS, "reason", OBSERVED_GENERATION})
"""Read by machines; no step changes them in a condition (invariant I6)."""

Rank: TypeAlias = Any
"""Sortable among those of one list; the highest is the newest. No two are equal: a tuple ends in the position."""

_SUFFIX: Final = "conditions"


def is_conditions(trail: Trail) -> bool:
    """True when the key of a list, or of the map that it is in, ends in ``conditions``."""
    return _ends_in_conditions(trail[-1:]) or (
        bool(trail) and isinstance(trail[-1], str) and _ends_in_conditions(trail[-2:-1])
    )


def _ends_in_conditions(keys: Sequence[Key]) -> bool:
    return any(isinstance(key, str) and key.lower().endswith(_SUFFIX) for key in keys)


def types_of(items: List, field: str = TYPE) -> dict[int, str]:
    """The type of every item that has one (a string), by position."""
    rows = texts_of_each(items, (field,))
    return {position: row[0] for position, row in enumerate(rows) if row is not None and row[0] is not None}


def type_names(items: List) -> list[str | None]:
    """The type of every item, None for one that has none."""
    return [None if row is None else row[0] for row in texts_of_each(items, (TYPE,))]


def newest_of_each(types: Mapping[int, str], ranks: Sequence[Rank]) -> set[int]:
    """The positions of the newest item of every type."""
    newest: dict[str, int] = {}
    for position, name in types.items():
        if name not in newest or ranks[position] > ranks[newest[name]]:
            newest[name] = position
    return set(newest.values())


def last_of_their_type(types: Mapping[int, str], going: Collection[int], ranks: Sequence[Rank]) -> set[int]:
    """Of items that are to go, the newest of every type of which none would stay (invariant I7)."""
    staying = {name for position, name in types.items() if position not in going}
    orphaned = {position: types[position] for position in going if position in types and types[position] not in staying}
    return newest_of_each(orphaned, ranks)
