"""The tests' own hold on the product: it starts, tells why when it does not, and leaves nothing behind."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.loopback import HOST, free_port
from tests.controlplane.resources import CONFIG_MAPS, MUTATING_WEBHOOKS
from tests.e2e.barrier import MARK, obeyed
from tests.e2e.policies import Scope, one_a_mode, policy
from tests.e2e.product import ProductError, Statuscap

ROOT = Path(__file__).parents[2]


def test_starts_ends_in_order_and_leaves_nothing_behind() -> None:
    with Statuscap(one_a_mode()) as product:
        assert product.ready()
        assert product.ca_path.is_file()
        assert product.terminate() == 0
        assert not product.ready()
    assert not product.folder.exists()


def test_starts_again_at_the_same_address_with_the_same_certificate() -> None:
    with Statuscap(one_a_mode()) as product:
        before = (product.url, product.probe_url, product.ca_path.read_bytes())
        product.kill()
        product.restart()
        assert (product.url, product.probe_url, product.ca_path.read_bytes()) == before
        assert product.ready()


def test_shows_the_log_when_a_policy_is_broken() -> None:
    broken = policy("broken", mode="Enforce", scope=Scope.OTHER, trim=[{"capConditions": {"maximum": 10}}])
    product = Statuscap([broken])
    with pytest.raises(ProductError, match=r"exit code 2(?s:.)*broken\.yaml:\d+(?s:.)*maximum"):
        product.start()
    assert not product.folder.exists()


@pytest.mark.parametrize("listener", [0, 1], ids=["reviews", "probes"])
def test_takes_another_port_when_somebody_listens_on_the_first(listener: int) -> None:
    with socket.create_server((HOST, free_port())) as taken:
        ports: Iterator[int] = iter([*(free_port() for _ in range(listener)), taken.getsockname()[1]])
        with Statuscap(one_a_mode(), port=lambda: next(ports, None) or free_port()) as product:
            assert product.ready()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's death signal")
def test_ends_when_its_process_is_killed(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from tests.e2e.policies import one_a_mode
from tests.e2e.product import Statuscap
with Statuscap(one_a_mode(), folder=Path({str(tmp_path)!r})) as product:
    print(product.probe_url, flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        watched = Statuscap([])
        watched.probe_url = process.stdout.readline().strip()
        assert watched.ready()
        process.kill()
    deadline = time.monotonic() + 5
    while watched.ready() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not watched.ready()


async def test_the_barrier_leaves_nothing_behind_and_stops_nobody(client: ApiClient) -> None:
    await obeyed(client)
    names = [item["metadata"]["name"] for item in (await client.list_all(MUTATING_WEBHOOKS)).body["items"]]
    assert not [name for name in names if name.startswith("barrier")]
    unmarked = {"metadata": {"name": "unmarked", "labels": {MARK: "none"}}}
    assert (await client.create(CONFIG_MAPS, unmarked, request_dry_run=True)).status == 201
