"""From SIGTERM to a quiet end."""

from __future__ import annotations

import asyncio
import re
import signal
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from admission.serving.runner import INTERRUPTED, OK
from admission.serving.tls import Pair
from tests.controlplane.waiting import eventually
from tests.e2e.product import COMMAND
from tests.review_sample import review
from tests.serving.listening import trusting
from tests.serving.process import PROGRAM, given, post, process


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


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT], ids=["a terminal that hangs up", "ctrl-c"])
async def test_a_terminal_ends_it_quietly(pair: Pair, tmp_path: Path, number: signal.Signals) -> None:
    async with process(pair, given(tmp_path, pair)) as server:
        await server.line()
        server.process.send_signal(number)
        assert (await server.line())["message"] == "draining"
        assert (await server.line())["message"] == "stopped"
        assert await server.end() == OK


async def test_a_second_ctrl_c_does_not_wait(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, drain="1h")) as server:
        await server.line()
        for told in ("draining", "stopped at once"):
            server.process.send_signal(signal.SIGINT)
            assert (await server.line())["message"] == told
        assert await server.end() == INTERRUPTED


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_it_before_it_serves(number: signal.Signals) -> None:
    arguments = ["serve", "-p", "-", "--dev", "--decision-log", "/dev/null"]  # its policies never come
    pipe = asyncio.subprocess.PIPE
    started = await asyncio.create_subprocess_exec(*COMMAND, *arguments, stdin=pipe, stderr=pipe)
    try:

        async def look() -> bool:
            status = await asyncio.to_thread(Path(f"/proc/{started.pid}/status").read_text)
            caught = int(re.findall(r"SigCgt:\s*([0-9a-f]+)", status)[0], 16)
            return bool(caught >> (signal.SIGTERM - 1) & 1)

        await eventually(look, what="a handler, which the first process of a container needs")
        started.send_signal(number)
        async with asyncio.timeout(20):
            assert await started.wait() == 128 + number
        assert started.stderr is not None
        assert await started.stderr.read() == b""
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


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
