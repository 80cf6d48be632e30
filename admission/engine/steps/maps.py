"""Steps for maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Evicting, Licence
from admission.engine.requirement import Requirement, all_met
from admission.engine.steps.base import Effect
from admission.engine.steps.order import BY_KEY, EntryOrder
from admission.engine.values import Object, Trail


@dataclass(frozen=True, slots=True)
class CapMap:
    """Keeps at most ``max`` entries of a map that is used as a history; the oldest go first.

    Shape: ``path`` leads to an object whose members are the entries. Only entries that meet all of ``evict_where`` go;
    the others count toward ``max`` and may exceed it on their own (reason ``CapUnreachable``). Never gone: what the
    schema requires; lists of conditions (they may go with something that holds them) and the fields of a condition that
    machines read; what tells the items of a list apart.
    """

    kind: ClassVar[str] = "capMap"

    path: FieldPath
    max: int
    evict_where: tuple[Requirement, ...] = ()
    order: EntryOrder = BY_KEY

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The one map."""
        return (self.path,)

    @property
    def licence(self) -> Licence:
        """Entries go, but only those that may."""
        return Licence(evicting=(Evicting(self.path, self.evict_where),))

    def apply(self, document: Document, now: int) -> Effect:
        """Trim every map that the path leads to."""
        effect = Effect()
        for trail, members in document.maps(self.path):
            effect.found = True
            surplus = len(members) - self.max
            if surplus <= 0:
                continue
            names = self._evictable(document, trail, members, now)
            if len(names) < surplus:
                effect.reason = Reason.CAP_UNREACHABLE
            _evict(document, trail, members, self.order.oldest_first(members, names), surplus, effect)
        return effect

    def _evictable(self, document: Document, trail: Trail, members: Object, now: int) -> Sequence[str]:
        licence = document.licence
        names = [name for name in members if all_met(self.evict_where, members, name, now)]
        names = [name for name in names if not licence.spares((*trail, name), members[name])]
        if not isinstance(trail[-1], int):
            return names
        return [name for name in names if not document.names_an_item(trail, name)]


def _evict(
    document: Document, trail: Trail, members: Object, oldest_first: Sequence[str], surplus: int, effect: Effect
) -> None:
    """Remove the oldest, unless appliers would be hurt (``CoOwned``); what the schema requires stays."""
    going = _removable(document, trail, members, oldest_first, surplus, effect)
    if not going:
        return
    if document.co_owned(trail):
        effect.reason = Reason.CO_OWNED
        return
    effect.items += len(going)
    effect.bytes += document.remove_members(trail, members, going)


def _removable(
    document: Document, trail: Trail, members: Object, oldest_first: Sequence[str], surplus: int, effect: Effect
) -> Sequence[str]:
    """Of the oldest, as many as the schema lets go (``SchemaRequires``): it may name members, and say how many stay."""
    wanted, demands = oldest_first[:surplus], document.demands(trail)
    if demands is None:
        return wanted
    most = min(surplus, max(0, len(members) - demands.min_properties))
    going = [name for name in oldest_first if name not in demands.required][:most]
    if len(going) < len(wanted):
        effect.reason = Reason.SCHEMA_REQUIRES
    return going
