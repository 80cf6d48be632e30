"""The control plane itself, with real servers."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.controlplane.build import Binaries, ensure_binaries
from tests.controlplane.client import ApiClient
from tests.controlplane.kubectl import find_kubectl
from tests.controlplane.loopback import HOST, free_port, is_free, port_of
from tests.controlplane.objects import GADGETS, WIDGETS, gadgets, sample, widgets
from tests.controlplane.resources import CONFIG_MAPS, CRDS
from tests.controlplane.servers import ControlPlane, ControlPlaneError

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc"),
]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def binaries() -> Binaries:
    return ensure_binaries(print)


@pytest.fixture(scope="module")
def plane(binaries: Binaries) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, audit_policy={"rules": [{"level": "Metadata"}]}) as running:
        yield running


@pytest_asyncio.fixture
async def client(plane: ControlPlane) -> AsyncIterator[ApiClient]:
    async with ApiClient.connect(plane) as connected:
        yield connected


@pytest_asyncio.fixture
async def typed(client: ApiClient) -> ApiClient:
    """A client of a server that has widgets and gadgets."""
    for document in (widgets(), gadgets()):
        assert (await client.create(CRDS, document)).status in {201, 409}
        await client.wait_for_crd(document["metadata"]["name"])
    return client


def runs(pid: int) -> bool:
    """Tell whether a process is there and is not a zombie that nobody has awaited."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pids: list[int], within: float) -> bool:
    deadline = time.monotonic() + within
    while any(runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(runs(pid) for pid in pids)


def kubectl(plane: ControlPlane, tmp_path: Path, *arguments: str, stdin: str = "") -> str:
    command = [str(find_kubectl()), f"--kubeconfig={plane.kubeconfig}", f"--cache-dir={tmp_path}", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_starts_and_stops_and_leaves_nothing_behind(binaries: Binaries) -> None:
    with ControlPlane(binaries) as plane:
        pids = plane.pids
        assert sorted(pids) == ["etcd", "kube-apiserver"]
        assert all(runs(pid) for pid in pids.values())
        assert all(log.is_file() for log in plane.logs.values())
    assert not any(runs(pid) for pid in pids.values())
    assert plane.pids == {}
    assert not plane.folder.exists()


def test_the_servers_outlive_the_thread_that_started_them(binaries: Binaries) -> None:
    plane = ControlPlane(binaries)
    starter = threading.Thread(target=plane.start)
    starter.start()
    starter.join()
    try:
        assert not gone([*plane.pids.values()], within=0.5)
        assert len(plane.pids) == 2
    finally:
        plane.stop()


def test_the_servers_end_when_their_process_is_killed(binaries: Binaries, tmp_path: Path) -> None:
    program = f"""
import sys, time
from pathlib import Path
from tests.controlplane.build import Binaries
from tests.controlplane.servers import ControlPlane
with ControlPlane(Binaries(Path({str(binaries.kube_apiserver)!r}), Path({str(binaries.etcd)!r})),
                  folder=Path({str(tmp_path)!r})) as plane:
    print(*plane.pids.values(), flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        assert all(runs(pid) for pid in pids)
        process.send_signal(signal.SIGKILL)
    assert gone(pids, within=5)


def test_shows_the_end_of_the_log_when_a_server_does_not_start(binaries: Binaries) -> None:
    plane = ControlPlane(binaries, apiserver_flags=["--no-such-flag"])
    with pytest.raises(ControlPlaneError, match=r"kube-apiserver ended with exit code 1(?s:.)*--no-such-flag"):
        plane.start()
    assert plane.pids == {}
    assert not plane.folder.exists()


@pytest.mark.parametrize("listener", [0, 1, 2], ids=["etcd's clients", "etcd's peers", "kube-apiserver"])
def test_takes_another_port_when_somebody_listens_on_the_first(binaries: Binaries, listener: int) -> None:
    with socket.create_server((HOST, free_port())) as taken:
        ports = iter([*(free_port() for _ in range(listener)), taken.getsockname()[1]])
        with ControlPlane(binaries, port=lambda: next(ports, None) or free_port()) as plane:
            assert len(plane.pids) == 2


def test_kubectl_works_through_the_kubeconfig(plane: ControlPlane, tmp_path: Path) -> None:
    assert "default" in kubectl(plane, tmp_path, "get", "namespaces")
    kubectl(plane, tmp_path, "apply", "-f", "-", stdin=json.dumps(widgets()))
    kubectl(plane, tmp_path, "wait", "--for=condition=Established", "crd/widgets.t.example.com", "--timeout=20s")
    assert kubectl(plane, tmp_path, "auth", "can-i", "*", "*").strip() == "yes"


async def test_reports_the_version_it_was_built_from(client: ApiClient) -> None:
    version = (await client.request("GET", "/version")).body
    assert (version["gitVersion"], version["major"], version["minor"]) == ("v1.36.3", "1", "36")


async def test_a_crd_is_served_once_it_was_awaited(typed: ApiClient) -> None:
    created = await typed.create(GADGETS, sample("Gadget", "served", spec={"size": 1}))
    assert created.status == 201
    assert created.body["spec"] == {"size": 1}
    assert (await typed.delete(GADGETS, "served")).status == 200
    assert (await typed.get(GADGETS, "served")).status == 404


async def test_a_real_write_moves_the_revision_in_etcd_and_a_no_op_does_not(typed: ApiClient) -> None:
    await typed.create(WIDGETS, sample("Widget", "counted"))
    stored = []
    for value in (1, 2, 2):
        answer = await typed.merge_patch(WIDGETS, "counted", {"status": {"step": value}}, subresource="status")
        assert answer.status == 200
        stored.append(await typed.etcd_record("t.example.com", "widgets", "default", "counted"))
    assert stored[0].mod_revision < stored[1].mod_revision
    assert (stored[0].version, stored[1].version) == (2, 3)
    assert stored[1] == stored[2]
    assert json.loads(stored[1].value)["status"] == {"step": 2}


async def test_a_missing_key_of_etcd_is_named(typed: ApiClient) -> None:
    with pytest.raises(LookupError, match=r"/registry/t\.example\.com/widgets/default/absent"):
        await typed.etcd_record("t.example.com", "widgets", "default", "absent")


async def test_a_dry_run_stores_nothing(typed: ApiClient) -> None:
    assert (await typed.create(WIDGETS, sample("Widget", "dry"), request_dry_run=True)).status == 201
    assert (await typed.get(WIDGETS, "dry")).status == 404


async def test_every_verb_writes_the_status(typed: ApiClient) -> None:
    made = (await typed.create(GADGETS, sample("Gadget", "verbs"))).body
    put = await typed.replace(GADGETS, {**made, "status": {"phase": "put"}}, subresource="status")
    json_patch = await typed.json_patch(
        GADGETS, "verbs", [{"op": "replace", "path": "/status/phase", "value": "json"}], subresource="status"
    )
    merge = await typed.merge_patch(GADGETS, "verbs", b'{"status": {"phase": "merge"}}', subresource="status")
    phases = [answer.body["status"]["phase"] for answer in (put, json_patch, merge)]
    assert phases == ["put", "json", "merge"]


async def test_apply_meets_a_conflict_that_force_overrides(typed: ApiClient) -> None:
    one, other = (sample("Gadget", "owned", status={"phase": phase}) for phase in ("one", "other"))
    await typed.create(GADGETS, sample("Gadget", "owned"))
    first = await typed.apply(GADGETS, one, field_manager="one", subresource="status")
    conflict = await typed.apply(GADGETS, other, field_manager="other", subresource="status")
    forced = await typed.apply(GADGETS, other, field_manager="other", subresource="status", force=True)
    assert (first.status, conflict.status, forced.status) == (200, 409, 200)
    assert forced.body["status"]["phase"] == "other"


async def test_warnings_come_back_as_text(typed: ApiClient) -> None:
    answer = await typed.merge_patch(CRDS, "gadgets.t.example.com", {"spec": {"nonsense": 1}}, request_dry_run=True)
    assert answer.warnings == ['unknown field "spec.nonsense"']


async def test_reads_metrics_by_name(typed: ApiClient) -> None:
    found = await typed.metrics("apiserver_storage_size_bytes")
    assert [sample.value > 0 for sample in found] == [True]


async def test_audits_what_the_policy_asks_for(plane: ControlPlane, client: ApiClient) -> None:
    await client.get(CONFIG_MAPS, "audited")
    events = [json.loads(line) for line in plane.audit_log.read_text().splitlines()]
    assert any(event["objectRef"].get("name") == "audited" for event in events if "objectRef" in event)


@pytest.mark.slow
@pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])
async def test_data_and_address_survive_a_restart(binaries: Binaries, kill: bool) -> None:
    with ControlPlane(binaries) as plane:
        before = (plane.url, plane.etcd_url, plane.token)
        first_pids = plane.pids
        async with ApiClient.connect(plane) as client:
            await client.create(CONFIG_MAPS, {"metadata": {"name": "kept"}, "data": {"a": "1"}})
            plane.restart_etcd(kill=kill)
            assert (await client.get(CONFIG_MAPS, "kept")).body["data"] == {"a": "1"}
            plane.restart_apiserver(kill=kill)
            assert (await client.get(CONFIG_MAPS, "kept")).body["data"] == {"a": "1"}
        assert (plane.url, plane.etcd_url, plane.token) == before
        assert set(plane.pids.values()).isdisjoint(first_pids.values())


@pytest.mark.slow
def test_a_restart_waits_until_the_port_is_given_back(binaries: Binaries, monkeypatch: pytest.MonkeyPatch) -> None:
    with ControlPlane(binaries) as plane, socket.socket() as holder:
        port = port_of(plane.etcd_url)
        plane.stop_etcd(kill=True)
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind((HOST, port))
        holder.listen()
        looks: list[bool] = []

        def look(at: int) -> bool:
            looks.append(is_free(at))
            holder.close()
            return looks[-1]

        monkeypatch.setattr("tests.controlplane.servers.is_free", look)
        plane.restart_etcd()
        assert looks == [False, True]
        assert port_of(plane.etcd_url) == port
