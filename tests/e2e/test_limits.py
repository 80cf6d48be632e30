"""What is still too big: the rejection as people see it, and the writes that must pass all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GROUP, NOSUBS, WIDGETS
from tests.controlplane.resources import MUTATING_WEBHOOKS, Resource
from tests.controlplane.servers import ControlPlane
from tests.controlplane.waiting import eventually
from tests.e2e.barrier import obeyed
from tests.e2e.bloating import bloats
from tests.e2e.conftest import NamespaceMaker, in_charge
from tests.e2e.etcd import record, stored
from tests.e2e.kubectl import Kubectl
from tests.e2e.objects import conditions, history, made
from tests.e2e.policies import Scope
from tests.e2e.product import Statuscap
from tests.e2e.verbs import VERBS, Verb, merge_patch

Json = dict[str, Any]

NAME = "zz-limits"
FINALIZER = f"{GROUP}/slow"
MUTATING = f"widgets.{GROUP}.statuscap.dev"
VALIDATING = f"widgets.{GROUP}.limits.statuscap.dev"

SMALL: Json = {"history": history(3), "phase": "Running"}
WARNED: Json = {"log": "x" * 12_000}
BIG: Json = {"history": history(200), "conditions": conditions(20), "log": {"text": "y" * 4_000, "code": 0}}
BIGGER: Json = {**BIG, "history": history(201)}
SMALLER: Json = {**BIG, "history": history(199)}


def limiting(name: str, mode: str) -> Json:
    """A policy that only limits, for objects whose names begin with its own."""
    return {
        "apiVersion": "statuscap.dev/v1alpha1",
        "kind": "StatusPolicy",
        "metadata": {"name": name},
        "spec": {
            "mode": mode,
            "match": {
                "resources": [{"apiGroups": [GROUP], "resources": ["widgets/status", "nosubs"]}],
                "namespaces": {"include": [f"{Scope.OTHER}-*"]},
                "names": {"include": [f"{name}-*"]},
            },
            "limits": [
                {"maxBytes": "10Ki", "of": "Object", "action": "Warn"},
                {"maxBytes": "16Ki", "of": "Object", "action": "Reject"},
            ],
        },
    }


@pytest.fixture(scope="module")
def limits(plane: ControlPlane) -> Iterator[Statuscap]:
    """The product with limits in each mode."""
    policies = [limiting("strict", "Enforce"), limiting("told", "Warn"), limiting("quiet", "DryRun")]
    with in_charge(plane, Statuscap(policies, name=NAME)) as running:
        yield running


@pytest.fixture
async def place(new_namespace: NamespaceMaker, limits: Statuscap) -> str:
    """A fresh namespace in which the limits hold."""
    assert limits.ready()
    return await new_namespace(Scope.OTHER)


def message(webhook: str) -> re.Pattern[str]:
    """What a rejection of ``BIG`` or ``BIGGER`` says."""
    return re.compile(
        rf'admission webhook "{re.escape(webhook)}" denied the request: policy strict: the object takes '
        rf"[0-9.]+Ki, [0-9.]+Ki above the limit of 16Ki; heaviest in its status of [0-9.]+Ki: "
        r"status\.history [0-9.]+Ki, status\.log\.text [0-9.]+Ki, status\.conditions [0-9.]+Ki$"
    )


async def test_kubectl_shows_one_line_that_says_what_is_too_big(
    plane: ControlPlane, client: ApiClient, place: str, tmp_path: Path
) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "strict-one"))
    before = await record(client, resource, "strict-one")
    shown = await Kubectl(plane, place, tmp_path).patch_status("widget/strict-one", BIG)
    (error,) = shown.errors.splitlines()  # no warning beside it
    assert shown.code == 1
    assert error.startswith("Error from server (RequestEntityTooLarge): ")
    assert message(MUTATING).search(error)
    assert await record(client, resource, "strict-one") == before


@pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
async def test_every_way_to_write_gets_the_same_answer(
    client: ApiClient, limits: Statuscap, place: str, verb: Verb
) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "strict-one"))
    answer = await verb(client, resource, "strict-one", BIG)
    assert (answer.status, answer.body["reason"]) == (413, "RequestEntityTooLarge")
    assert message(MUTATING).search(answer.body["message"])
    assert "retryAfterSeconds" not in answer.body.get("details", {})
    assert answer.warnings == []
    decision, *_ = await limits.decided(namespace=place, name="strict-one", outcome="Rejected")
    assert (decision["phase"], decision["patchOps"], decision["reason"]) == ("mutating", 0, "AboveLimit")
    assert (await verb(client, resource, "strict-one", SMALL)).status == 200
    assert (await stored(client, resource, "strict-one"))["status"] == SMALL


async def test_what_is_created_too_big_is_rejected(client: ApiClient, place: str) -> None:
    answer = await client.create(NOSUBS.inside(place), made(NOSUBS, "strict-born", status=BIG))
    assert (answer.status, "policy strict: the object takes" in answer.body["message"]) == (413, True)


async def test_a_dry_run_is_rejected_like_a_real_write(client: ApiClient, limits: Statuscap, place: str) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "strict-one"))
    answer = await client.merge_patch(
        resource, "strict-one", {"status": BIG}, subresource="status", request_dry_run=True
    )
    assert answer.status == 413
    decision, *_ = await limits.decided(namespace=place, outcome="Rejected")
    assert decision["requestDryRun"] is True


async def test_a_limit_that_only_warns_shows_as_a_warning(
    plane: ControlPlane, client: ApiClient, place: str, tmp_path: Path
) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "strict-one"))
    shown = await Kubectl(plane, place, tmp_path).patch_status("widget/strict-one", WARNED)
    (warning,) = shown.errors.splitlines()  # both phases say the same, and the API server shows it once
    assert shown.code == 0
    assert warning.startswith("Warning: statuscap: policy strict: the object takes ")
    assert (await stored(client, resource, "strict-one"))["status"] == WARNED


async def test_a_policy_that_only_warns_tells_that_it_would_reject(
    client: ApiClient, limits: Statuscap, place: str
) -> None:
    resource = WIDGETS.inside(place)
    for name, warned in (("told-one", 1), ("quiet-one", 0)):
        await client.create(resource, made(WIDGETS, name))
        answer = await merge_patch(client, resource, name, BIG)
        assert (answer.status, len(answer.warnings)) == (200, warned)
        assert all("would reject this write: the object takes" in warning for warning in answer.warnings)
        decision, *_ = await limits.decided(namespace=place, name=name, phase="mutating")
        assert decision["outcome"] == "WouldReject"


# --- what is too big already -----------------------------------------------------------------------------------------


async def big_before(
    client: ApiClient, limits: Statuscap, resource: Resource, name: str, verb: Verb = merge_patch, **metadata: Any
) -> None:
    """Store an object that is too big, as it was before there was a policy."""
    subresource = "status" if resource.plural == WIDGETS.plural else ""
    async with limits.unregistered(client):
        body = made(resource, name)
        await client.create(resource, {**body, "metadata": {**body["metadata"], **metadata}})
        assert (await verb(client, resource, name, BIG, subresource=subresource)).status == 200


async def known_to_go(client: ApiClient, resource: Resource, name: str) -> None:
    """Wait until the API server's watch cache knows of a deletion: a write over an older object is judged twice."""

    async def cached() -> bool:
        answer = await client.request("GET", resource.path(name), query={"resourceVersion": "0"})
        return "deletionTimestamp" in answer.body["metadata"]

    await eventually(cached, what="the deletion in the watch cache")


@pytest.mark.parametrize("kind", [WIDGETS, NOSUBS], ids=["with status", "without"])
async def test_an_object_that_is_too_big_already_can_be_edited_shrunk_finalized_and_deleted(
    client: ApiClient, limits: Statuscap, place: str, kind: Resource
) -> None:
    resource, subresource = kind.inside(place), "status" if kind == WIDGETS else ""
    await big_before(client, limits, resource, "strict-one", finalizers=[FINALIZER])
    noted = {"metadata": {"annotations": {"note": "n" * 2_000}}, "spec": {"size": 2}}
    assert (await client.merge_patch(resource, "strict-one", noted)).status == 200
    assert (await merge_patch(client, resource, "strict-one", BIGGER, subresource=subresource)).status == 413
    shrunk = await merge_patch(client, resource, "strict-one", SMALLER, subresource=subresource)
    assert (shrunk.status, ["above the limit of 16Ki" in warning for warning in shrunk.warnings]) == (200, [True])
    assert (await stored(client, resource, "strict-one"))["status"] == SMALLER
    assert (await client.delete(resource, "strict-one")).status == 200
    await known_to_go(client, resource, "strict-one")
    last_words = await merge_patch(client, resource, "strict-one", BIGGER, subresource=subresource)
    assert (last_words.status, len(last_words.warnings)) == (200, 1)
    assert (await client.merge_patch(resource, "strict-one", {"metadata": {"finalizers": None}})).status == 200
    with pytest.raises(LookupError):
        await record(client, resource, "strict-one")


@pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
async def test_a_controller_that_writes_what_is_stored_or_less_goes_on(
    client: ApiClient, limits: Statuscap, place: str, verb: Verb
) -> None:
    resource = WIDGETS.inside(place)
    await big_before(client, limits, resource, "strict-one", verb)
    for status in (BIG, SMALLER, {**SMALLER, "history": history(150, first=40)}, SMALL):
        answer = await verb(client, resource, "strict-one", status)
        assert answer.status == 200, answer.body
    assert (await stored(client, resource, "strict-one"))["status"]["history"] == SMALL["history"]


# --- the validating phase --------------------------------------------------------------------------------------------


async def test_what_a_later_webhook_makes_big_is_caught(client: ApiClient, limits: Statuscap, place: str) -> None:
    resource, called = WIDGETS.inside(place), list[str]()
    for name in ("strict-one", "strict-two", "free-one"):
        await client.create(resource, made(WIDGETS, name))
    async with bloats(client, resource, limits.certificates, BIG, called=called):
        again = await merge_patch(client, resource, "strict-one", SMALL)
        assert (again.status, bool(message(MUTATING).search(again.body["message"]))) == (413, True)  # reinvoked
        await reinvoked(client, "Never")
        try:
            answer = await merge_patch(client, resource, "strict-two", SMALL)
        finally:
            await reinvoked(client, "IfNeeded")
        assert (answer.status, bool(message(VALIDATING).search(answer.body["message"]))) == (413, True)
        assert (again.warnings, answer.warnings) == ([], []), "told once, as the error"
        assert (await merge_patch(client, resource, "free-one", SMALL)).status == 200
    assert {*called} == {"strict-one", "strict-two", "free-one"}
    decision, *_ = await limits.decided(namespace=place, name="strict-two", phase="validating")
    assert (decision["outcome"], decision["patchOps"]) == ("Rejected", 0)
    samples = limits.metrics("statuscap_reviews_total")
    assert {one.labels["phase"] for one in samples} == {"mutating", "validating"}


async def reinvoked(client: ApiClient, policy: str) -> None:
    """Have the product's mutating webhooks called a second time, or not."""
    live = (await client.get(MUTATING_WEBHOOKS, NAME)).body
    for webhook in live["webhooks"]:
        webhook["reinvocationPolicy"] = policy
    assert (await client.replace(MUTATING_WEBHOOKS, live)).status == 200
    await obeyed(client)


async def test_the_validating_phase_is_registered_for_the_kinds_of_policies_that_reject(limits: Statuscap) -> None:
    mutating, validating = await limits.manifests()
    assert (mutating["kind"], validating["kind"]) == ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    assert [webhook["failurePolicy"] for webhook in validating["webhooks"]] == ["Ignore"] * 2
    assert VALIDATING in [webhook["name"] for webhook in validating["webhooks"]]


async def test_when_the_product_is_down_what_is_too_big_for_it_passes(
    client: ApiClient, limits: Statuscap, place: str
) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "strict-one"))
    limits.kill()
    try:
        assert (await merge_patch(client, resource, "strict-one", BIG)).status == 200
    finally:
        limits.restart()
    assert (await merge_patch(client, resource, "strict-one", BIGGER)).status == 413
