"""With pre-filters the API server calls for the writes that there is something to do with, and for no others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, WIDGETS
from tests.controlplane.resources import Resource
from tests.controlplane.servers import ControlPlane
from tests.e2e.conftest import NamespaceMaker, in_charge
from tests.e2e.objects import KEPT, conditions, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import STATUS, merge_patch

Json = dict[str, Any]

WEBHOOK = "zz-filtered"


@pytest.fixture(scope="module")
def filtered(plane: ControlPlane) -> Iterator[Statuscap]:
    """A product whose registration has pre-filters, for namespaces of its own."""
    policies = [policy("filtered", mode="Enforce", scope=Scope.OTHER)]
    with in_charge(plane, Statuscap(policies, name=WEBHOOK, registration=["--pre-filters"])) as running:
        yield running


async def writes(client: ApiClient, resource: Resource, status: Json) -> Json:
    """Write a status to a new object; returns what is stored."""
    name = f"o{len(str(status))}"
    await client.create(resource, made(resource, name))
    answer = await merge_patch(client, resource, name, {"status": status}["status"], subresource=STATUS)
    assert answer.status == 200, answer.body
    return answer.body["status"]  # type: ignore[no-any-return]


def calls(product: Statuscap) -> float:
    return sum(sample.value for sample in product.metrics("statuscap_reviews_total"))


@pytest.mark.parametrize("resource", [GADGETS, WIDGETS], ids=lambda each: each.plural)
async def test_only_what_there_is_something_to_do_with_is_sent(
    filtered: Statuscap, client: ApiClient, new_namespace: NamespaceMaker, resource: Resource
) -> None:
    inside = resource.inside(await new_namespace(Scope.OTHER))
    before = calls(filtered)
    for status in ({"phase": "Running"}, {"conditions": conditions()[:KEPT]}, {"message": "short"}):
        await writes(client, inside, status)
    assert calls(filtered) == before
    long = await writes(client, inside, {"conditions": conditions()})
    assert calls(filtered) == before + 1
    assert len(long["conditions"]) == KEPT
    cut = await writes(client, inside, {"message": "x" * 5_000})
    assert calls(filtered) == before + 2
    assert len(cut["message"]) < 5_000


async def test_no_pre_filter_fails(filtered: Statuscap, client: ApiClient) -> None:
    assert filtered.ready()
    failed = await client.metrics("apiserver_admission_match_condition_evaluation_errors_total")
    assert [sample for sample in failed if sample.value and WEBHOOK in str(sample.labels)] == []
