"""What not every supported API server can do, with a look at the server for each.

A test that needs one of them calls ``ability.needed(client)``: on a server that lacks it the test is skipped, and the
reason says what is lacking. The README's table has a line for each; ``test_versions`` compares all of them with the
servers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.resources import MUTATING_WEBHOOKS
from tests.e2e.barrier import barrier
from tests.e2e.tightened import accepts_what_stayed

Json = dict[str, Any]
Look = Callable[[ApiClient], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Ability:
    """One thing that the API servers ``lacked_by`` (versions) cannot do; ``look`` asks the server itself."""

    name: str
    lacked_by: tuple[str, ...]
    look: Look

    async def needed(self, client: ApiClient) -> None:
        """Skip the test on a server without it."""
        self.skip_where_lacking(await version_of(client))

    def skip_where_lacking(self, version: str) -> None:
        """Skip the test on a version without it."""
        if version in self.lacked_by:
            pytest.skip(f"kube-apiserver {version} lacks: {self.name}")


async def version_of(client: ApiClient) -> str:
    """Return what the server calls itself: ``v1.36.3``."""
    version: str = (await client.request("GET", "/version")).body["gitVersion"]
    return version


def serves(kind: str) -> Look:
    """Return a look for a kind of ``admissionregistration.k8s.io/v1``."""

    async def look(client: ApiClient) -> bool:
        discovery = await client.request("GET", "/apis/admissionregistration.k8s.io/v1")
        return kind in [one["kind"] for one in discovery.body["resources"]]

    return look


def measures(metric: str) -> Look:
    """Return a look for a metric; one that has no value yet has its help text."""

    async def look(client: ApiClient) -> bool:
        text = (await client.request("GET", "/metrics")).raw.decode()
        return f"# HELP {metric} " in text

    return look


def compiles(expression: str) -> Look:
    """Return a look for the CEL of a webhook's matchConditions, which is compiled when the webhook is registered."""

    async def look(client: ApiClient) -> bool:
        configuration = barrier(MUTATING_WEBHOOKS, "compiles")
        configuration["webhooks"][0]["matchConditions"] = [{"name": "tried", "expression": expression}]
        answer = await client.create(MUTATING_WEBHOOKS, configuration, request_dry_run=True)
        assert answer.status == 201 or (answer.status == 422 and "undeclared reference" in answer.body["message"])
        return answer.status == 201

    return look


POLICIES: Final = Ability("`MutatingAdmissionPolicy` beside it", ("v1.30.14",), serves("MutatingAdmissionPolicy"))
ABILITIES: Final = (
    POLICIES,
    Ability(
        "a status that a tightened schema refuses is accepted where it stays as it was",
        ("v1.30.14",),
        accepts_what_stayed,
    ),
    Ability(
        "`sortBy`, `slice` and `distinct` in `matchConditions`",
        ("v1.30.14",),
        compiles("object.status.list.sortBy(one, one.time).slice(0, 1).distinct().size() > 0"),
    ),
    Ability(
        "the metric `apiserver_resource_size_estimate_bytes`",
        ("v1.30.14",),
        measures("apiserver_resource_size_estimate_bytes"),
    ),
    Ability("the metric `apiserver_resource_objects`", ("v1.30.14",), measures("apiserver_resource_objects")),
    Ability("the metric `apiserver_storage_objects`", ("v1.37.2",), measures("apiserver_storage_objects")),
)
