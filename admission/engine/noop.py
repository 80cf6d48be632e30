"""Writes that change nothing: the roots and who owns what are as they are stored.

Only both together make a write a no-op to the API server, whoever else writes the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Raw

from admission.engine.attributes import Attributes
from admission.engine.document import Document
from admission.engine.elements import Fields
from admission.engine.ownership import may_restore
from admission.engine.values import Object, is_null, opened, same

_REWRITTEN_BY_THE_SERVER: Final = frozenset({"resourceVersion", "generation", "managedFields"})


def may_become_stored(document: Document, attributes: Attributes, pruned: Mapping[int, Fields]) -> bool:
    """True when nobody loses anything by a write whose roots become what is stored.

    ``pruned`` is what trimming leaves of the submitted ``fieldsV1``, by position.
    """
    owners, stored = document.ownership, document.stored_ownership
    return may_restore(owners, stored, pruned, attributes.field_manager) and (
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
