"""From settings to a running server, and from SIGTERM to a quiet end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

from admission.observe.sink import MemorySink
from admission.serving.runner import INTERRUPTED, OK, UNUSABLE, run
from admission.serving.tls import Pair
from admission.settings import Given, Settings
from tests.controlplane.loopback import ask
from tests.controlplane.waiting import eventually
from tests.review_sample import UID, review
from tests.serving.listening import HOST, trusting

POLICY: Final = """\
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata: {name: volcano-job-conditions}
spec:
  mode: DryRun
  match:
    resources: [{apiGroups: [batch.volcano.sh], resources: [jobs/status]}]
  trim:
    - truncate: {paths: ["status.conditions[*].message"], maxBytes: 40, marker: "…"}
"""
BROKEN: Final = POLICY.replace("maxBytes: 40", "maxBytes: none") + "---\n" + POLICY.replace("mode:", "mood:")

# The command as a process of its own, without the command line's parser
PROGRAM: Final = """\
import json, sys
from admission.observe.sink import MemorySink
from admission.serving.runner import run
from admission.settings import Settings
sys.exit(run(Settings.of(json.loads(sys.argv[1]), {})))
"""


def given(directory: Path, pair: Pair, **changes: Given) -> dict[str, Given]:
    """Settings for a server on free ports of loopback."""
    policy = directory / "policy.yaml"
    if not policy.exists():
        policy.write_text(POLICY)
    settings: dict[str, Given] = {
        "policies": [str(policy)],
        "dev": True,
        "port": "0",
        "probe_port": "0",
        "cert_dir": str(pair.certificate.parent),
        "decision_log": str(directory / "decisions.log"),
        "drain": "0s",
        "instance": "replica-1",
    }
    return settings | changes


@dataclass
class Process:
    """A server as a process of its own."""

    process: asyncio.subprocess.Process
    pair: Pair
    lines: list[dict[str, Any]] = field(default_factory=list)

    async def line(self) -> dict[str, Any]:
        """The next line of its process log."""
        assert self.process.stderr is not None
        line: dict[str, Any] = json.loads(await asyncio.wait_for(self.process.stderr.readline(), 20))
        self.lines.append(line)
        return line

    @asynccontextmanager
    async def session(self) -> AsyncIterator[aiohttp.ClientSession]:
        """A client that trusts it."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusting(self.pair))) as session:
            yield session

    async def end(self) -> int:
        """Its exit code."""
        return await asyncio.wait_for(self.process.wait(), 20)


@asynccontextmanager
async def process(pair: Pair, settings: dict[str, Given], program: str = PROGRAM) -> AsyncIterator[Process]:
    """Start a server; it is killed at the end if it still lives."""
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        json.dumps(settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Process(started, pair)
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def post(session: aiohttp.ClientSession, url: str, body: bytes) -> tuple[aiohttp.ClientResponse, dict[str, Any]]:
    async with session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
        return response, json.loads(await response.read())


# --- start ---


async def test_tells_where_it_serves_and_what(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, mode="Warn")) as server:
        line = await server.line()
        server.process.terminate()
        assert await server.end() == OK
    assert (line["level"], line["message"], line["policies"], line["modes"]) == ("info", "serving", 1, {"Warn": 1})
    assert line["reviews"][0].startswith(f"https://{HOST}:")
    assert not line["reviews"][0].endswith(":0/mutate")


async def test_answers_logs_and_counts(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, mode="Enforce")) as server:
        line = await server.line()
        async with server.session() as session:
            _, answer = await post(session, line["reviews"][0], review())
            async with session.get(line["probes"][0]) as ready:
                assert ready.status == 200
            async with session.get(line["probes"][0].replace("readyz", "metrics")) as metrics:
                exposition = await metrics.text()
        server.process.terminate()
        assert await server.end() == OK
    assert answer["response"]["uid"] == UID
    assert answer["response"]["patchType"] == "JSONPatch"
    (decision,) = map(json.loads, (tmp_path / "decisions.log").read_text().splitlines())
    assert (decision["outcome"], decision["instance"], decision["uid"]) == ("Trimmed", "replica-1", UID)
    assert 'statuscap_policies{mode="Enforce"} 1.0' in exposition
    assert 'resource="batch.volcano.sh/jobs"' in exposition


async def test_decisions_go_to_the_standard_output_and_nothing_else_does(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, decision_log="-")) as server:
        line = await server.line()
        async with server.session() as session:
            await post(session, line["reviews"][0], review())
        server.process.terminate()
        out, _ = await asyncio.wait_for(server.process.communicate(), 20)
    (decision,) = map(json.loads, out.splitlines())
    assert decision["outcome"] == "WouldTrim"


async def test_a_full_disk_stops_nobody(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, decision_log="/dev/full")) as server:
        line = await server.line()
        async with server.session() as session:
            for _ in range(3):
                response, _ = await post(session, line["reviews"][0], review())
                assert response.status == 200
        server.process.terminate()
        assert await server.end() == OK


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server((HOST, 0)) as taken:
        yield taken.getsockname()[1]


def test_a_broken_policy_is_told_whole_and_nothing_is_served(pair: Pair, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(BROKEN)
    stderr = MemorySink()
    assert run(Settings.of(given(tmp_path, pair), {}), stderr=stderr) == UNUSABLE
    lines = [line.decode() for line in stderr.lines]
    assert "maxBytes" in lines[0]
    assert any("mood" in line for line in lines)
    assert all(line.startswith(f"statuscap: {tmp_path}/policy.yaml:") for line in lines)
    assert not (tmp_path / "decisions.log").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"dev": False, "tls_cert": "no.crt", "tls_key": "no.key"}, "no.crt: No such file", id="no pair"),
        pytest.param({"decision_log": "/nowhere/d.log"}, "decision log cannot be opened: No such", id="no log"),
        pytest.param({"decision_log": "/dev"}, "decision log cannot be opened: Is a directory", id="a directory"),
        pytest.param({"policies": ["nowhere.yaml"]}, "nowhere.yaml", id="no policy"),
    ],
)
def test_what_is_missing_is_told_in_a_line(pair: Pair, tmp_path: Path, changes: dict[str, Given], message: str) -> None:
    stderr = MemorySink()
    assert run(Settings.of(given(tmp_path, pair, **changes), {}), stderr=stderr) == UNUSABLE
    (line,) = (line.decode() for line in stderr.lines)
    assert message in line


def test_a_log_pipe_that_nobody_reads_is_told_and_not_waited_for(pair: Pair, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    stderr = MemorySink()
    settings = Settings.of(given(tmp_path, pair, decision_log=str(tmp_path / "pipe")), {})
    assert run(settings, stderr=stderr) == UNUSABLE
    (line,) = stderr.lines
    assert b"it is a pipe that nobody reads" in line


@pytest.mark.parametrize("port", ["port", "probe_port"])
def test_a_port_that_is_taken_is_told(pair: Pair, tmp_path: Path, port: str) -> None:
    stderr = MemorySink()
    with taken_port() as taken:
        assert run(Settings.of(given(tmp_path, pair, **{port: str(taken)}), {}), stderr=stderr) == UNUSABLE
    (line,) = map(json.loads, stderr.lines)
    assert line["message"] == "cannot listen"
    assert line["error"].endswith(": Address already in use; 0 takes a free port")
    assert line["error"].startswith("--")
    assert str(taken) in line["error"]


async def test_starts_without_what_only_a_cluster_needs(pair: Pair, tmp_path: Path) -> None:
    program = PROGRAM.replace(
        "sys.exit(", "sys.modules.update(lightkube=None, watchfiles=None, jsonpatch=None)\nsys.exit("
    )
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, json.dumps(given(tmp_path, pair)), stderr=asyncio.subprocess.PIPE
    )
    assert started.stderr is not None
    line = json.loads(await asyncio.wait_for(started.stderr.readline(), 20))
    started.terminate()
    await started.communicate()
    assert line["message"] == "serving"


# --- streams and descriptors ---


@contextmanager
def full_pipe() -> Iterator[tuple[int, int]]:
    """A pipe that is full: whoever writes to it waits for a reader."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing, b"\n" * 4096)
    os.set_blocking(writing, True)
    try:
        yield reading, writing
    finally:
        os.close(reading)
        os.close(writing)


def free_port() -> str:
    with taken_port() as port:
        return str(port)


async def until_ready(probe_port: Given) -> None:
    async def look() -> int:
        return (await asyncio.to_thread(ask, f"http://{HOST}:{probe_port}", "/readyz")).status == 200

    await eventually(look, what="readiness")


async def answers(pair: Pair, port: Given) -> bool:
    """True when the server at ``port`` answers a review."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusting(pair))) as session:
        response, _ = await post(session, f"https://{HOST}:{port}/mutate", review())
        return response.status == 200


async def test_an_error_output_that_nobody_reads_stops_nobody(pair: Pair, tmp_path: Path) -> None:
    settings = given(tmp_path, pair, port=free_port(), probe_port=free_port())
    with full_pipe() as (reading, writing):
        started = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM, json.dumps(settings), stderr=writing
        )
        try:
            await until_ready(settings["probe_port"])
            assert await answers(pair, settings["port"])
            started.terminate()
            assert await asyncio.wait_for(started.wait(), 20) == OK
        finally:
            if started.returncode is None:
                started.kill()
                await started.wait()
        os.set_blocking(reading, False)
        assert os.read(reading, 1 << 20).strip() == b""


def standard_streams(pid: int) -> list[str]:
    """What a process has open as its numbers 0 to 2."""
    return [str(Path(f"/proc/{pid}/fd/{number}").readlink()) for number in (0, 1, 2)]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
async def test_streams_that_are_closed_are_replaced_before_a_socket_takes_their_place(
    pair: Pair, tmp_path: Path, closed: str
) -> None:
    settings = given(tmp_path, pair, port=free_port(), probe_port=free_port())
    flags = [f"--port={settings['port']}", f"--probe-port={settings['probe_port']}", "--drain=0s", "--decision-log=-"]
    files = [f"--cert-dir={settings['cert_dir']}", f"--policies={tmp_path}/policy.yaml"]
    command = [sys.executable, "-m", "admission", "serve", "--dev", *flags, *files]
    started = await asyncio.create_subprocess_exec(
        "bash", "-c", f'exec "$@" {closed}', "bash", *command, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        await until_ready(settings["probe_port"])
        assert await answers(pair, settings["port"])
        assert not any("socket" in each for each in standard_streams(started.pid))
        started.terminate()
        assert await asyncio.wait_for(started.wait(), 20) == OK
    finally:
        if started.returncode is None:
            started.kill()
            await started.wait()


async def test_probes_get_through_whoever_takes_connections(pair: Pair, tmp_path: Path) -> None:
    program = f"import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))\n{PROGRAM}"
    async with process(pair, given(tmp_path, pair), program) as server, AsyncExitStack() as connections:
        line = await server.line()
        host, port = line["reviews"][0].split("/")[2].split(":")
        for _ in range(200):
            _, writer = await asyncio.open_connection(host, int(port))
            connections.callback(writer.close)
        refused = await server.line()
        assert (refused["message"], refused["cause"]) == ("fault", "too_many_connections")
        async with server.session() as session:
            for _ in range(3):
                async with session.get(line["probes"][0]) as ready:
                    assert ready.status == 200
        await connections.aclose()
        await eventually(lambda: reached(pair, port), what="an answer after the crowd")
        server.process.terminate()
        assert (await server.line())["message"] == "draining"  # the refusals were told once
        assert await server.end() == OK


async def reached(pair: Pair, port: str) -> bool:
    with suppress(aiohttp.ClientError):
        return await answers(pair, port)
    return False


# --- end ---


@dataclass
class Controllers:
    """Writers that send one review after another, each on a connection of its own, until they are told to stop."""

    url: str
    statuses: list[int] = field(default_factory=list)
    closed: int = 0
    stopping: bool = False

    async def write(self, session: aiohttp.ClientSession) -> None:
        while not self.stopping:
            response, answer = await post(session, self.url, review())
            assert answer["response"]["allowed"] is True
            self.statuses.append(response.status)
            self.closed += response.headers.get("Connection") == "close"

    async def until(self, *, answers: int = 0, closed: int = 0) -> None:
        """Return once there are so many answers, and so many of them that close their connection."""

        async def look() -> bool:
            return len(self.statuses) >= answers and self.closed >= closed

        await eventually(look, what=f"{answers} answers, {closed} that close their connection,")


@pytest.mark.slow
async def test_no_write_fails_while_a_replica_leaves(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, drain="3s")) as server:
        line = await server.line()
        controllers = Controllers(line["reviews"][0])
        async with server.session() as session, asyncio.TaskGroup() as writers:
            for _ in range(8):
                writers.create_task(controllers.write(session))
            await controllers.until(answers=50)
            assert controllers.closed == 0
            server.process.terminate()
            assert (await server.line())["message"] == "draining"
            async with session.get(line["probes"][0]) as ready:
                assert ready.status == 503
            await controllers.until(closed=24)
            controllers.stopping = True  # the cluster has taken note
        assert (await server.line())["message"] == "stopped"
        assert await server.end() == OK
    assert set(controllers.statuses) == {200}
    logged = (tmp_path / "decisions.log").read_bytes().splitlines()
    assert len(logged) == len(controllers.statuses)


async def test_what_is_in_flight_is_finished(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, drain="0s")) as server:
        line = await server.line()
        host, port = line["reviews"][0].split("/")[2].split(":")
        reader, writer = await asyncio.open_connection(host, int(port), ssl=trusting(pair))
        body = review()
        head = f"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"Expect: 100-continue\r\n\r\n")
        assert b" 100 " in await reader.readuntil(b"\r\n\r\n")  # now it is in flight
        server.process.terminate()
        assert (await server.line())["message"] == "draining"
        writer.write(body)
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert b"Connection: close" in answer
        assert await server.end() == OK
        writer.close()


async def test_idle_connections_do_not_hold_a_replica_back(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair)) as server:
        line = await server.line()
        async with server.session() as session:
            await post(session, line["reviews"][0], review())
            server.process.send_signal(signal.SIGINT)
            assert await server.end() == OK


async def test_a_terminal_that_hangs_up_ends_it_quietly(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair)) as server:
        await server.line()
        server.process.send_signal(signal.SIGHUP)
        assert (await server.line())["message"] == "draining"
        assert await server.end() == OK


async def test_nohup_counts(pair: Pair, tmp_path: Path) -> None:
    program = f"import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n{PROGRAM}"
    async with process(pair, given(tmp_path, pair), program) as server:
        line = await server.line()
        server.process.send_signal(signal.SIGHUP)
        async with server.session() as session:
            response, _ = await post(session, line["reviews"][0], review())
        assert response.status == 200
        server.process.terminate()
        assert await server.end() == OK


async def test_a_second_signal_ends_at_once(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, drain="1h")) as server:
        host, port = (await server.line())["reviews"][0].split("/")[2].split(":")
        reader, writer = await asyncio.open_connection(host, int(port), ssl=trusting(pair))
        writer.write(b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n")
        writer.write(b"Expect: 100-continue\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")  # in flight, and its body never comes
        server.process.terminate()
        assert (await server.line())["message"] == "draining"
        server.process.send_signal(signal.SIGINT)
        assert (await server.line())["message"] == "stopped at once"
        assert await server.end() == INTERRUPTED
        assert server.lines[-1]["in_flight"] == 1
        writer.close()
