"""Manifests from policies: what has to be registered so that the webhook is called for them, and for nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from admission.engine.attributes import STATUS
from admission.engine.policy import Mode, PolicySet
from admission.errors import PolicyError
from admission.policyfile.resources import NEVER

Manifest: TypeAlias = dict[str, Any]
"""A Kubernetes object in Python's own types, members in the order in which people write them."""

CONFIGURATION_NAME: Final = "zz-statuscap"
"""Webhooks run in the order of their configurations' names: the last one sees what the others added."""

PATH: Final = "/mutate"
SERVICE_PORT: Final = 443
DEFAULT_NAMESPACE: Final = "statuscap"
DEFAULT_SERVICE: Final = "statuscap"
LABELS: Final = {"app.kubernetes.io/name": "statuscap"}

TIMEOUT_SECONDS: Final = 2
"""What a write waits at most when the webhook hangs; an answer takes milliseconds."""

_DOMAIN: Final = "statuscap.dev"
_LONGEST_NAME: Final = 253
_ANY: Final = "*"
_CORE: Final = "core"
_NAMESPACES_LEFT_OUT: Final = ("kube-node-lease", "kube-system")


@dataclass(frozen=True, slots=True)
class ServiceTarget:
    """The webhook behind a Service in the cluster."""

    namespace: str = DEFAULT_NAMESPACE
    name: str = DEFAULT_SERVICE

    def client_config(self) -> Manifest:
        """The API server's way to the webhook."""
        return {"service": {"namespace": self.namespace, "name": self.name, "path": PATH, "port": SERVICE_PORT}}


@dataclass(frozen=True, slots=True)
class UrlTarget:
    """The webhook at an address outside the cluster, or on loopback. ``namespace`` is left out of its calls."""

    url: str
    namespace: str = DEFAULT_NAMESPACE

    @classmethod
    def parse(cls, text: str, namespace: str = DEFAULT_NAMESPACE) -> UrlTarget:
        """Read ``https://HOST:PORT``; the path is the webhook's own.

        Raises:
            PolicyError: the API server would refuse it.
        """
        parts = urlsplit(text)
        plain = parts.scheme == "https" and parts.hostname and not (parts.username or parts.query or parts.fragment)
        if not plain or parts.path not in ("", "/", PATH):
            raise PolicyError(
                f"{text!r} is no address for a webhook; write https://HOST:PORT, without user, path or query"
            )
        return cls(f"https://{parts.netloc}{PATH}", namespace)

    def client_config(self) -> Manifest:
        """The API server's way to the webhook."""
        return {"url": self.url}


@dataclass(frozen=True, slots=True, order=True)
class Registration:
    """One group and endpoint (``jobs/status``, ``applications``, ``*/status``) that the webhook is called for."""

    group: str
    endpoint: str
    versions: tuple[str, ...]

    @property
    def name(self) -> str:
        """A DNS name that is this registration's alone, whatever else is registered."""
        resource, _, subresource = self.endpoint.partition("/")
        kind = "" if subresource else "object."
        name = f"{resource.replace(_ANY, 'all')}.{self.group or _CORE}.{kind}{_DOMAIN}"
        if len(name) <= _LONGEST_NAME:
            return name
        return f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.{kind}{_DOMAIN}"

    @property
    def operations(self) -> list[str]:
        """A status subresource is only ever updated, by every verb."""
        return ["UPDATE"] if "/" in self.endpoint else ["CREATE", "UPDATE"]

    def rule(self) -> Manifest:
        """The webhook rule."""
        return {
            "apiGroups": [self.group],
            "apiVersions": list(self.versions),
            "operations": self.operations,
            "resources": [self.endpoint],
            "scope": "*",
        }


def webhook_configuration(
    policies: PolicySet, target: ServiceTarget | UrlTarget, ca_bundle: bytes | None = None
) -> Manifest:
    """The MutatingWebhookConfiguration for every policy that is not ``Off``.

    ``ca_bundle`` is PEM. ``failurePolicy: Ignore``, so that the webhook is never the reason that a write fails.
    ``matchPolicy: Equivalent``: a write in a version that no rule names is converted to one that a policy was written
    for; rules for all versions need no conversion.

    Raises:
        PolicyError: a rule covers what must never be intercepted.
    """
    client_config = target.client_config()
    if ca_bundle is not None:
        client_config["caBundle"] = base64.b64encode(ca_bundle).decode()
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": CONFIGURATION_NAME, "labels": dict(LABELS)},
        "webhooks": [_entry(each, client_config, target.namespace) for each in registrations(policies)],
    }


def _entry(registration: Registration, client_config: Manifest, namespace: str) -> Manifest:
    return {
        "name": registration.name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": client_config,
        "failurePolicy": "Ignore",
        "matchPolicy": "Equivalent",
        "namespaceSelector": _namespaces_but(namespace),
        "reinvocationPolicy": "IfNeeded",
        "rules": [registration.rule()],
        "sideEffects": "None",
        "timeoutSeconds": TIMEOUT_SECONDS,
    }


def _namespaces_but(own: str) -> Manifest:
    names = sorted({*_NAMESPACES_LEFT_OUT, own})
    return {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": names}]}


def registrations(policies: PolicySet) -> list[Registration]:
    """Disjoint registrations for the rules of all policies that are not ``Off``, sorted.

    ``*/status`` takes in the single statuses of its group: no write is sent twice.

    Raises:
        PolicyError: a rule covers what must never be intercepted.
    """
    versions: dict[tuple[str, str], set[str]] = {}
    for group, endpoint, rule_versions in _rules(policies):
        versions.setdefault((group, endpoint), set()).update(rule_versions)
    for group, endpoint in sorted(versions):
        every = (group, f"{_ANY}/{STATUS}")
        if every in versions and endpoint.endswith(f"/{STATUS}") and (group, endpoint) != every:
            versions[every] |= versions.pop((group, endpoint))
    return sorted(Registration(group, endpoint, _tidy(found)) for (group, endpoint), found in versions.items())


def _rules(policies: PolicySet) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for policy in policies.policies:
        if policy.mode is Mode.OFF:
            continue
        for rule in policy.match.resources:
            for group in rule.groups:
                for endpoint in rule.resources:
                    _refuse_dangerous(policy.name, group, endpoint)
                    yield group, endpoint, rule.versions


def _refuse_dangerous(policy: str, group: str, endpoint: str) -> None:
    resource, _, subresource = endpoint.partition("/")
    everything = _ANY in (group, subresource) or (resource == _ANY and (subresource != STATUS or not group))
    if everything or (group, resource) in NEVER:
        raise PolicyError(
            f"policy {policy}: {endpoint} of the group {group!r} is never registered; name resources of your own"
        )
    if subresource not in ("", STATUS):
        raise PolicyError(f"policy {policy}: {endpoint} holds no status; write {resource}/{STATUS} or {resource}")


def _tidy(versions: Iterable[str]) -> tuple[str, ...]:
    found = set(versions)
    return (_ANY,) if _ANY in found else tuple(sorted(found))
