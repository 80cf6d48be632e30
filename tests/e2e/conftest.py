"""One control plane a version, one product and the CRDs for the whole folder; a namespace for every test."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from tests.controlplane.build import Pin, ensure_binaries
from tests.controlplane.client import ApiClient
from tests.controlplane.objects import gadgets, nosubs, widgets
from tests.controlplane.resources import CRDS, NAMESPACES
from tests.controlplane.servers import ControlPlane
from tests.controlplane.versions import OPTION, chosen
from tests.e2e.policies import Scope, one_a_mode
from tests.e2e.product import Statuscap

AUDITED = "enforced-audited"
"""The namespace whose writes are audited with what was asked; auditing every test would fill the log with statuses."""

AUDIT_POLICY = {
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Request", "namespaces": [AUDITED]}, {"level": "None"}],
}

Done = TypeVar("Done")
NamespaceMaker = Callable[[Scope], Awaitable[str]]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark everything in this folder."""
    item.add_marker(pytest.mark.e2e)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what meets an API server once for each version that was asked for, all of one version in a row."""
    if "kube_apiserver" in metafunc.fixturenames:
        pins = chosen(metafunc.config.getoption(OPTION))
        metafunc.parametrize("kube_apiserver", pins, ids=[pin.version for pin in pins], scope="session")


@pytest.fixture(scope="session")
def plane(request: pytest.FixtureRequest, kube_apiserver: Pin) -> Iterator[ControlPlane]:
    """The control plane. A build on first use takes minutes and says so past the capture of output."""
    terminal = request.config.pluginmanager.get_plugin("terminalreporter")
    binaries = ensure_binaries(terminal.write_line if terminal else print, kube_apiserver=kube_apiserver)
    with ControlPlane(binaries, audit_policy=AUDIT_POLICY) as running:
        on_a_loop_of_its_own(install(running))
        yield running


@pytest.fixture(scope="session")
def product(plane: ControlPlane) -> Iterator[Statuscap]:
    """The product with the policies of all modes, registered until the end of the session."""
    with Statuscap(one_a_mode()) as running:
        on_a_loop_of_its_own(registered(plane, running))
        yield running


@pytest_asyncio.fixture
async def client(plane: ControlPlane) -> AsyncIterator[ApiClient]:
    """A client of the control plane."""
    async with ApiClient.connect(plane) as connected:
        yield connected


@pytest.fixture
def new_namespace(client: ApiClient) -> NamespaceMaker:
    """Make a namespace in a scope and return its name."""

    async def make(scope: Scope) -> str:
        name = f"{scope}-{secrets.token_hex(4)}"
        assert (await client.create(NAMESPACES, {"metadata": {"name": name}})).status == 201
        return name

    return make


@pytest_asyncio.fixture
async def namespace(new_namespace: NamespaceMaker, product: Statuscap) -> str:
    """A fresh namespace in which the product enforces its policy."""
    assert product.ready()
    return await new_namespace(Scope.ENFORCED)


@pytest_asyncio.fixture
async def untouched(new_namespace: NamespaceMaker) -> str:
    """A fresh namespace in which no policy holds: what the API server does by itself."""
    return await new_namespace(Scope.UNTOUCHED)


def on_a_loop_of_its_own(work: Coroutine[Any, Any, Done]) -> Done:
    """Run a coroutine for a fixture that outlives the loop of a single test."""
    with asyncio.Runner() as runner:
        return runner.run(work)


async def install(plane: ControlPlane) -> None:
    """Install the CRDs and make the namespaces that have a fixed name."""
    async with ApiClient.connect(plane) as client:
        for document in (widgets(), gadgets(), nosubs()):
            assert (await client.create(CRDS, document)).status == 201
        for document in (widgets(), gadgets(), nosubs()):
            await client.wait_for_crd(document["metadata"]["name"])
        assert (await client.create(NAMESPACES, {"metadata": {"name": AUDITED}})).status == 201


@contextlib.contextmanager
def in_charge(plane: ControlPlane, product: Statuscap) -> Iterator[Statuscap]:
    """Start a product and register it, for a fixture that outlives the loop of a single test; take both back."""
    with product as running:
        on_a_loop_of_its_own(registered(plane, running))
        yield running
        on_a_loop_of_its_own(unregistered(plane, running))


async def unregistered(plane: ControlPlane, product: Statuscap) -> None:
    async with ApiClient.connect(plane) as client:
        await product.unregister(client)


async def registered(plane: ControlPlane, product: Statuscap) -> None:
    async with ApiClient.connect(plane) as client:
        await product.register(client)
