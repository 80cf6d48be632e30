"""Which objects a policy is enforced for while it is rolled out to a part of them.

Every object has a share of its own, a number that follows from its group, resource, namespace and name alone. So an
object never changes sides by itself, a growing percentage only adds objects, and all policies reach the same ones
first.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from admission.engine.attributes import Attributes
from admission.engine.values import opened

EVERYBODY: Final = 100
NOBODY: Final = 0
_GENERATED: Final = b'"generateName"'


def share_of(attributes: Attributes) -> int | None:
    """The object's number, 0 to 99: it is in a rollout of more percent. None while it has no name of its own.

    Raises:
        DocumentError: the object's metadata cannot be read.
    """
    if not attributes.name or (attributes.stored is None and _is_generated(attributes)):
        return None  # the mutating phase knows no name yet, and both phases must agree
    named = "/".join((attributes.group, attributes.resource, attributes.namespace, attributes.name))
    return int.from_bytes(sha256(named.encode("utf-8", "replace")).digest()[:8]) % EVERYBODY


def _is_generated(attributes: Attributes) -> bool:
    if _GENERATED not in bytes(attributes.submitted):
        return False
    members = opened(attributes.submitted)
    metadata = opened(members["metadata"]) if isinstance(members, dict) and "metadata" in members else None
    return isinstance(metadata, dict) and "generateName" in metadata
