"""Certificates in a Secret that replicas share, and the API server that is told to trust them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from admission.certificates.rotation import first
from admission.certificates.secretdata import CA_KEY, LEAF, LEAF_KEY, ROTATION, TRUSTED
from admission.cluster.configurations import ClusterConfigurations
from admission.cluster.secret import ClusterSecret
from tests.certificates.sample import NOW
from tests.controlplane.client import ApiClient
from tests.controlplane.loopback import HOST
from tests.controlplane.objects import GADGETS
from tests.controlplane.resources import MUTATING_WEBHOOKS, Resource
from tests.controlplane.servers import ControlPlane
from tests.controlplane.waiting import eventually
from tests.e2e.balancer import Balancer, balancer
from tests.e2e.clusterreader import statuscap
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.custody import NAMESPACE, SECRETS, Custody, custody, long_ago
from tests.e2e.load import writing
from tests.e2e.objects import KEPT, SENT, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.test_lifecycle import fail_open, length

WRITERS = 4


@dataclass(frozen=True, slots=True)
class Pair:
    """Two replicas behind one address."""

    replicas: list[Statuscap]
    balancer: Balancer
    custody: Custody

    async def serials(self) -> set[str]:
        """The serial numbers of the certificates that the replicas have said to use last."""
        return {(await replica.said("certificate in use"))["serial"] for replica in self.replicas}

    async def agree(self) -> None:
        """Wait until every replica shows the leaf of the Secret, and the API server was told to trust every CA."""

        async def look() -> bool:
            bundle = await self.custody.bundle()
            serials = {f"{bundle.leaf.certificate.serial_number:x}"}
            return await self.serials() == serials and {*await self.custody.published()} == {bundle.trusted_pem}

        await eventually(look, within=30, what="agreement")

    def metric(self, name: str) -> set[float]:
        """What the replicas say of a metric."""
        return {sample.value for replica in self.replicas for sample in replica.metrics(name)}


@contextlib.asynccontextmanager
async def replicas(kept: Custody, at: Balancer, count: int = 2) -> AsyncIterator[list[Statuscap]]:
    """Replicas of one product, started one after the other."""
    policies = [policy("kept", mode="Enforce", scope=Scope.OTHER)]
    flags = ["--cert-interval", "200ms", "--max-connection-age", "500ms"]
    with contextlib.ExitStack() as stack:
        running = [
            Statuscap(
                policies,
                name=kept.registration,
                flags=flags,
                environment={"KUBECONFIG": str(kept.kubeconfig)},
                cert_secret=kept.flag,
                called_at=at.url,
            )
            for _ in range(count)
        ]
        for each in running:
            await asyncio.to_thread(stack.enter_context, each)
        at.backends[:] = [int(each.url.rpartition(":")[2]) for each in running]
        yield running


@pytest_asyncio.fixture
async def kept(client: ApiClient, plane: ControlPlane, tmp_path: Path) -> AsyncIterator[Custody]:
    """A Secret and a registration; both are taken away at the end."""
    made_for = await custody(client, plane, tmp_path)
    yield made_for
    await client.delete(SECRETS, made_for.secret)


@pytest_asyncio.fixture
async def pair(client: ApiClient, kept: Custody) -> AsyncIterator[Pair]:
    """Two replicas that are registered and trusted."""
    async with balancer() as at, replicas(kept, at) as running:
        first = running[0]
        for document in await first.manifests():
            document["metadata"]["name"] = kept.registration
            for webhook in document["webhooks"]:
                webhook["timeoutSeconds"] = 20
            assert (await client.create(MUTATING_WEBHOOKS, document)).status == 201
        together = Pair(running, at, kept)
        await together.agree()
        yield together
        await client.delete(MUTATING_WEBHOOKS, kept.registration)


@pytest_asyncio.fixture
async def gadgets(client: ApiClient, pair: Pair, new_namespace: NamespaceMaker) -> Resource:
    """Gadgets that are trimmed; one is there."""
    resource = GADGETS.inside(await new_namespace(Scope.OTHER))
    await client.create(resource, made(GADGETS, "one"))
    await eventually_long(client, resource, KEPT)
    assert pair.replicas
    return resource


async def eventually_long(client: ApiClient, resource: Resource, conditions: int) -> None:
    """Write until so many conditions stay: an API server needs a moment to see a new configuration."""

    async def look() -> bool:
        return await length(client, resource) == conditions

    await eventually(look, within=20, what=f"{conditions} conditions")


async def rotate(pair: Pair) -> None:
    """Let the CA be followed by another one, without the minutes between the two."""
    kept = pair.custody
    before = await kept.bundle()
    flags = ["--url", pair.balancer.url, "--registration", kept.registration]
    ended = await statuscap("certs", "rotate", kept.flag, *flags, kubeconfig=kept.kubeconfig)
    assert (ended.code, ended.errors) == (0, "")
    assert "next CA" in ended.out

    async def known() -> bool:
        return (await kept.bundle()).known_since is not None

    await eventually(known, within=20, what="sight of both CAs")
    assert (await kept.bundle()).ca == before.ca
    await kept.put({ROTATION: long_ago((await kept.data())[ROTATION])})

    async def done() -> bool:
        return (await kept.bundle()).ca != before.ca

    await eventually(done, within=20, what="a leaf of the new CA")
    await pair.agree()
    assert before.ca in (await kept.bundle()).trusted


async def test_a_rotation_under_load_fails_no_write_and_no_call(
    client: ApiClient, pair: Pair, gadgets: Resource
) -> None:
    before = await pair.custody.bundle()
    async with writing(client, gadgets, WRITERS) as load:
        await load.more(20)
        failed_open, connections = await fail_open(client), pair.balancer.connections
        await rotate(pair)
        await load.more(100)
    assert load.failed == []
    assert await fail_open(client) == failed_open
    assert pair.balancer.connections > connections + 2, "new connections have seen the new leaf"
    after = await pair.custody.bundle()
    assert (after.ca != before.ca, after.leaf != before.leaf) == (True, True)
    assert await length(client, gadgets) == KEPT


@pytest.mark.parametrize(
    "noise",
    [
        pytest.param([LEAF, LEAF_KEY, TRUSTED, CA_KEY, ROTATION], id="everything"),
        pytest.param([CA_KEY], id="the key of the CA"),
        pytest.param([TRUSTED], id="the CAs"),
    ],
)
async def test_a_spoilt_secret_is_put_back_while_writes_are_trimmed(
    client: ApiClient, pair: Pair, gadgets: Resource, noise: list[str]
) -> None:
    before, failed_open = await pair.custody.bundle(), await fail_open(client)
    await pair.custody.put(dict.fromkeys(noise, b"\x00noise"))

    async def mended() -> bool:
        return (await pair.custody.data())[noise[0]] != b"\x00noise"

    await eventually(mended, within=20, what="a sound Secret")
    assert await pair.custody.bundle() == before
    assert await length(client, gadgets) == KEPT
    assert await fail_open(client) == failed_open
    assert all(replica.ready() for replica in pair.replicas)


async def test_a_deleted_secret_is_made_again_of_what_is_remembered(
    client: ApiClient, pair: Pair, gadgets: Resource
) -> None:
    before = await pair.custody.bundle()
    await client.delete(SECRETS, pair.custody.secret)

    async def back() -> bool:
        return bool(await pair.custody.data())

    await eventually(back, within=20, what="a Secret")
    assert await pair.custody.bundle() == before
    assert await length(client, gadgets) == KEPT


async def test_the_configuration_deleted_is_off_and_applied_again_is_on(
    client: ApiClient, pair: Pair, gadgets: Resource
) -> None:
    document = (await client.get(MUTATING_WEBHOOKS, pair.custody.registration)).body
    await client.delete(MUTATING_WEBHOOKS, pair.custody.registration)

    async def says(off: float) -> bool:
        return await asyncio.to_thread(pair.metric, "statuscap_registration_off") == {off}

    await eventually(lambda: says(1), within=20, what="a metric that says off")
    await eventually_long(client, gadgets, SENT)
    for webhook in document["webhooks"]:
        webhook["clientConfig"].pop("caBundle")
    again = {"metadata": {"name": pair.custody.registration}, "webhooks": document["webhooks"]}
    assert (await client.create(MUTATING_WEBHOOKS, again)).status == 201
    await eventually(lambda: says(0), within=20, what="a metric that says on")
    await eventually_long(client, gadgets, KEPT)


async def test_nothing_but_the_ca_bundle_is_written(client: ApiClient, pair: Pair) -> None:
    written = (await client.get(MUTATING_WEBHOOKS, pair.custody.registration)).body
    ours = [entry for entry in written["metadata"]["managedFields"] if entry["manager"] == "statuscap"]
    owned = [list(entry["fieldsV1"]) for entry in ours]
    assert owned == [["f:webhooks"]]
    for fields in ours[0]["fieldsV1"]["f:webhooks"].values():
        assert fields == {"f:clientConfig": {"f:caBundle": {}}}


async def test_a_replica_that_finds_no_api_server_waits_without_being_ready_and_without_ending(
    client: ApiClient, kept: Custody, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.write_text(kept.kubeconfig.read_text().replace(client._url, f"https://{HOST}:1"))
    async with balancer() as at:
        product = Statuscap(
            [policy("alone", mode="Enforce", scope=Scope.OTHER)],
            name=kept.registration,
            flags=["--cert-interval", "200ms"],
            environment={"KUBECONFIG": str(nowhere)},
            cert_secret=kept.flag,
            called_at=at.url,
        )
        starting = asyncio.create_task(asyncio.to_thread(product.start))
        try:
            line = await said_at_last(product, "certificates not kept")
            assert line["consequence"] == "not ready yet"
            await said_at_last(product, "serving")
            assert not product.ready()
            assert product.exit_code is None
            nowhere.write_text(kept.kubeconfig.read_text())
        finally:
            product.kill()
            await asyncio.gather(starting, return_exceptions=True)
            product.stop()


async def said_at_last(product: Statuscap, message: str) -> dict[str, object]:
    """Wait for a line of a product that is just starting."""

    async def there() -> bool:
        return product.log.exists()

    await eventually(there, within=20, what="a log")
    return await product.said(message)


async def test_a_key_that_has_leaked_is_distrusted_at_once(client: ApiClient, pair: Pair, gadgets: Resource) -> None:
    before = await pair.custody.bundle()
    flags = [pair.custody.flag, "--url", pair.balancer.url, "--registration", pair.custody.registration]
    ended = await statuscap("certs", "rotate", *flags, "--at-once", kubeconfig=pair.custody.kubeconfig)
    assert (ended.code, ended.errors) == (0, "")
    await pair.agree()
    assert before.ca not in (await pair.custody.bundle()).trusted
    await eventually_long(client, gadgets, KEPT)
    checked = await statuscap("certs", "check", *flags, kubeconfig=pair.custody.kubeconfig)
    assert (checked.code, checked.errors) == (0, "")


async def test_whoever_is_late_writes_nothing(kept: Custody, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kept.kubeconfig))
    secret = ClusterSecret.found(NAMESPACE, kept.secret)
    assert await asyncio.to_thread(secret.write, {LEAF: b"one"}, None)
    assert not await asyncio.to_thread(secret.write, {LEAF: b"two"}, None), "it is there by now"
    first = await asyncio.to_thread(secret.read)
    assert first.at is not None
    assert await asyncio.to_thread(secret.write, {LEAF: b"three"}, first.version)
    assert not await asyncio.to_thread(secret.write, {LEAF: b"four"}, first.version), "it is another one by now"
    assert await kept.data() == {LEAF: b"three"}


async def test_whoever_is_late_publishes_nothing(
    client: ApiClient, kept: Custody, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kept.kubeconfig))
    configurations = ClusterConfigurations.found(kept.registration)
    assert (await asyncio.to_thread(configurations.look)).off
    webhook = {
        "name": "late.statuscap.dev",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Ignore",
        "clientConfig": {"url": f"https://{HOST}:1/mutate"},
    }
    document = {"metadata": {"name": kept.registration}, "webhooks": [webhook]}
    assert (await client.create(MUTATING_WEBHOOKS, document)).status == 201
    try:
        (seen,) = (await asyncio.to_thread(configurations.look)).registered
        old, new = (first((HOST,), NOW).trusted_pem for _ in range(2))
        assert await asyncio.to_thread(configurations.publish, seen, new)
        assert not await asyncio.to_thread(configurations.publish, seen, old), "it is another one by now"
        assert await kept.published() == [new]
    finally:
        await client.delete(MUTATING_WEBHOOKS, kept.registration)
    assert not await asyncio.to_thread(configurations.publish, seen, old), "it is not there any more"
    assert (await client.get(MUTATING_WEBHOOKS, kept.registration)).status == 404
