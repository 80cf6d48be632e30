"""The check of what was put back: it must be what the stored object holds for the same item.

Reads the stored bytes anew, so that a fault in the working copy cannot hide itself. A list has its partner at the
position that it had at some time between what was sent and what came out: items around may have gone meanwhile. And
what nobody edited around the two must be the same, or the lists have nothing to do with each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from admission.engine.document import Document
from admission.engine.edit import Edit
from admission.engine.fieldpath import Segment
from admission.engine.licence import Licence, Restoring
from admission.engine.pairing import equal_around
from admission.engine.places import keys_at
from admission.engine.sent import Sent
from admission.engine.twin import Twin, keyed_texts, twin_of
from admission.engine.values import (
    Container,
    Key,
    List,
    Object,
    Trail,
    Value,
    is_text,
    open_child,
    opened,
    same,
    text_of,
)

_Texts: TypeAlias = Mapping[tuple[Twin | None, str], str]
"""By the item and the field."""


class Restored:
    """Texts that were put back, judged one by one. ``grown`` is how many bytes they brought, as stored."""

    def __init__(self, document: Document, licences: Iterable[Licence]) -> None:
        """Judge by the stored object of a document; nothing is decoded before something is to be judged."""
        self.grown = 0
        self._document = document
        self._licences = tuple(licence for licence in licences if licence.restoring)
        self._stored: Object | None = None
        self._texts: dict[tuple[int, Trail], list[_Texts]] = {}

    @property
    def possible(self) -> bool:
        """True when some licence lets anything be put back."""
        return bool(self._licences)

    def accepts(self, before: Object, after: Object, name: str, trail: Trail) -> bool:
        """True when ``after[name]`` is the stored text that belongs there; ``before`` is the item as it was sent."""
        if not self._licences or not is_text(after[name]) or not is_text(before[name]):
            return False
        text, demands = text_of(after[name]), self._document.demands((*trail, name))
        if demands is not None and not demands.text.admits(text or ""):
            return False
        for licence in self._licences:
            for restoring in licence.restores((*trail, name)):
                # a step may have cut a key meanwhile
                if any(self._is_stored(restoring, trail[:-1], item, name, text) for item in (before, after)):
                    self.grown += max(0, self._document.size(after[name]) - self._document.size(before[name]))
                    return True
        return False

    def _is_stored(self, restoring: Restoring, trail: Trail, item: Object, name: str, text: str | None) -> bool:
        """True when a stored item with the keys of this one, in a partner of the list at ``trail``, has the text."""
        place = twin_of(item, restoring.keys), name
        return any(texts.get(place) == text for texts in self._texts_of(restoring, trail))

    def _texts_of(self, restoring: Restoring, trail: Trail) -> list[_Texts]:
        at = id(restoring), trail  # it is part of a licence, which is held: its id stays its own
        found = self._texts.get(at)
        if found is None:
            found = self._texts[at] = [_read(items, restoring) for items in self._partners(restoring, trail)]
        return found

    def _partners(self, restoring: Restoring, trail: Trail) -> Iterator[List]:
        """The stored lists that may stand for the one at ``trail``."""
        if self._stored is None:
            self._stored = dict(self._document.stored_object or {})  # its values are the bytes that came
        pairing = _Pairing(self._document.sent)
        submitted, edits = self._document.submitted, self._document.edits
        for items in pairing.partners(submitted, self._stored, edits, trail, restoring.path.segments):
            if isinstance(items, list):
                yield items


@dataclass(frozen=True, slots=True)
class _Pairing:
    """Finds what stands for a value of the result in the stored object; the edits tell where the value was."""

    sent: Sent

    def partners(
        self, before: Value, stored: Container, edit: Edit | None, trail: Trail, segments: tuple[Segment, ...]
    ) -> Iterator[Container]:
        """The containers, opened in place, that may be paired with the one at ``trail``; ``before`` is as sent."""
        here, key = self.sent.opened(before), trail[0]
        for source, other in _places(here, stored, edit, key):
            child = None if edit is None else edit.children.get(source)
            value: Value = here[source]  # type: ignore[index]
            if isinstance(key, int) and not _may_be(value, stored[other], child, segments[1:]):  # type: ignore[index]
                continue
            inside = open_child(stored, other)
            if inside is None:
                continue
            if len(trail) == 1:
                yield inside
            else:
                yield from self.partners(value, inside, child, trail[1:], segments[1:])


def _places(here: Container | None, stored: Container, edit: Edit | None, key: Key) -> Iterator[tuple[Key, Key]]:
    """The key that something had when it was sent, and those that it may have had when it was paired."""
    if isinstance(key, str):
        if isinstance(here, dict) and isinstance(stored, dict) and key in here and key in stored:
            yield key, key
    elif isinstance(here, list) and isinstance(stored, list):
        origin = key if edit is None else edit.original(key)
        assert isinstance(origin, int), "a list has positions"  # noqa: S101
        source = origin if edit is None else edit.moved.get(origin, origin)
        for position in range(key, min(max(origin, source) + 1, len(stored))):
            yield source, position


def _may_be(before: Value, stored: Value, edit: Edit | None, segments: tuple[Segment, ...]) -> bool:
    """True when two values are equal but for what the path leads to in them, and for what was edited."""
    if edit is None:
        return equal_around(before, stored, segments)
    if not segments or edit.replaced:
        return True
    left, right = opened(before), opened(stored)
    if isinstance(left, dict) and isinstance(right, dict):
        touched = edit.gone.keys() | edit.children.keys()
        names = set(keys_at(left, segments[0]))
        return not (left.keys() ^ right.keys()) - touched and all(
            _may_be(left[name], right[name], edit.children.get(name), segments[1:])
            if name in names
            else name in touched or same(left[name], right[name])
            for name in left.keys() & right.keys()
        )
    # of a list that lost items nobody knows which it had at that time
    return isinstance(left, list) and isinstance(right, list) and (edit.kept is not None or len(left) == len(right))


def _read(items: List, restoring: Restoring) -> _Texts:
    twins, texts = keyed_texts(items, restoring.keys, restoring.fields)
    times = Counter(twins)
    return {
        (twin, name): text
        for twin, row in zip(twins, texts, strict=True)
        if twin is not None and times[twin] == 1
        for name, text in zip(restoring.fields, row, strict=True)
        if text is not None
    }
