"""The check of what was put back: it must be what the stored object holds for the same item.

Reads the stored bytes anew, so that a fault in the working copy cannot hide itself. Lists below members of other names
are other lists; positions on the way do not count, since items around may have gone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from typing import TypeAlias

from admission.engine.document import Document
from admission.engine.licence import Licence, Restoring
from admission.engine.places import walk
from admission.engine.twin import Twin, keyed_texts, twin_of
from admission.engine.values import Object, Trail, is_text, open_child, text_of

_Names: TypeAlias = tuple[str, ...]
_Texts: TypeAlias = Mapping[tuple[_Names, Twin | None, str], Set[str]]
"""By the names on the way to a list, the item in it, and the field."""


class Restored:
    """Texts that were put back, judged one by one. ``grown`` is how many bytes they brought, as stored."""

    def __init__(self, document: Document, licences: Iterable[Licence]) -> None:
        """Judge by the stored object of a document; nothing is decoded before something is to be judged."""
        self.grown = 0
        self._document = document
        self._licences = tuple(licence for licence in licences if licence.restoring)
        self._texts: dict[int, _Texts] = {}

    @property
    def possible(self) -> bool:
        """True when some licence lets anything be put back."""
        return bool(self._licences)

    def accepts(self, before: Object, after: Object, name: str, trail: Trail) -> bool:
        """True when ``after[name]`` is the stored text that belongs there; ``before`` is the item as it was sent."""
        if not self._licences or not is_text(after[name]) or not is_text(before[name]):
            return False
        text, names = text_of(after[name]), _names(trail)
        for licence in self._licences:
            for restoring in licence.restores((*trail, name)):
                # a step may have cut a key meanwhile
                if any(self._is_stored(restoring, names, item, name, text) for item in (before, after)):
                    self.grown += max(0, self._document.size(after[name]) - self._document.size(before[name]))
                    return True
        return False

    def _is_stored(self, restoring: Restoring, names: _Names, item: Object, name: str, text: str | None) -> bool:
        """True when a stored item with the keys of this one, in a list of the same names, has the text."""
        return text in self._texts_of(restoring).get((names, twin_of(item, restoring.keys), name), ())

    def _texts_of(self, restoring: Restoring) -> _Texts:
        found = self._texts.get(id(restoring))  # it is part of a licence, which is held: its id stays its own
        if found is None:
            found = self._texts[id(restoring)] = self._read(restoring)
        return found

    def _read(self, restoring: Restoring) -> _Texts:
        found: defaultdict[tuple[_Names, Twin | None, str], set[str]] = defaultdict(set)
        stored = dict(self._document.stored_object or {})  # its values are the bytes that came
        for trail, container, key in walk(stored, restoring.path.segments):
            items = open_child(container, key)
            if not isinstance(items, list):
                continue
            twins, texts = keyed_texts(items, restoring.keys, restoring.fields)
            names, times = _names((*trail, key)), Counter(twins)
            for twin, row in zip(twins, texts, strict=True):
                if twin is not None and times[twin] == 1:
                    for name, text in zip(restoring.fields, row, strict=True):
                        if text is not None:
                            found[names, twin, name].add(text)
        return found


def _names(trail: Trail) -> _Names:
    return tuple(key for key in trail if isinstance(key, str))
