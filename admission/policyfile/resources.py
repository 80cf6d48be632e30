"""Which resources a policy may name, in the form of a webhook rule."""

from __future__ import annotations

import re
from typing import Final

from admission.policyfile.wording import quote

SERVED_GROUPS: Final = frozenset(
    {
        "",
        "admission.k8s.io",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "extensions",
        "flowcontrol.apiserver.k8s.io",
        "imagepolicy.k8s.io",
        "internal.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        "storagemigration.k8s.io",
    }
)
"""Groups that the API server serves itself (k8s.io/api): no custom resources, and the cluster stands on them.

Compared whole: ``snapshot.storage.k8s.io`` and ``gateway.networking.k8s.io`` are groups of custom resources.
"""

NEVER: Final = frozenset({("", "nodes"), ("", "pods"), ("coordination.k8s.io", "leases")})
"""Group and resource of what no webhook of ours may stand in the way of: heartbeats, scheduling, leader election."""

_GROUP: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_VERSION: Final = re.compile(r"v[1-9]\d*((alpha|beta)[1-9]\d*)?|[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_NAME: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_STATUS: Final = "/status"
_SIBILANTS: Final = ("x", "ch", "sh")
_VOWELS: Final = frozenset("aeiou")


def checked_group(group: str) -> str:
    """An API group by name.

    Raises:
        ValueError: it is ``*`` or no name.
    """
    if "*" in group:
        raise ValueError(f"{quote(group)} would match groups that nobody named; name every group")
    if group and not _GROUP.fullmatch(group):
        raise ValueError(f"{quote(group)} is no API group; write for example batch.volcano.sh, without a version")
    return group


def checked_version(version: str) -> str:
    """An API version, or ``*``.

    Raises:
        ValueError: it is neither.
    """
    if version != "*" and not _VERSION.fullmatch(version):
        raise ValueError(f'{quote(version)} is no API version; write for example v1alpha1 (without the group), or "*"')
    return version


def checked_resource(resource: str) -> str:
    """A resource as a rule names it: ``x``, ``x/status`` or ``*/status``.

    Raises:
        ValueError: it is anything else; the message says what to write.
    """
    name, slash, subresource = resource.partition("/")
    if resource == f"*{_STATUS}" or (_NAME.fullmatch(name) and (not slash or subresource == "status")):
        return resource
    raise ValueError(f"{quote(resource)} {_what_to_write(name, slash, subresource)}")


def _what_to_write(name: str, slash: str, subresource: str) -> str:
    if name == "*":
        return f'would match what is no status; write "*{_STATUS}" or name the resources'
    if not _NAME.fullmatch(name):
        plain = plural_of(name)
        example = plain if name and _NAME.fullmatch(plain) else "jobs"
        return f"is no resource; write its plural in lower case, for example {example}{_STATUS}"
    if subresource == "*":
        return f"would match every subresource; write {name}{_STATUS}"
    return f"is not a status; write {name}{_STATUS}, or {name} when it has no status subresource"


def plural_of(kind: str) -> str:
    """The resource that a kind is probably served as; what ends in ``s`` is taken for a plural.

    As Kubernetes guesses (``UnsafeGuessKindToResource`` in ``k8s.io/apimachinery/pkg/api/meta``).
    """
    word = kind.lower()
    if word.endswith("s"):
        return word
    if word.endswith(_SIBILANTS):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}s"
