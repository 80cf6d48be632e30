"""What ``managedFields`` become when a trim took things away, and appliers get back what they lost by it.

That is what the API server would have computed had the trimmed object been sent: where a leaf is what is stored, nobody
loses it, and who updates does not gain it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Raw

from admission.engine.claims import owned_of, with_claims, without_claims
from admission.engine.decision import Op
from admission.engine.elements import Fields
from admission.engine.eviction import Evictions
from admission.engine.ownership import APPLY, MANAGED_FIELDS, Entry, Ownership, with_fields


@dataclass(frozen=True, slots=True)
class GiveBack:
    """The new ``managedFields``, as changes of those that were sent.

    ``changed`` are entries with other ``fieldsV1``, ``gone`` those of which nothing is left, by their positions;
    ``back`` are those that come back, as positions in the stored ones.
    """

    sent: Ownership
    stored: Ownership
    changed: Mapping[int, Fields]
    gone: frozenset[int]
    back: Mapping[int, Fields]

    @classmethod
    def of(cls, sent: Ownership, stored: Ownership, pruned: Mapping[int, Fields], evictions: Evictions) -> GiveBack:
        """Give what appliers lost back to all who owned it in the stored object, and take it from who gained it."""
        changed, back = _returned(sent, stored, pruned, evictions)
        gone = _taken(sent, stored, changed, evictions)
        changed = {at: fields for at, fields in changed.items() if at in pruned or fields != sent.fields(at)}
        return cls(sent, stored, changed, frozenset(gone), back)

    def operations(self) -> list[Op]:
        """The operations that write it: on single entries, or on all of them when one comes back."""
        if self.back:
            return [Op("replace", MANAGED_FIELDS, msgspec.json.encode(self._all()))]
        replaced = [
            Op("replace", f"{MANAGED_FIELDS}/{position}/fieldsV1", msgspec.json.encode(fields))
            for position, fields in self.changed.items()
        ]
        # from the highest position down, so that each is the one that it was
        return replaced + [Op("remove", f"{MANAGED_FIELDS}/{position}") for position in sorted(self.gone, reverse=True)]

    def _all(self) -> list[Raw]:
        """All entries; those that come back stand where the API server sorts them."""
        raws = self.sent.raw_entries
        found = [
            (_order(entry), _with(raws[position], self.changed.get(position)))
            for position, entry in enumerate(self.sent.entries)
            if position not in self.gone
        ]
        raws = self.stored.raw_entries
        for at, fields in self.back.items():
            entry = self.stored.entries[at]
            place = bisect_right(found, _order(entry), key=lambda each: each[0])
            found.insert(place, (_order(entry), _with(raws[at], None if fields == self.stored.fields(at) else fields)))
        return [raw for _, raw in found]


def _returned(
    sent: Ownership, stored: Ownership, pruned: Mapping[int, Fields], evictions: Evictions
) -> tuple[dict[int, Fields], dict[int, Fields]]:
    """What entries own with what goes back to them: by position as sent, and by position in the stored ones."""
    changed, back = dict(pruned), {}
    positions = {entry.identity: position for position, entry in enumerate(sent.entries)}
    for at, entry in enumerate(stored.entries):
        whole = stored.fields(at) if entry.api_version == evictions.version else None
        claims = owned_of(evictions.claims, whole) if whole else {}
        if not whole or not claims:
            continue
        position = positions.get(entry.identity)
        if position is None:
            back[at] = with_claims(None, claims, whole)
            continue
        left = changed.get(position, sent.fields(position))
        if left is not None:  # else nobody can tell what it owns
            changed[position] = with_claims(left or None, claims, whole)
    return changed, back


def _taken(sent: Ownership, stored: Ownership, changed: dict[int, Fields], evictions: Evictions) -> set[int]:
    """Take what goes back out of ``changed``; the positions of those to whom nothing is left."""
    gone: set[int] = set()
    before = {entry.identity: at for at, entry in enumerate(stored.entries)}
    for position, entry in enumerate(sent.entries):
        fields = changed.get(position, sent.fields(position))
        if not fields or entry.operation == APPLY or entry.api_version != evictions.version:
            continue
        had = stored.fields(before[entry.identity]) if entry.identity in before else None
        left = without_claims(fields, evictions.claims, had or {})
        if left is None:
            gone.add(position)
            changed.pop(position, None)
        elif left is not fields:
            changed[position] = left
    return gone


def _with(raw: Raw, fields: Fields | None) -> Raw:
    """An entry with other fields; None leaves it as it is."""
    return raw if fields is None else with_fields(raw, Raw(msgspec.json.encode(fields)))


def _order(entry: Entry) -> tuple[str, ...]:
    """How the API server sorts entries (``sortEncodedManagers`` of its field manager)."""
    return entry.operation, entry.time, entry.manager, entry.api_version, entry.subresource
