"""Writes that change nothing: the roots and who owns what are as they are stored.

Only both together make a write a no-op to the API server, whoever else writes the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Raw

from admission.engine.attributes import Attributes
from admission.engine.decision import Op
from admission.engine.document import Document
from admission.engine.elements import Fields
from admission.engine.fieldset import within
from admission.engine.ownership import MANAGED_FIELDS, Entry, Ownership
from admission.engine.values import Object, is_null, opened, same

_REWRITTEN_BY_THE_SERVER: Final = frozenset({"resourceVersion", "generation", "managedFields"})


def may_become_stored(document: Document, attributes: Attributes, pruned: Mapping[int, Fields]) -> bool:
    """True when nobody loses anything by a write whose roots become what is stored.

    ``pruned`` is what trimming leaves of the submitted ``fieldsV1``, by position.
    """
    owners, stored = document.ownership, document.stored_ownership
    return _may_restore(owners, stored, pruned, attributes.field_manager) and (
        attributes.on_status or _rest_is_stored(document)
    )


def equals_stored(document: Document) -> bool:
    """True when every root is what is stored, or absent on both sides."""
    stored = document.stored_object
    return stored is not None and all(_root_equals_stored(document, root, stored) for root in document.roots)


def _root_equals_stored(document: Document, root: str, stored: Object) -> bool:
    if root not in stored or root not in document.object:
        return root not in stored and root not in document.object
    before = stored[root]
    if is_null(before):
        return is_null(document.object[root])
    if document.compact and type(before) is Raw and len(before) != document.size_of_root(root):
        return False  # in Go's form equal values are equally long
    if type(before) is Raw and document.root_bytes(root) == before:
        return True  # the usual case, without looking inside
    return same(document.object[root], before)


def _rest_is_stored(document: Document) -> bool:
    """True when a main-resource write changes nothing outside the roots but what the API server rewrites itself."""
    stored, sent = document.stored_object or {}, document.object
    if stored.keys() - document.roots != sent.keys() - document.roots:
        return False
    for key in sent.keys() - {*document.roots, "metadata"}:
        if not same(sent[key], stored[key]):
            return False
    metadata, before = opened(sent.get("metadata", Raw(b"{}"))), opened(stored.get("metadata", Raw(b"{}")))
    if not isinstance(metadata, dict) or not isinstance(before, dict):
        return False
    names = metadata.keys() - _REWRITTEN_BY_THE_SERVER
    return names == before.keys() - _REWRITTEN_BY_THE_SERVER and all(
        same(metadata[name], before[name]) for name in names
    )


# --- who owns what ---------------------------------------------------------------------------------------------------


def _may_restore(submitted: Ownership, stored: Ownership, pruned: Mapping[int, Fields], writer: str | None) -> bool:
    """True when putting the stored ``managedFields`` back loses nothing.

    What an applier claims in this write must be what it owned before; otherwise a claim would be erased, and with it,
    at the applier's next apply, somebody's field. So it is with the first claim of a manager that the stored object
    does not know. A manager that updates may be missing: two controllers that write one untrimmed list in turns take
    it from each other, and to the API server an update that changes nothing is no claim. For the same reason an
    applier from whom ``writer`` (a field manager) took something gets it back, or its next apply would be a conflict,
    and then the writer's claim, new or not, is none either. When nobody tells who writes, the applier itself may have
    let go of something, and that is to be kept.
    """
    if not (submitted.readable and stored.readable) or (submitted.raw is None) != (stored.raw is None):
        return False
    sent = {identity: pruned.get(at, submitted.fields(at)) for identity, at in submitted.appliers.items()}
    before = {identity: stored.fields(at) for identity, at in stored.appliers.items()}
    changed = {identity for identity in sent.keys() | before.keys() if sent.get(identity) != before.get(identity)}
    if not changed:
        known = {entry.identity for entry in stored.entries}
        return all(entry.identity in known for entry in submitted.entries)
    return writer is not None and all(
        identity[0] != writer and identity in before and _lost_some(sent.get(identity), before[identity])
        for identity in changed
    )


def _lost_some(part: Fields | None, whole: Fields | None) -> bool:
    """True when every field of ``part`` (None: the entry is gone) is one of ``whole``."""
    return part is None or within(part, whole)


def restore_operations(submitted: Ownership, stored: Ownership) -> list[Op]:
    """The fewest bytes that turn the submitted ``managedFields`` into the stored ones, entry by entry.

    Together with the stored status this makes a write a no-op whatever the number of managers; the API server
    compares entries by index, so their order is restored too.
    """
    if submitted.raw is None or stored.raw is None or submitted.raw == stored.raw:
        return []
    if len(submitted.entries) != len(stored.entries):
        return [Op("replace", MANAGED_FIELDS, bytes(stored.raw))]
    raws = zip(submitted.raw_entries, stored.raw_entries, strict=True)
    return [
        _restored_entry(position, submitted.entries[position], stored.entries[position], raw)
        for position, (sent, raw) in enumerate(raws)
        if sent != raw
    ]


def _restored_entry(position: int, sent: Entry, stored: Entry, raw: Raw) -> Op:
    here = f"{MANAGED_FIELDS}/{position}"
    if sent.identity == stored.identity and sent.fields_v1 == stored.fields_v1 and sent.time and stored.time:
        return Op("replace", f"{here}/time", msgspec.json.encode(stored.time))
    return Op("replace", here, bytes(raw))
