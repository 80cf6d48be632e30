"""Where policies are judged: at a resource of which the schema is known, if there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from admission.engine.policy import Policy
from admission.engine.schema import Schemas
from admission.policyfile.meetings import Where

_ANY: Final = "*"


def known_place(where: Where, policies: Sequence[Policy], schemas: Schemas) -> Where:
    """A resource and version with a known schema that all policies look at; ``where`` itself when there is none.

    A rule may name any version or resource, and ``where`` is then one that nobody serves.
    """
    if not schemas.by_resource or schemas.at(where.group, where.version, where.resource) is not None:
        return where
    for group, version, resource in sorted(schemas.by_resource):
        if group == where.group and resource == where.resource and _all_look(policies, group, version, where.endpoint):
            return replace(where, version=version)
    if where.endpoint.partition("/")[0] != _ANY:
        return where
    for group, version, resource in sorted(schemas.by_resource):
        if group == where.group and _all_look(policies, group, version, where.endpoint):
            return replace(where, endpoint=f"{resource}/{where.subresource}", version=version)
    return where


def _all_look(policies: Sequence[Policy], group: str, version: str, endpoint: str) -> bool:
    return all(
        any(
            group in rule.groups and _names(rule.resources, endpoint) and rule.covers_version(version)
            for rule in policy.match.resources
        )
        for policy in policies
    )


def _names(resources: Sequence[str], endpoint: str) -> bool:
    return endpoint in resources or f"{_ANY}/{endpoint.partition('/')[2]}" in resources
