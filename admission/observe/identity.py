"""Which object a review is about: the two members of its metadata that tell one write from another."""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec import Struct

from admission.engine.attributes import Attributes

LONGEST_NAME: Final = 1_024
"""Characters: a group and a name have 253, a resource and a namespace 63."""


class Identity(Struct, frozen=True, rename="camel"):
    """The uid and the version of an object; empty where it has none yet."""

    uid: str = ""
    resource_version: str = ""


class _Object(Struct):
    metadata: Identity | None = None


_METADATA: Final = msgspec.json.Decoder(_Object)
_METADATA_FIRST: Final = re.compile(rb'\{"apiVersion":"[^"\\]*","kind":"[^"\\]*","metadata":\{')
_AS_GO_SORTS: Final = re.compile(
    rb'"resourceVersion":"([0-9]+)"(?:,"selfLink":"[^"]*")?,"uid":"([0-9a-f-]+)"\}'
    rb'(?!,"(?:creationTimestamp|deletion[GT][a-zA-Z]+|finalizers|generat(?:eName|ion)|labels|managedFields|name'
    rb'|namespace|ownerReferences|resourceVersion)":)'
)
"""The two at the end of a stored object's metadata, as the API server sends it: they are always there, and the search
ends soon. Annotations and labels may be called the same; behind those there is more metadata."""


def name_of(attributes: Attributes) -> str:
    """The object as ``group/resource/namespace/name``; empty when the API server is still to make its name.

    Empty as well when it is longer than any that the API server knows: what remembers names is then bounded in bytes.
    """
    if not attributes.name:
        return ""
    name = f"{attributes.group}/{attributes.resource}/{attributes.namespace}/{attributes.name}"
    return name if len(name) <= LONGEST_NAME else ""


def identity_of(attributes: Attributes) -> Identity:
    """Whose status it is: from the stored object, since a PUT may leave the uid out; on CREATE from the submitted."""
    value = attributes.submitted if attributes.stored is None else attributes.stored
    as_go_sorts = attributes.compact and attributes.stored is not None and _METADATA_FIRST.match(value)
    found = _AS_GO_SORTS.search(value) if as_go_sorts else None
    if found is not None:
        return Identity(found[2].decode(), found[1].decode())
    try:
        return _METADATA.decode(value).metadata or Identity()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Identity()
