"""Each supported kube-apiserver is the one that was asked for, and has and lacks what the README says of it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.controlplane.build import Pin
from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, GROUP
from tests.controlplane.resources import Resource
from tests.controlplane.waiting import eventually
from tests.e2e.abilities import ABILITIES, POLICIES, Ability, version_of
from tests.e2e.etcd import stored
from tests.e2e.objects import KEPT, conditions, made
from tests.e2e.verbs import merge_patch

Json = dict[str, Any]

MUTATING_POLICIES = Resource("admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies", namespace=None)
BINDINGS = Resource("admissionregistration.k8s.io", "v1", "mutatingadmissionpolicybindings", namespace=None)
DOUBLES = "doubles-conditions"
FEW = KEPT - 2  # conditions that are too many once there are twice as many

given = pytest.mark.skipif(
    bool(os.environ.get("KUBEBUILDER_ASSETS")), reason="KUBEBUILDER_ASSETS chose the server, whatever its version"
)


@given
async def test_the_server_is_the_version_that_was_asked_for(client: ApiClient, kube_apiserver: Pin) -> None:
    assert await version_of(client) == kube_apiserver.version


@given
@pytest.mark.parametrize("ability", ABILITIES, ids=[ability.name.replace("`", "") for ability in ABILITIES])
async def test_a_server_has_what_the_readme_says(client: ApiClient, kube_apiserver: Pin, ability: Ability) -> None:
    """Where the server does lack it, as the README says, the test counts as skipped."""
    assert await ability.look(client) is (kube_apiserver.version not in ability.lacked_by)
    ability.skip_where_lacking(kube_apiserver.version)


def doubling(namespaces: list[str]) -> list[tuple[Resource, Json]]:
    """Return an in-tree policy that writes all conditions of gadgets twice, in these namespaces, and its binding."""
    rule = {"apiGroups": [GROUP], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["gadgets/status"]}
    inside = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces}
    twice = "object.status.conditions + object.status.conditions"
    patch = f'[JSONPatch{{op: "replace", path: "/status/conditions", value: {twice}}}]'
    api = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": DOUBLES}}
    spec = {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [rule], "namespaceSelector": {"matchExpressions": [inside]}},
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}],
    }
    return [
        (MUTATING_POLICIES, {**api, "kind": "MutatingAdmissionPolicy", "spec": spec}),
        (BINDINGS, {**api, "kind": "MutatingAdmissionPolicyBinding", "spec": {"policyName": DOUBLES}}),
    ]


@pytest_asyncio.fixture
async def doubled(client: ApiClient, namespace: str, untouched: str) -> AsyncIterator[str]:
    """The namespace in which the product is in charge, beside an in-tree policy that writes conditions twice."""
    await POLICIES.needed(client)
    documents = doubling([namespace, untouched])
    for resource, document in documents:
        answer = await client.create(resource, document)
        assert answer.status == 201, answer.body
    control = GADGETS.inside(untouched)
    await client.create(control, made(GADGETS, "control"))

    async def in_force() -> bool:
        answer = await merge_patch(client, control, "control", {"conditions": conditions(FEW)})
        return answer.status == 200 and len(answer.body["status"]["conditions"]) == 2 * FEW

    try:
        await eventually(in_force, what="obedience to the in-tree policy")
        yield namespace
    finally:
        for resource, _ in documents:
            await client.delete(resource, DOUBLES)


async def test_what_an_in_tree_policy_adds_is_trimmed_too(client: ApiClient, doubled: str) -> None:
    """In-tree policies mutate before webhooks do."""
    resource = GADGETS.inside(doubled)
    await client.create(resource, made(GADGETS, "beside"))
    assert (await merge_patch(client, resource, "beside", {"conditions": conditions(FEW)})).status == 200
    newest = conditions(FEW)[-KEPT // 2 :]
    assert (await stored(client, resource, "beside"))["status"]["conditions"] == [*newest, *newest]
