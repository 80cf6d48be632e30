"""How the API server is told to call the product, and when it does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.e2e.objects import SENT, conditions, made
from tests.e2e.product import Statuscap
from tests.e2e.verbs import STATUS, merge_patch

Json = dict[str, Any]

LONG: Json = {"conditions": conditions(), "phase": "Running"}


async def calls(client: ApiClient) -> dict[str, float]:
    """Return how often the API server called each webhook, by its name."""
    found: dict[str, float] = {}
    for sample in await client.metrics("apiserver_admission_webhook_request_total"):
        name = sample.labels["name"]
        found[name] = found.get(name, 0) + sample.value
    return found


async def called_by(client: ApiClient, resource: Resource, status: Json, subresource: str = STATUS) -> list[str]:
    """Write a status to a new object and return the names of the webhooks that were called for it."""
    await client.create(resource, made(resource, "counted"))
    before = await calls(client)
    answer = await merge_patch(client, resource, "counted", status, subresource=subresource)
    assert answer.status == 200, answer.body
    return [name for name, count in (await calls(client)).items() if count > before.get(name, 0)]


async def test_each_kind_has_a_webhook_of_its_own_in_the_metrics_of_the_api_server(
    client: ApiClient, namespace: str
) -> None:
    gadgets = await called_by(client, GADGETS.inside(namespace), LONG)
    widgets = await called_by(client, WIDGETS.inside(namespace), LONG)
    nosubs = await called_by(client, NOSUBS.inside(namespace), LONG, subresource="")
    assert [len(names) for names in (gadgets, widgets, nosubs)] == [1, 1, 1]
    for names, kind in ((gadgets, GADGETS), (widgets, WIDGETS), (nosubs, NOSUBS)):
        assert kind.plural in names[0]
    assert len({*gadgets, *widgets, *nosubs}) == 3


async def test_kube_system_is_left_alone(client: ApiClient, product: Statuscap) -> None:
    assert product.ready()
    resource = GADGETS.inside("kube-system")
    try:
        assert await called_by(client, resource, LONG) == []
        live = await client.get(resource, "counted")
        assert len(live.body["status"]["conditions"]) == SENT
    finally:
        await client.delete(resource, "counted")


@pytest.mark.parametrize("conditions_field", [None, "text", {"a": 1}], ids=["null", "a text", "a map"])
async def test_a_status_of_another_shape_than_expected_passes(
    client: ApiClient, namespace: str, conditions_field: object
) -> None:
    resource = WIDGETS.inside(namespace)
    await client.create(resource, made(WIDGETS, "odd"))
    status = {"conditions": conditions_field, "phase": "Running"}
    answer = await merge_patch(client, resource, "odd", status)
    assert answer.status == 200
    assert answer.body["status"]["phase"] == "Running"
    errors = await client.metrics("apiserver_admission_match_condition_evaluation_errors_total")
    assert sum(sample.value for sample in errors) == 0


async def test_it_is_registered_so_that_it_never_stops_a_write_and_comes_last(product: Statuscap) -> None:
    (configuration,) = await product.manifests()
    assert configuration["metadata"]["name"].startswith("zz")  # configurations are called in the order of their names
    for webhook in configuration["webhooks"]:
        assert webhook["failurePolicy"] == "Ignore"
        assert webhook["sideEffects"] == "None"
        assert webhook["timeoutSeconds"] <= 3
        assert webhook["reinvocationPolicy"] == "IfNeeded"
