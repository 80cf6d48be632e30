"""The check of what was put back: it must be what the stored object holds for the same item.

Reads the stored bytes anew, so that a fault in the working copy cannot hide itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from admission.engine.document import Document
from admission.engine.licence import Licence, Restoring
from admission.engine.measure import stored_size
from admission.engine.twin import Twin, twin_by_keys, twins_by_keys
from admission.engine.values import Object, Trail, Value, encode, open_child, opened, text_of, walk

_Texts: TypeAlias = Mapping[tuple[Twin, str], frozenset[str]]


class Restored:
    """Texts that were put back, judged one by one. ``grown`` is how many bytes they brought, as stored."""

    def __init__(self, document: Document, licences: Iterable[Licence]) -> None:
        """Judge by the stored object of a document; nothing is decoded before something is to be judged."""
        self.grown = 0
        self._document = document
        self._licences = tuple(licence for licence in licences if licence.restoring)
        self._texts: dict[Restoring, _Texts] = {}

    @property
    def possible(self) -> bool:
        """True when some licence lets anything be put back."""
        return bool(self._licences)

    def accepts(self, before: Object, after: Object, name: str, trail: Trail) -> bool:
        """True when ``after[name]`` is the stored text that belongs there; ``before`` is the item as it was sent."""
        text = text_of(after[name])
        if text is None or text_of(before[name]) is None:
            return False
        for licence in self._licences:
            for restoring in licence.restores((*trail, name)):
                known = self._texts_of(restoring)
                if any(text in known.get((twin, name), ()) for twin in _twins(before, after, restoring)):
                    self.grown += max(0, _size(after[name]) - _size(before[name]))
                    return True
        return False

    def _texts_of(self, restoring: Restoring) -> _Texts:
        found = self._texts.get(restoring)
        if found is None:
            found = self._texts[restoring] = self._read(restoring)
        return found

    def _read(self, restoring: Restoring) -> _Texts:
        found: dict[tuple[Twin, str], set[str]] = {}
        stored = dict(self._document.stored_object or {})  # its values are the bytes that came
        for _, container, key in walk(stored, restoring.path.segments):
            items = open_child(container, key)
            if not isinstance(items, list):
                continue
            twins = twins_by_keys(items, restoring.keys)
            times = Counter(twins)
            for twin, item in zip(twins, items, strict=True):
                members = opened(item)
                if twin is not None and times[twin] == 1 and isinstance(members, dict):
                    for name in restoring.fields:
                        text = text_of(members.get(name))
                        if text is not None:
                            found.setdefault((twin, name), set()).add(text)
        return {place: frozenset(texts) for place, texts in found.items()}


def _twins(before: Object, after: Object, restoring: Restoring) -> list[Twin]:
    """What identifies an item: as it was sent, and as it is now (a step may have cut a key)."""
    twins = [twin_by_keys([dict(members)], 0, restoring.keys) for members in (before, after)]
    return [twin for twin in twins if twin is not None]


def _size(value: Value) -> int:
    return stored_size(encode(value))
