"""What a server answers, tells and leaves alone while it runs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path

import aiohttp
import pytest

from admission.serving.runner import OK
from admission.serving.tls import Pair
from tests.controlplane.waiting import eventually
from tests.review_sample import UID, condition, review
from tests.serving.listening import HOST
from tests.serving.process import POLICY, PROGRAM, answers, free_port, given, post, process, until_ready


async def test_tells_where_it_serves_and_what(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, mode="Warn")) as server:
        line = await server.line()
        server.process.terminate()
        assert await server.end() == OK
    assert (line["level"], line["message"], line["policies"], line["modes"]) == ("info", "serving", 1, {"Warn": 1})
    assert line["reviews"][0].startswith(f"https://{HOST}:")
    assert not line["reviews"][0].endswith(":0/mutate")


REJECTING = (
    POLICY
    + """\
  limits: [{maxBytes: 1Mi, of: Status, action: Reject}]
"""
)


@pytest.mark.parametrize(
    ("policy", "mode", "paths"),
    [
        pytest.param(POLICY, "Enforce", ["mutate"], id="nothing rejects"),
        pytest.param(REJECTING, "Enforce", ["mutate", "validate"], id="limits reject"),
        pytest.param(REJECTING, "Warn", ["mutate"], id="limits would reject"),
        pytest.param(REJECTING.replace("Reject", "Warn"), "Enforce", ["mutate"], id="limits warn"),
    ],
)
async def test_tells_of_the_validating_phase_when_limits_reject(
    pair: Pair, tmp_path: Path, policy: str, mode: str, paths: list[str]
) -> None:
    (tmp_path / "policy.yaml").write_text(policy)
    async with process(pair, given(tmp_path, pair, mode=mode)) as server:
        line = await server.line()
        assert [address.rpartition("/")[2] for address in line["reviews"]] == paths
        async with server.session() as session:
            for address in line["reviews"]:
                response, _ = await post(session, address, review())
                assert response.status == 200
        server.process.terminate()
        assert await server.end() == OK


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


async def test_what_was_removed_is_logged_when_asked_for(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, mode="Enforce", decision_log_values=True)) as server:
        line = await server.line()
        async with server.session() as session:
            await post(session, line["reviews"][0], review())
        server.process.terminate()
        assert await server.end() == OK
    (decision,) = map(json.loads, (tmp_path / "decisions.log").read_text().splitlines())
    assert decision["removed"][0] == {
        "op": "replace",
        "path": "/status/conditions/0/message",
        "value": condition(0)["message"],
    }


async def test_a_full_disk_stops_nobody(pair: Pair, tmp_path: Path) -> None:
    async with process(pair, given(tmp_path, pair, decision_log="/dev/full")) as server:
        line = await server.line()
        async with server.session() as session:
            for _ in range(3):
                response, _ = await post(session, line["reviews"][0], review())
                assert response.status == 200
        told = [await server.line() for _ in range(2)]
        server.process.terminate()
        assert (await server.line())["message"] == "draining", "it is told once a minute"
        assert await server.end() == OK
    assert [line["cause"] for line in told] == ["decision_log", "decision_log_lines_lost"]
    assert told[0]["detail"] == "No space left on device"


async def test_the_decision_log_is_rotated(pair: Pair, tmp_path: Path) -> None:
    old = tmp_path / "decisions-20200101T000000Z.log"
    old.touch()
    async with process(pair, given(tmp_path, pair, decision_log_max_size="1k")) as server:
        line = await server.line()
        async with server.session() as session:
            for number in range(1, 4):
                await post(session, line["reviews"][0], review())
                await logged(tmp_path, number)
        server.process.terminate()
        assert await server.end() == OK
    assert len(files(tmp_path)) == 3
    assert not old.exists(), "older than the retention"


def files(directory: Path) -> list[Path]:
    """The decision log and what was rotated of it."""
    return [*directory.glob("decisions*.log")]


def decisions(directory: Path) -> int:
    """How many lines there are, in all files."""
    return sum(file.read_bytes().count(b"\n") for file in files(directory))


async def logged(directory: Path, count: int) -> None:
    """Return once there are so many lines."""

    async def look() -> bool:
        return decisions(directory) >= count

    await eventually(look, what=f"{count} lines")


async def test_a_server_that_is_killed_leaves_a_log_that_the_next_one_continues(pair: Pair, tmp_path: Path) -> None:
    for _ in range(2):
        async with process(pair, given(tmp_path, pair)) as server:
            line = await server.line()
            before = decisions(tmp_path)
            async with server.session() as session:
                for _ in range(20):
                    await post(session, line["reviews"][0], review())
                await logged(tmp_path, before + 20 + bool(before))  # half a line is ended
            server.process.kill()
            await server.end()
        with (tmp_path / "decisions.log").open("ab") as torn:
            torn.write(b'{"time":"2026-')
    lines = (tmp_path / "decisions.log").read_text().splitlines()
    assert lines.count('{"time":"2026-') == 2
    assert len([json.loads(line) for line in lines if line.endswith("}")]) == 40


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


async def test_a_decision_log_that_nobody_reads_delays_no_answer_and_the_end_only_a_little(
    pair: Pair, tmp_path: Path
) -> None:
    settings = given(tmp_path, pair, port=free_port(), probe_port=free_port(), decision_log="-")
    with full_pipe() as (_, writing):
        started = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM, json.dumps(settings), stdout=writing, stderr=asyncio.subprocess.PIPE
        )
        try:
            await until_ready(settings["probe_port"])
            for _ in range(50):
                assert await answers(pair, settings["port"])
            started.terminate()
            _, told = await asyncio.wait_for(started.communicate(), 20)
            assert started.returncode == OK
        finally:
            if started.returncode is None:
                started.kill()
                await started.wait()
    assert "the decision log was too slow; its last lines are lost" in told.decode()


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
