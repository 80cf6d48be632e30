"""Values that fit a mold, drawn from a seed: the same seed, the same values.

Draws what is known to be hard: lists one above their cap, twins, texts around the size at which they are cut, times
that nobody can read, members that are absent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final, TypeAlias, TypeVar

from admission.engine.instant import HOUR, MINUTE, SECOND
from admission.engine.requirement import number
from admission.engine.schema import Schema
from admission.policyfile.convergence.instants import NOW, rfc3339
from admission.policyfile.convergence.mold import Mold

Json: TypeAlias = Any
T = TypeVar("T")

MOST_ITEMS: Final = 300
"""Items of one list. Larger caps stay out of reach: a sample is to take milliseconds."""
MOST_BYTES: Final = 100_000
"""Bytes of long texts in one value: three messages at the limit of a condition's."""

MOST_FILLERS: Final = 200
"""Values that are there for a schema alone, all together: demands may stand inside each other."""

_EMPTY: Final[dict[str, Callable[[], Json]]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": int,
    "string": str,
}
_LARGEST: Final = 2**53  # as large as a number may be that every reader takes for the same
_UNKNOWN_TIMES: Final = ("", None, "0001-01-01T00:00:00Z", "soon")
_WORDS: Final = ("a", "b", "busy", "1")
_FILLINGS: Final = ("x", "é", "x<", "line\n", "😀")
_TRIES: Final = 4
_BEATING: Final = 1_000  # large enough for small steps to lie within any percentage
_HERE, _LIKELY, _SOMETIMES, _SELDOM = 0.92, 0.5, 0.3, 0.12


class Dice:
    """Draws values."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311 - the same samples each time, not secrets
        self._room = MOST_BYTES
        self._fillers = 0

    def value(self, mold: Mold) -> Json:
        """A value that fits, or an empty one, where too many are drawn that no policy looks at."""
        if mold.is_filler:
            self._fillers += 1
            if self._fillers > MOST_FILLERS:
                return _EMPTY.get(mold.kind or "", dict)()
        return self._one(self._kinds(mold))(mold)

    def _kinds(self, mold: Mold) -> list[Callable[[Mold], Json]]:
        kind = mold.kind
        kinds: list[Callable[[Mold], Json]] = []
        if mold.members and (kind is None or (kind == "object" and not mold.is_map)):
            kinds.append(self.object)
        if mold.is_list and kind in (None, "array"):
            kinds.append(self._list)
        if mold.is_map and kind in (None, "object"):
            kinds.append(self._map)
        if mold.is_scalar and kind not in ("object", "array"):
            kinds.append(self._scalar)
        return kinds or [self.object if kind == "object" else self._scalar]

    def object(self, mold: Mold) -> dict[str, Json]:
        """An object with most of the members, and all that are needed."""
        return {
            name: self.value(inside)
            for name, inside in mold.members.items()
            if name in mold.needed or self._chance(_HERE)
        }

    def bent(self, value: Json, mold: Mold) -> Json:
        """A value that fits and looks much like another one: what might be stored where that one is written."""
        if isinstance(value, dict):
            inside = {name: mold.members.get(name) or mold.item for name in value}
            return {
                name: each if (known := inside[name]) is None else self.bent(each, known)
                for name, each in value.items()
                if name in mold.needed or not self._chance(_SELDOM / 4) or name in ("metadata", "status")
            }
        if isinstance(value, list) and mold.item is not None:
            return self._bent_items([self.bent(item, mold.item) for item in value], mold)
        return self.value(mold) if self._chance(_LIKELY if mold.is_time or mold.beats else _SELDOM) else value

    def _bent_items(self, items: list[Json], mold: Mold) -> list[Json]:
        if items and self._chance(_SOMETIMES):
            del items[self._random.randrange(len(items)) :]
        if mold.item is not None and len(items) < MOST_ITEMS and self._chance(_SOMETIMES):
            items.insert(self._random.randrange(len(items) + 1), self.value(mold.item))
        return self._told_apart(items, mold)

    # --- containers ---

    def _count(self, mold: Mold) -> int:
        near = [count + more for count in sorted(mold.counts) for more in (1, 2, 5) if count + more <= MOST_ITEMS]
        return self._one(near) if near and self._chance(0.75) else self._random.randrange(4)

    def _list(self, mold: Mold) -> list[Json]:
        assert mold.item is not None, "a list has items"  # noqa: S101
        items: list[Json] = []
        twins = 0.0 if mold.is_filler else self._one((0.0, _SOMETIMES, _LIKELY))
        for _ in range(self._count(mold)):
            twin = self._one(items) if items and self._chance(twins) else None
            fits = twin is not None and self._takes(len(repr(twin)))
            items.append(self._twin(twin, mold.item) if fits else self.value(mold.item))
        return self._told_apart(items, mold)

    def _told_apart(self, items: list[Json], mold: Mold) -> list[Json]:
        """The items as a schema wants them: each key once, and no fewer than it demands, if so many can be drawn."""
        schema = mold.schema
        if schema is None or mold.item is None:
            return items
        found: dict[object, Json] = {}
        for item in items:
            found.setdefault(_identity(item, schema, len(found)), item)
        fewest = min(schema.min_items, MOST_ITEMS)
        for _ in range(_TRIES * fewest):
            if len(found) < fewest:
                item = self.value(mold.item)
                found.setdefault(_identity(item, schema, len(found)), item)
        return list(found.values())

    def _takes(self, size: int) -> bool:
        """Take room for something long; False when there is none left."""
        if size > self._room:
            return False
        self._room -= size
        return True

    def _twin(self, item: Json, mold: Mold) -> Json:
        """The same item once more, or one that differs in a member."""
        twin = deepcopy(item)
        if isinstance(twin, dict) and mold.members and self._chance(_LIKELY):
            name = self._one(list(mold.members))
            twin[name] = self.value(mold.members[name])
        return twin

    def _map(self, mold: Mold) -> dict[str, Json]:
        assert mold.item is not None, "a map has entries"  # noqa: S101
        fewest = 0 if mold.schema is None else min(mold.schema.min_properties, MOST_ITEMS)
        entries = {f"entry-{number}": self.value(mold.item) for number in range(max(self._count(mold), fewest))}
        return entries if mold.schema is None else entries | self.object(mold)

    # --- scalars ---

    def _scalar(self, mold: Mold) -> Json:
        match mold.kind:
            case "boolean":
                return self._chance(_LIKELY)
            case "integer" | "number":
                return self._whole_number(mold)
            case "string":
                return self._formed(self._any_scalar(mold), mold)
            case _:
                return self._any_scalar(mold)

    def _formed(self, drawn: Json, mold: Mold) -> str:
        """A text of the form that the schema demands, if one is at hand. It may be too long: a step may cut it."""
        assert mold.schema is not None, "its kind is known"  # noqa: S101
        form, text = mold.schema.text, "" if drawn is None else str(drawn)
        if form.admits_at_length(text):
            return text
        time = rfc3339(NOW - self._random.randrange(60) * MINUTE)
        missing = form.min_length - len(text)
        longer = text + "x" * missing if self._takes(max(0, missing)) else text
        others = (*mold.words, time, *_WORDS, longer)
        admitted = [other for other in others if form.admits_at_length(other)]
        return self._one(admitted) if admitted else text

    def _any_scalar(self, mold: Mold) -> Json:
        if mold.is_time and (not mold.is_text or self._chance(_LIKELY)):
            return self._time(mold)
        if mold.is_number and self._chance(0.8):
            return self._number(mold)
        return self._text(mold)

    def _time(self, mold: Mold) -> Json:
        if self._chance(_SELDOM):
            return self._one(_UNKNOWN_TIMES)
        ages = [age + more for age in sorted(mold.ages) for more in (-SECOND, 0, SECOND)]
        age = self._one(ages) if ages and self._chance(0.6) else self._random.randrange(60) * MINUTE
        if self._chance(_SELDOM / 4):
            age = -HOUR
        return rfc3339(NOW - age, fraction=self._chance(_SELDOM))

    def _number(self, mold: Mold) -> Json:
        drawn = self._whole_number(mold)
        return str(drawn) if self._chance(_SOMETIMES) else drawn

    def _whole_number(self, mold: Mold) -> int:
        known = [bound for word in mold.words if (bound := number(word)) is not None]
        bounds = [int(bound) for bound in known if abs(bound) <= _LARGEST]
        return self._one(bounds or [_BEATING if mold.beats else 10]) + self._random.randrange(-2, 3)

    def _text(self, mold: Mold) -> str:
        if mold.words and self._chance(0.75):
            return self._one(list(mold.words))
        if mold.sizes and self._chance(_LIKELY):
            return self._long(self._one(sorted(mold.sizes)))
        return self._one(_WORDS)

    def _long(self, size: int) -> str:
        """A text of about so many bytes."""
        wanted = size + self._one((-1, 0, 1, 40, size // 2))
        if not self._takes(wanted):
            return self._one(_WORDS)
        filling = self._one(_FILLINGS)
        text = self._one(_WORDS) + filling * (wanted // len(filling.encode()))
        return text.encode()[:wanted].decode(errors="ignore")

    def _one(self, choices: Sequence[T]) -> T:
        return choices[self._random.randrange(len(choices))]

    def _chance(self, share: float) -> bool:
        return self._random.random() < share


def _identity(item: Json, schema: Schema, position: int) -> object:
    """What no second item of a list may have; without such a demand, its position."""
    if schema.is_set:
        return repr(item)
    if schema.keys and isinstance(item, dict):
        return repr([item.get(key) for key in sorted(schema.keys)])
    return position
