"""From settings to a running server, or to a line that says what is wrong with them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from admission.observe.sink import MemorySink
from admission.serving.runner import UNUSABLE, run
from admission.serving.tls import Pair
from admission.settings import Settings
from admission.settings.flag import Given
from tests.serving.process import BROKEN, PROGRAM, given, taken_port


def test_a_broken_policy_is_told_whole_and_nothing_is_served(pair: Pair, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(BROKEN)
    stderr = MemorySink()
    assert run(Settings.of(given(tmp_path, pair), {}), stderr=stderr) == UNUSABLE
    lines = [line.decode() for line in stderr.lines]
    assert "maxBytes" in lines[0]
    assert any("mood" in line for line in lines)
    assert all(line.startswith(f"statuscap: {tmp_path}/policy.yaml:") for line in lines)
    assert not (tmp_path / "decisions.log").exists()


def test_every_problem_of_every_file_is_told_before_anything_is_served(pair: Pair, tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "a.yaml").write_text(BROKEN)
    (folder / "b.yaml").write_text("a: [")
    (folder / "c.yaml").write_text("")
    stderr = MemorySink()
    settings = given(tmp_path, pair, policies=[str(folder), "preset:none", "gone.yaml"])
    assert run(Settings.of(settings, {}), stderr=stderr) == UNUSABLE
    told = [line.decode().removeprefix("statuscap: ") for line in stderr.lines]
    named = {line.partition(": ")[0].removeprefix(f"{folder}/").partition(":")[0] for line in told}
    assert named == {"a.yaml", "b.yaml", "c.yaml", "preset", "gone.yaml"}
    assert len([line for line in told if "a.yaml" in line]) == 3


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


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        pytest.param("not a host", "Name or service not known", id="nobody's name"),
        pytest.param("a" * 300, "it is no name or address", id="too long for a name"),
        pytest.param("a..b", "it is no name or address", id="an empty part"),
        pytest.param("192.0.2.1", "Cannot assign requested address", id="the address of another machine"),
    ],
)
def test_an_address_that_is_not_here_is_told(pair: Pair, tmp_path: Path, host: str, reason: str) -> None:
    stderr = MemorySink()
    files: dict[str, Given] = {"dev": False, "tls_cert": str(pair.certificate), "tls_key": str(pair.key)}
    assert run(Settings.of(given(tmp_path, pair, host=host, **files), {}), stderr=stderr) == UNUSABLE
    (line,) = map(json.loads, stderr.lines)
    assert (line["message"], line["error"]) == ("cannot listen", f"--host {host}: {reason}")


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
