"""A pair of policies and a write, with the schema that is known of the object: what every oracle judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from admission.engine.attributes import Attributes
from admission.engine.policy import Policy, PolicySet
from admission.engine.schema import ANY, UNKNOWN, Schema, Schemas
from tests.engine.build import Json


@dataclass(frozen=True)
class Pair:
    """``openapi`` is the ``openAPIV3Schema`` of the object's kind, None when nothing is known of it; ``schemas`` too.

    To change the schema make another pair: reading it takes longer than all the rest.
    """

    policies: tuple[Policy, ...]
    attributes: Attributes
    openapi: Json = None
    schemas: Schemas = UNKNOWN

    @classmethod
    def of(cls, policies: Sequence[Policy], attributes: Attributes, openapi: Json = None) -> Pair:
        """A pair whose schema is read."""
        known = UNKNOWN if openapi is None else Schemas({(ANY, ANY, ANY): Schema.of(openapi)})
        return cls(tuple(policies), attributes, openapi, known)

    @cached_property
    def policy_set(self) -> PolicySet:
        """The policies as the engine takes them."""
        return PolicySet.of(self.policies, self.schemas)

    def under(self, policies: Iterable[Policy]) -> Pair:
        """The same write under other policies."""
        return replace(self, policies=tuple(policies))

    def sending(self, attributes: Attributes) -> Pair:
        """Another write under the same policies."""
        return replace(self, attributes=attributes)
