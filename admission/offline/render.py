"""Manifests from policies: what has to be registered so that the webhook is called for them, and for nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from admission.engine.attributes import STATUS
from admission.engine.policy import Mode, Policy, PolicySet
from admission.errors import PolicyError
from admission.offline.target import MUTATE, VALIDATE, Manifest, ServiceTarget, UrlTarget
from admission.policyfile.resources import NEVER
from admission.prefilter import Filter, Need, filter_of, need_of, need_of_limits

CONFIGURATION_NAME: Final = "zz-statuscap"
"""Webhooks run in the order of their configurations' names: the last one sees what the others added."""

LABELS: Final = {"app.kubernetes.io/name": "statuscap"}

TIMEOUT_SECONDS: Final = 2
"""What a write waits at most when the webhook hangs; an answer takes milliseconds."""

_DOMAIN: Final = "statuscap.dev"
_LONGEST_NAME: Final = 253
_ANY: Final = "*"
_CORE: Final = "core"
_NAMESPACES_LEFT_OUT: Final = ("kube-node-lease", "kube-system")


@dataclass(frozen=True, slots=True, order=True)
class Registration:
    """One group and endpoint (``jobs/status``, ``applications``, ``*/status``) that the webhook is called for."""

    group: str
    endpoint: str
    versions: tuple[str, ...]

    @property
    def name(self) -> str:
        """A DNS name that is this registration's alone, whatever else is registered."""
        return self._named("")

    @property
    def limits_name(self) -> str:
        """The name of its entry in the validating phase."""
        return self._named("limits.")

    def _named(self, phase: str) -> str:
        resource, _, subresource = self.endpoint.partition("/")
        kind = phase if subresource else f"{phase}object."
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
    policies: PolicySet,
    target: ServiceTarget | UrlTarget,
    ca_bundle: bytes | None = None,
    *,
    pre_filters: bool = False,
) -> Manifest:
    """The MutatingWebhookConfiguration for every policy that is not ``Off``.

    ``ca_bundle`` is PEM. With ``pre_filters`` the API server does not call for writes that it can see no policy has
    anything to do with. ``failurePolicy: Ignore``, so that the webhook is never the reason that a write fails.
    ``matchPolicy: Equivalent``: a write in a version that no rule names is converted to one that a policy was written
    for; rules for all versions need no conversion.

    Raises:
        PolicyError: a rule covers what must never be intercepted.
    """
    client_config = _trusted(target.client_config(MUTATE), ca_bundle)
    more = {"reinvocationPolicy": "IfNeeded"}
    filters = filters_of(policies) if pre_filters else {}
    entries = [
        _entry(each.name, each, client_config, target.namespace, filters.get(each), **more)
        for each in registrations(policies)
    ]
    return _configuration("MutatingWebhookConfiguration", entries)


def validating_configuration(
    policies: PolicySet,
    target: ServiceTarget | UrlTarget,
    ca_bundle: bytes | None = None,
    *,
    pre_filters: bool = False,
) -> Manifest | None:
    """The ValidatingWebhookConfiguration for the enforced policies that reject; None when there is none.

    It doubles the calls for their resources. Its entries have names of their own: the API server keeps one value of an
    audit annotation for a name, and counts by it.

    Raises:
        PolicyError: a rule covers what must never be intercepted.
    """
    client_config = _trusted(target.client_config(VALIDATE), ca_bundle)
    rejecting = policies.rejecting
    filters = filters_of(rejecting, need_of_limits) if pre_filters else {}
    entries = [
        _entry(each.limits_name, each, client_config, target.namespace, filters.get(each))
        for each in registrations(rejecting)
    ]
    return _configuration("ValidatingWebhookConfiguration", entries) if entries else None


def _configuration(kind: str, entries: Sequence[Manifest]) -> Manifest:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": CONFIGURATION_NAME, "labels": dict(LABELS)},
        "webhooks": [*entries],
    }


def _trusted(client_config: Manifest, ca_bundle: bytes | None) -> Manifest:
    return client_config if ca_bundle is None else {**client_config, "caBundle": base64.b64encode(ca_bundle).decode()}


def _entry(
    name: str,
    registration: Registration,
    client_config: Manifest,
    namespace: str,
    pre_filter: Filter | None,
    **more: str,
) -> Manifest:
    conditions = [] if pre_filter is None else pre_filter.conditions()
    return {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": client_config,
        "failurePolicy": "Ignore",
        **({"matchConditions": conditions} if conditions else {}),
        "matchPolicy": "Equivalent",
        "namespaceSelector": _namespaces_but(namespace),
        **more,
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


def filters_of(policies: PolicySet, need: Callable[[Policy], Need] = need_of) -> dict[Registration, Filter]:
    """The pre-filter of each registration, for all policies that look at its writes."""
    active = [policy for policy in policies.policies if policy.mode is not Mode.OFF]
    return {
        each: filter_of([policy for policy in active if _looks_at(policy, each)], need)
        for each in registrations(policies)
    }


def _looks_at(policy: Policy, registration: Registration) -> bool:
    every, endpoint = registration.endpoint.startswith(f"{_ANY}/"), registration.endpoint
    return any(
        registration.group in rule.groups
        and any(found == endpoint or (every and found.endswith(f"/{STATUS}")) for found in rule.resources)
        for rule in policy.match.resources
    )


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
