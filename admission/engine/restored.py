"""The check of what was put back: it must be what the stored object holds for the same item.

Reads the stored bytes anew, so that a fault in the working copy cannot hide itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from typing import TypeAlias

from admission.engine.document import Document
from admission.engine.licence import Licence, Restoring
from admission.engine.twin import Twin, keyed_texts, twin_of
from admission.engine.values import Object, Trail, is_text, open_child, text_of, walk

_Texts: TypeAlias = Mapping[tuple[Twin | None, str], Set[str]]


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
        text = text_of(after[name])
        for licence in self._licences:
            for restoring in licence.restores((*trail, name)):
                if self._is_stored(restoring, before, name, text) or self._is_stored(restoring, after, name, text):
                    self.grown += max(0, self._document.size(after[name]) - self._document.size(before[name]))
                    return True
        return False

    def _is_stored(self, restoring: Restoring, item: Object, name: str, text: str | None) -> bool:
        """True when a stored item with the keys of this one has the text (a step may have cut a key meanwhile)."""
        return text in self._texts_of(restoring).get((twin_of(item, restoring.keys), name), ())

    def _texts_of(self, restoring: Restoring) -> _Texts:
        found = self._texts.get(id(restoring))  # it is part of a licence, which is held: its id stays its own
        if found is None:
            found = self._texts[id(restoring)] = self._read(restoring)
        return found

    def _read(self, restoring: Restoring) -> _Texts:
        found: defaultdict[tuple[Twin | None, str], set[str]] = defaultdict(set)
        stored = dict(self._document.stored_object or {})  # its values are the bytes that came
        for _, container, key in walk(stored, restoring.path.segments):
            items = open_child(container, key)
            if not isinstance(items, list):
                continue
            twins, texts = keyed_texts(items, restoring.keys, restoring.fields)
            times = Counter(twins)
            for twin, row in zip(twins, texts, strict=True):
                if twin is not None and times[twin] == 1:
                    for name, text in zip(restoring.fields, row, strict=True):
                        if text is not None:
                            found[twin, name].add(text)
        return found
