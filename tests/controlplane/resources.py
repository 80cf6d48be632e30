"""Which collection of the API a request is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Resource:
    """One served resource; ``namespace`` None: cluster-scoped. The core group is ``""``."""

    group: str
    version: str
    plural: str
    namespace: str | None = "default"

    def inside(self, namespace: str) -> Self:
        """Return the same resource in another namespace."""
        return replace(self, namespace=namespace)

    @property
    def group_path(self) -> str:
        """The path of the group and version, which is also that of their discovery document."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def path(self, name: str = "", subresource: str = "") -> str:
        """Return the URL path of the collection, of one object, or of a subresource of it."""
        scope = ["namespaces", self.namespace] if self.namespace is not None else []
        return "/".join(part for part in (self.group_path, *scope, self.plural, name, subresource) if part)


CRDS = Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions", namespace=None)
NAMESPACES = Resource("", "v1", "namespaces", namespace=None)
CONFIG_MAPS = Resource("", "v1", "configmaps")
MUTATING_WEBHOOKS = Resource("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", namespace=None)
VALIDATING_WEBHOOKS = Resource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", namespace=None)
