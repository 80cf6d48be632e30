"""A CRD (``apiextensions.k8s.io/v1``) as far as it matters here: names, versions, subresources, schemas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Self

import msgspec

from admission.crd.demands import Key, demands_of
from admission.engine.attributes import STATUS
from admission.engine.schema import OpenApi, Schema

KIND: Final = "CustomResourceDefinition"
API_VERSION: Final = "apiextensions.k8s.io/v1"


class _Names(msgspec.Struct, rename="camel"):
    plural: str
    kind: str
    singular: str | None = None
    short_names: list[str] | None = None


class _Schema(msgspec.Struct):
    openapi: dict[str, Any] | None = msgspec.field(default=None, name="openAPIV3Schema")


class _Version(msgspec.Struct):
    name: str
    served: bool = True
    schema: _Schema | None = None
    subresources: dict[str, Any] | None = None


class Spec(msgspec.Struct):
    """The ``spec`` of a CRD on the wire; what is not named here is passed over."""

    group: str
    names: _Names
    versions: list[_Version]


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a kind. ``openapi`` is its ``openAPIV3Schema``, empty when it has none."""

    name: str
    served: bool
    has_status: bool
    openapi: OpenApi = field(repr=False)


@dataclass(frozen=True, slots=True)
class Definition:
    """A kind of custom resource."""

    group: str
    plural: str
    singular: str
    kind: str
    short_names: tuple[str, ...]
    versions: tuple[Version, ...]

    @property
    def name(self) -> str:
        """The name of the CRD: ``jobs.batch.volcano.sh``."""
        return f"{self.plural}.{self.group}"

    @property
    def served(self) -> tuple[Version, ...]:
        """The versions that the API server answers to."""
        return tuple(version for version in self.versions if version.served)

    @property
    def demands(self) -> Iterator[tuple[Key, Schema]]:
        """What the schema of every version demands."""
        return (((self.group, version.name, self.plural), demands_of(version.openapi)) for version in self.versions)

    @classmethod
    def read(cls, spec: object) -> Self:
        """Read the ``spec`` of a CRD.

        Raises:
            msgspec.ValidationError: it is none; the message says what is missing, and where.
        """
        return cls.of(msgspec.convert(spec, Spec))

    @classmethod
    def of(cls, spec: Spec) -> Self:
        """What a decoded ``spec`` says."""
        names = spec.names
        return cls(
            group=spec.group,
            plural=names.plural,
            singular=names.singular or names.kind.lower(),
            kind=names.kind,
            short_names=tuple(names.short_names or ()),
            versions=tuple(map(_version, spec.versions)),
        )


def _version(version: _Version) -> Version:
    openapi = version.schema.openapi if version.schema is not None else None
    has_status = version.subresources is not None and version.subresources.get(STATUS) is not None
    return Version(version.name, version.served, has_status, openapi or {})
