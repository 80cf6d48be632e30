"""One random review: a pair and the bytes that the API server would send, whole or damaged."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from tests.engine import strategies
from tests.engine.build import GROUP, go
from tests.engine.pair import Pair
from tests.engine.strategies import Seeded

UID = "705ab4f5-6393-11e8-b7cc-42010a800002"
STRIDE = 1_000_003  # a prime, so that neighbouring seeds share no reviews


@dataclass(frozen=True, slots=True)
class Review:
    """A pair as a review; ``damage`` bends what is sent."""

    pair: Pair
    damage: str = ""

    @property
    def body(self) -> bytes:
        """What the API server would send."""
        if not self.damage:
            return envelope(self.pair.attributes)
        chance = random.Random(self.damage)
        return chance.choice(_DAMAGES)(chance, self.pair.attributes)


def make(seed: int, number: int) -> Review:
    """The review of a number."""
    dice = Seeded(random.Random(seed * STRIDE + number))
    pair = strategies.a_pair(dice)
    damage = f"{seed}:{number}" if strategies.happens(dice, 8) else ""
    return Review(pair.sending(bent(pair.attributes, uid=UID)), damage)


def envelope(attributes: Attributes, submitted: bytes = b"") -> bytes:
    """The body as Go writes it: the members of the review in its order, the objects' bytes untouched.

    What is not in Go's form comes in an envelope that is not, either.
    """
    parts = {
        "uid": go(attributes.uid),
        "kind": go({"group": GROUP, "version": attributes.version, "kind": "Job"}),
        "resource": go({"group": GROUP, "version": attributes.version, "resource": attributes.resource}),
        "subResource": go(attributes.subresource),
        "name": go(attributes.name),
        "namespace": go(attributes.namespace),
        "operation": go(attributes.operation),
        "userInfo": go({"username": attributes.user}),
        "object": submitted or bytes(attributes.submitted),
        "oldObject": bytes(attributes.stored or b"null"),
        "dryRun": go(attributes.request_dry_run),
    }
    if attributes.field_manager is not None:
        parts["options"] = go({"fieldManager": attributes.field_manager} if attributes.field_manager else {})
    request = b",".join(b'"%s":%s' % (name.encode(), value) for name, value in parts.items())
    blank = b"" if attributes.compact else b" "
    return b'{"kind":%s"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{%s}}\n' % (blank, request)


# --- damage ----------------------------------------------------------------------------------------------------------


def _cut(chance: random.Random, attributes: Attributes) -> bytes:
    whole = envelope(attributes)
    return whole[: chance.randrange(len(whole))]


def _one_byte_bent(chance: random.Random, attributes: Attributes) -> bytes:
    whole = envelope(attributes)
    at = chance.randrange(len(whole))
    return whole[:at] + bytes([chance.randrange(256)]) + whole[at + 1 :]


def _too_deep(chance: random.Random, attributes: Attributes) -> bytes:
    """Nested as deep as no decoder goes, or just so."""
    levels = chance.choice((450, 900, 990, 1_010, 5_000))
    opening, closing = chance.choice(((b"[", b"]"), (b'{"conditions":', b"}")))
    deep = opening * levels + b"7" + closing * levels
    return envelope(attributes, b'{"metadata":{},"status":{"extra":%s,"history":%s}}' % (deep, deep))


def _no_object(chance: random.Random, attributes: Attributes) -> bytes:
    """Objects that no API server sends."""
    return envelope(attributes, chance.choice(_NO_OBJECTS))


def _no_review(chance: random.Random, attributes: Attributes) -> bytes:
    """Bodies that nobody can be answered for."""
    whole = envelope(attributes)
    return chance.choice((b"", b"{}", b"[]", whole[: chance.randrange(80)], whole.replace(UID.encode(), b"")))


_NO_OBJECTS: Sequence[bytes] = (
    b"null",
    b"[]",
    b"7",
    b'"text"',
    b"{}",
    b'{"metadata":null,"status":{"history":[1,2,3,4,5,6,7]}}',
    b'{"metadata":[7],"status":{"history":[1,2,3,4,5,6,7]}}',
    b'{"metadata":{"labels":{"team":7}},"status":{"history":[1,2,3,4,5,6,7]}}',
    b'{"metadata":{"labels":null,"managedFields":null},"status":null}',
    b'{"metadata":{},"status":{"message":"\\ud800"}}',
    b'{"metadata":{},"status":{"message":"\xff"}}',
)
_DAMAGES: Sequence[Callable[[random.Random, Attributes], bytes]] = (
    _cut,
    _one_byte_bent,
    _one_byte_bent,
    _too_deep,
    _no_object,
    _no_object,
    _no_review,
)
