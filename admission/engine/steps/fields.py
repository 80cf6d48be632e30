"""Steps for fields of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.steps.base import Effect
from admission.engine.values import Key, Trail, Value, is_list


@dataclass(frozen=True, slots=True)
class Drop:
    """Removes fields, whatever they hold.

    Shape: ``paths`` lead to members of objects. Left alone: a condition's ``type``, ``status``, ``reason`` and
    ``observedGeneration``; lists of conditions (they may go with something that holds them); what tells the items of
    a list apart (the keys of a keyed list, the items of a set, as ``managedFields`` and the schema tell); what the
    schema requires.
    """

    kind: ClassVar[str] = "drop"

    paths: tuple[FieldPath, ...]

    @property
    def licence(self) -> Licence:
        """The fields go."""
        return Licence(dropping=self.paths)

    def apply(self, document: Document, now: int) -> Effect:
        """Remove every member that the paths lead to."""
        effect = Effect()
        for path in self.paths:
            for trail, container, key in document.places(path):
                effect.found = True
                if not isinstance(container, dict) or not _may_drop(document, trail, key, container[str(key)]):
                    continue
                if document.co_owned((*trail, key)):
                    effect.reason = Reason.CO_OWNED
                    continue
                demands = document.demands(trail)
                if demands is not None and not demands.spares(str(key), len(container)):
                    effect.reason = Reason.SCHEMA_REQUIRES
                    continue
                effect.items += 1
                effect.bytes += document.remove_member(trail, container, str(key))
        return effect


def _may_drop(document: Document, trail: Trail, key: Key, value: Value) -> bool:
    allowed = document.licence.drops((*trail, key), a_list=is_list(value))
    return allowed and not document.names_an_item(trail, key)
