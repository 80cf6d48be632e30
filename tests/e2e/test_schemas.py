"""What the CRDs of a real API server say, in ``check`` and while serving."""

from __future__ import annotations

import asyncio
import copy
import json
import secrets
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest

from admission.cluster.client import connected, found_config
from admission.cluster.crds import ClusterCrds
from tests.controlplane.build import ensure_binaries
from tests.controlplane.client import ApiClient
from tests.controlplane.objects import STRING, crd, with_status
from tests.controlplane.resources import CRDS, NAMESPACES, Resource
from tests.controlplane.servers import ControlPlane
from tests.controlplane.waiting import eventually
from tests.e2e.clusterreader import account, config_for, statuscap
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import merge_patch

Json = dict[str, Any]

LEAST = 5  # items that the schema demands
MORE = 7  # and that it demands later
SENT = [f"item-{number}" for number in range(10)]
ALL_VERBS = ("get", "list", "watch")


# --- kinds ---


def demanding(group: str, least: int) -> Json:
    """A CRD whose status must have so many items, and a log of at most so many characters."""
    items = {"type": "array", "items": STRING, "minItems": least}
    fields = {"items": items, "log": {**STRING, "maxLength": least}}
    return crd(group, "Chain", "chains", schema=with_status({"type": "object", "properties": fields}))


def chains_in(group: str, namespace: str) -> Resource:
    return Resource(group, "v1", "chains", namespace)


@asynccontextmanager
async def chains(client: ApiClient, namespace: str) -> AsyncIterator[Resource]:
    """A kind of a group of its own, with an object ``one``."""
    resource = chains_in(f"{secrets.token_hex(4)}.example.com", namespace)
    name = f"chains.{resource.group}"
    assert (await client.create(CRDS, demanding(resource.group, LEAST))).status == 201
    try:
        await client.wait_for_crd(name)
        made = {"apiVersion": f"{resource.group}/v1", "kind": "Chain", "metadata": {"name": "one"}}
        assert (await client.create(resource, made)).status == 201
        yield resource
    finally:
        await client.delete(CRDS, name)


async def tighten(client: ApiClient, resource: Resource, least: int) -> None:
    """Demand more items; on return the API server does."""
    name = f"chains.{resource.group}"
    document = copy.deepcopy((await client.get(CRDS, name)).body)
    document["spec"] = {**document["spec"], "versions": demanding(resource.group, least)["spec"]["versions"]}
    assert (await client.replace(CRDS, document)).status == 200

    async def refused() -> bool:
        few = {"status": {"items": SENT[: least - 1]}}
        answer = await client.merge_patch(resource, "one", few, subresource="status", request_dry_run=True)
        return answer.status == 422

    await eventually(refused, what="the stricter schema")


async def stored(client: ApiClient, resource: Resource) -> int:
    """Write ten items and return how many are stored."""
    answer = await merge_patch(client, resource, "one", {"items": [*SENT, secrets.token_hex(4)]})
    assert answer.status == 200, answer.body
    return len(answer.body["status"]["items"])


def cap(group: str, most: int = 2, path: str = "status.items") -> Json:
    """A policy that caps below what the schema demands."""
    step = {"capList": {"path": path, "max": most, "order": "NewestLast"}}
    document = policy("chained", mode="Enforce", scope=Scope.OTHER, trim=[step])
    document["spec"]["match"]["resources"] = [{"apiGroups": [group], "resources": ["chains/status"]}]
    return document


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """Write a policy to a file."""

    def write(document: Json) -> str:
        file = tmp_path / "policy.json"
        file.write_text(json.dumps(document))
        return str(file)

    return write


# --- check ---


async def test_check_holds_policies_against_the_crds_of_the_cluster(
    client: ApiClient, plane: ControlPlane, written: Any
) -> None:
    async with chains(client, "default") as resource:
        kubeconfig = plane.kubeconfig
        right = await statuscap("check", written(cap(resource.group, LEAST)), "--cluster", kubeconfig=kubeconfig)
        assert (right.code, right.errors) == (0, ""), right
        assert right.out.endswith(": 0 problems, 0 notes\n")
        wrong = await statuscap(
            "check", written(cap(resource.group, path="status.itens")), "--cluster", kubeconfig=kubeconfig
        )
        low = await statuscap("check", written(cap(resource.group)), "--cluster", kubeconfig=kubeconfig)
    kind = f"chains.{resource.group} (v1)"
    assert wrong.code == low.code == 1
    assert (
        f"capList.path: status.itens is not in the schema of {kind}; did you mean status.items?"
        in wrong.out.splitlines()[0]
    )
    assert (
        f"status.items has at least 5 items in {kind}, so max: 2 is never reached; write 5 or more"
        in low.out.splitlines()[0]
    )


async def test_the_crds_that_the_api_server_gives_are_those_of_files(
    client: ApiClient, plane: ControlPlane, written: Any, tmp_path: Path
) -> None:
    async with chains(client, "default") as resource:
        listed = (await client.list_all(CRDS)).raw
        file = tmp_path / "crds.json"
        file.write_bytes(listed)
        document = written(cap(resource.group))
        by_file = await statuscap("check", document, "--crds", str(file), kubeconfig=Path("/dev/null"))
        by_cluster = await statuscap("check", document, "--cluster", kubeconfig=plane.kubeconfig)
    assert by_file == by_cluster
    assert by_file.code == 1


async def test_check_needs_no_other_right_than_to_list_crds(
    client: ApiClient, plane: ControlPlane, written: Any, tmp_path: Path
) -> None:
    async with chains(client, "default") as resource:
        document = written(cap(resource.group, LEAST))
        reader = config_for(plane, await account(client, "list"), tmp_path)
        nobody = config_for(plane, await account(client), tmp_path)
        allowed = await statuscap("check", document, "--cluster", kubeconfig=reader)
        refused = await statuscap("check", document, "--cluster", kubeconfig=nobody)
    assert (allowed.code, allowed.errors) == (0, "")
    assert (refused.code, refused.out) == (2, "")
    assert refused.errors.startswith(
        f"statuscap: {plane.url}: customresourcedefinitions.apiextensions.k8s.io is forbidden"
    )
    assert len(refused.errors.splitlines()) == 1


def mounted(plane: ControlPlane, token: str, folder: Path) -> Path:
    """The service account as the kubelet mounts it into a pod."""
    for name, content in {"token": token.encode(), "namespace": b"x", "ca.crt": plane.ca_path.read_bytes()}.items():
        (folder / name).write_bytes(content)
    return folder


async def test_a_pod_asks_by_its_service_account(
    client: ApiClient, plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = urlsplit(plane.url)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", str(address.hostname))
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(address.port))
    account_folder = mounted(plane, await account(client, "list"), tmp_path)
    crds = ClusterCrds(partial(connected, found_config(account_folder)))
    async with chains(client, "default") as resource:
        catalogue = await asyncio.to_thread(crds.read)
        assert [*catalogue.of(resource.group)] == ["chains"]


# --- serve ---


def serving(group: str, kubeconfig: Path, *flags: str) -> Statuscap:
    """A product that follows the CRDs of a cluster."""
    return Statuscap(
        [cap(group)], name="chained", flags=["--cluster", *flags], environment={"KUBECONFIG": str(kubeconfig)}
    )


async def test_a_crd_that_is_tightened_while_serving_takes_effect_at_once(
    client: ApiClient, plane: ControlPlane, new_namespace: NamespaceMaker, tmp_path: Path
) -> None:
    reader = config_for(plane, await account(client, *ALL_VERBS), tmp_path)
    async with (
        chains(client, await new_namespace(Scope.OTHER)) as resource,
        serving(resource.group, reader).in_charge(client) as product,
    ):
        assert await stored(client, resource) == LEAST, "the API server would have refused two"
        await tighten(client, resource, MORE)
        line = await product.said("CRDs of the cluster changed")
        assert line["changed"] == [f"chains.{resource.group}"]
        assert await stored(client, resource) == MORE
        assert product.terminate() == 0


async def test_a_text_is_cut_to_what_the_crd_of_the_cluster_allows(
    client: ApiClient, plane: ControlPlane, new_namespace: NamespaceMaker
) -> None:
    async def kept(resource: Resource) -> str:
        answer = await merge_patch(client, resource, "one", {"log": "abcdefghij"})
        assert answer.status == 200, answer.body
        log: str = answer.body["status"]["log"]
        return log

    async with chains(client, await new_namespace(Scope.OTHER)) as resource:
        fit = cap(resource.group)
        fit["spec"]["trim"] = [{"fitSchema": {}}]
        flags, environment = ["--cluster"], {"KUBECONFIG": str(plane.kubeconfig)}
        async with Statuscap([fit], name="fitted", flags=flags, environment=environment).in_charge(client) as product:
            assert await kept(resource) == "abcde"
            await tighten(client, resource, MORE)
            await product.said("CRDs of the cluster changed")
            assert await kept(resource) == "abcdefg"


async def test_without_the_schema_the_api_server_refuses_the_same_trim(
    client: ApiClient, new_namespace: NamespaceMaker
) -> None:
    async with (
        chains(client, await new_namespace(Scope.OTHER)) as resource,
        Statuscap([cap(resource.group)], name="chained").in_charge(client),
    ):
        answer = await merge_patch(client, resource, "one", {"items": SENT})
        assert answer.status == 422, answer.body


async def test_crd_files_do_the_same_and_are_followed(
    client: ApiClient, new_namespace: NamespaceMaker, tmp_path: Path
) -> None:
    async with chains(client, await new_namespace(Scope.OTHER)) as resource:
        file = tmp_path / "crd.json"
        file.write_text(json.dumps(demanding(resource.group, LEAST)))
        flags = ["--crds", str(file)]
        async with Statuscap([cap(resource.group)], name="chained", flags=flags).in_charge(client) as product:
            assert await stored(client, resource) == LEAST
            await tighten(client, resource, MORE)
            file.write_text(json.dumps(demanding(resource.group, MORE)))
            await product.said("CRD files reloaded")
            assert await stored(client, resource) == MORE


@pytest.mark.parametrize(
    ("verbs", "said", "followed"),
    [
        pytest.param((), "is forbidden", 0.0, id="that may read nothing"),
        pytest.param(("get", "list"), "403 Forbidden", 1.0, id="that may not watch"),
    ],
)
async def test_an_account_serves_all_the_same_and_the_log_says_why_it_does_not_follow(
    client: ApiClient,
    plane: ControlPlane,
    new_namespace: NamespaceMaker,
    tmp_path: Path,
    verbs: tuple[str, ...],
    said: str,
    followed: float,
) -> None:
    reader = config_for(plane, await account(client, *verbs), tmp_path)
    async with (
        chains(client, await new_namespace(Scope.OTHER)) as resource,
        serving(resource.group, reader).in_charge(client) as product,
    ):
        line = await product.said("fault")
        assert line["cause"] == "cluster_crds"
        assert said in line["detail"]
        assert [sample.value for sample in product.metrics("statuscap_crds_followed")] == [followed]
        answer = await merge_patch(client, resource, "one", {"items": SENT})
        assert answer.status == (200 if verbs else 422), answer.body


# --- an API server that goes away ---


@pytest.fixture(scope="module")
def mortal_plane() -> Iterator[ControlPlane]:
    """A control plane whose API server may be hurt."""
    with ControlPlane(ensure_binaries(print)) as running:
        yield running


def review_of(resource: Resource) -> bytes:
    """What the API server sends about ten items of an object."""
    made = {"apiVersion": f"{resource.group}/v1", "kind": "Chain", "metadata": {"name": "one", "namespace": "other-x"}}
    request = {
        "uid": secrets.token_hex(8),
        "kind": {"group": resource.group, "version": "v1", "kind": "Chain"},
        "resource": {"group": resource.group, "version": "v1", "resource": "chains"},
        "subResource": "status",
        "name": "one",
        "namespace": "other-x",
        "operation": "UPDATE",
        "userInfo": {"username": "controller"},
        "object": {**made, "status": {"items": SENT}},
        "oldObject": made,
    }
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()


async def removed(product: Statuscap, resource: Resource) -> int:
    """Ask the product directly, and return how many items its patch removes."""
    before = len(product.decisions(outcome="Trimmed"))
    trust = ssl.create_default_context(cafile=str(product.ca_path))
    headers = {"Content-Type": "application/json"}
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as session,
        session.post(f"{product.url}/mutate", data=review_of(resource), headers=headers) as answer,
    ):
        assert (await answer.json())["response"]["allowed"] is True
    line = (await product.decided(at_least=before + 1, outcome="Trimmed"))[-1]
    items: int = line["policies"][0]["steps"][0]["items"]
    return items


async def test_an_api_server_that_restarts_hurts_no_review_and_is_followed_again(
    mortal_plane: ControlPlane, tmp_path: Path
) -> None:
    async with ApiClient.connect(mortal_plane) as client:
        namespace = f"{Scope.OTHER}-mortal"
        assert (await client.create(NAMESPACES, {"metadata": {"name": namespace}})).status == 201
        reader = config_for(mortal_plane, await account(client, *ALL_VERBS), tmp_path)
        async with chains(client, namespace) as resource:
            with serving(resource.group, reader) as product:
                await follows_again_after_an_outage(client, mortal_plane, resource, product)


async def follows_again_after_an_outage(
    client: ApiClient, plane: ControlPlane, resource: Resource, product: Statuscap
) -> None:
    async def followed(value: float) -> bool:
        return [sample.value for sample in product.metrics("statuscap_crds_followed")] == [value]

    await product.said("following the CRDs of the cluster")
    assert await removed(product, resource) == len(SENT) - LEAST
    await asyncio.to_thread(plane.stop_apiserver, kill=True)
    line = await product.said("fault")
    assert (line["cause"], line["consequence"]) == ("cluster_crds", "the schemas known last stay")
    assert "Connection refused" in line["detail"]
    await eventually(lambda: followed(0), what="a metric that says so")
    assert product.ready()
    assert await removed(product, resource) == len(SENT) - LEAST, "the schemas known last stay"
    await asyncio.to_thread(plane.restart_apiserver)
    await product.said("following the CRDs of the cluster", times=2)
    assert await followed(1)
    await tighten(client, resource, MORE)
    await product.said("CRDs of the cluster changed")
    assert await removed(product, resource) == len(SENT) - MORE
    faults = [each for each in map(json.loads, product.log.read_text().splitlines()) if each["message"] == "fault"]
    assert len(faults) == 1, "one line a minute"


async def test_a_server_starts_while_the_api_server_is_away(mortal_plane: ControlPlane, tmp_path: Path) -> None:
    async with ApiClient.connect(mortal_plane) as client:
        reader = config_for(mortal_plane, await account(client, *ALL_VERBS), tmp_path)
        async with chains(client, "default") as resource:
            await asyncio.to_thread(mortal_plane.stop_apiserver)
            try:
                with serving(resource.group, reader) as product:
                    await product.said("fault")
                    assert await removed(product, resource) == len(SENT) - 2, "nothing is known yet"
                    await asyncio.to_thread(mortal_plane.restart_apiserver)
                    await product.said("following the CRDs of the cluster")
                    assert await removed(product, resource) == len(SENT) - LEAST
            finally:
                await asyncio.to_thread(mortal_plane.restart_apiserver)
