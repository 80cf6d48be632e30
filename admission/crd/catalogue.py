"""Many CRDs, found by group and resource."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from admission.crd.definition import Definition
from admission.engine.schema import Schemas

SchemasByName: TypeAlias = Mapping[str, Schemas]
"""Schemas by the name of the CRD that they are of: ``jobs.batch.volcano.sh``."""


@dataclass(frozen=True)
class Catalogue:
    """The CRDs that are known, each once."""

    definitions: tuple[Definition, ...] = ()

    @classmethod
    def merged(cls, *catalogues: Catalogue) -> Catalogue:
        """All of several; of a CRD that is known several times, the last one."""
        known = {definition.name: definition for each in catalogues for definition in each.definitions}
        return cls(tuple(known.values()))

    @cached_property
    def by_group(self) -> Mapping[str, Mapping[str, Definition]]:
        """Definitions by group and plural."""
        groups: defaultdict[str, dict[str, Definition]] = defaultdict(dict)
        for definition in self.definitions:
            groups[definition.group][definition.plural] = definition
        return dict(groups)

    def of(self, group: str) -> Mapping[str, Definition]:
        """The definitions of a group by their plural."""
        return self.by_group.get(group, {})

    @property
    def by_name(self) -> SchemasByName:
        """What the engine needs of them, by the name of the CRD."""
        return {definition.name: Schemas(dict(definition.demands)) for definition in self.definitions}

    @property
    def schemas(self) -> Schemas:
        """What the engine needs of them."""
        return together(self.by_name)


def together(*known: SchemasByName) -> Schemas:
    """The schemas of many CRDs as one; of a name that is known several times, the last ones."""
    merged = {name: schemas for each in known for name, schemas in each.items()}
    return Schemas({key: schema for schemas in merged.values() for key, schema in schemas.by_resource.items()})


NOTHING: Final = Catalogue()
"""No CRD is known."""
