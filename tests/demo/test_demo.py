"""The demo as its users run it: a command that ends well, badly when a promise is broken, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.controlplane.build import ensure_binaries
from tests.controlplane.kubectl import find_kubectl

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the servers end with their starter on Linux only"),
]

ROOT = Path(__file__).parents[2]
END_WITHIN = 90.0  # seconds; a run takes about fifteen, the rest is for a busy machine


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    ensure_binaries(print)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment in which all that is temporary goes to ``folder``."""
    return {**os.environ, "TMPDIR": str(folder), **more}


def demo(folder: Path, *flags: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.demo", *flags],
        cwd=ROOT,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=END_WITHIN,
        check=False,
    )


@contextmanager
def started(folder: Path, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """Start the demo without waiting for its end; whatever happens, it ends with the test."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.demo", *flags],
        cwd=ROOT,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def read_until(process: subprocess.Popen[str], words: str) -> list[str]:
    """Return the lines up to the one with ``words``."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if words in line:
            return lines
    raise AssertionError(f"{words!r} was not printed:\n" + "\n".join(lines))


def gone(processes: list[psutil.Process], within: float = 5.0) -> bool:
    deadline = time.monotonic() + within
    while any(process.is_running() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(process.is_running() for process in processes)


def row(lines: list[str], kind: str) -> list[str]:
    """Return the cells of one line of the table: Kind, Writes, Refused, untrimmed, stored, Saved, size."""
    line = next(line for line in lines if re.match(rf"{kind}\s+\d", line))
    return re.split(r"\s+(?=[\d−–]|frozen|refused)", re.sub(r"\s→\s", "→", line.strip()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def done(folder: Path) -> subprocess.CompletedProcess[str]:
    """One run to its end."""
    return demo(folder, "--once", "--seconds", "2")


def test_ends_well_when_everything_was_trimmed_as_promised(
    done: subprocess.CompletedProcess[str], folder: Path
) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"All \d+ promises kept", done.stdout)
    assert "✘" not in done.stdout
    assert done.stderr == ""
    assert [*folder.iterdir()] == []


def test_the_table_tells_what_was_stored_and_would_have_been(done: subprocess.CompletedProcess[str]) -> None:
    lines = done.stdout.splitlines()
    for kind in ("Job", "Application"):
        _, writes, refused, untrimmed, stored, saved, size = row(lines, kind)
        assert int(writes) >= 3
        assert refused == "0"
        assert float(saved.split()[0]) > 10
        assert re.fullmatch(r"[\d.]+ (B|[KM]iB)", untrimmed), untrimmed
        assert re.fullmatch(r"[\d.]+ (B|[KM]iB)", stored), stored
        assert "→" in size
    _, _, refused, untrimmed, _, saved, size = row(lines, "Cluster")
    assert (refused, untrimmed, saved) == ("0", "refused", "–")
    assert "frozen" in size
    assert not any("\x1b" in line for line in lines)
    assert lines[-1] == "Stopped; nothing is left running."


@pytest.fixture(scope="module")
def untrimmed(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """One run to its end in which nothing is trimmed."""
    return demo(tmp_path_factory.mktemp("untrimmed"), "--once", "--seconds", "1", "--mode", "DryRun")


def test_a_broken_promise_ends_in_exit_code_1_and_its_reason(untrimmed: subprocess.CompletedProcess[str]) -> None:
    assert untrimmed.returncode == 1
    assert re.search(r"[1-9]\d* of \d+ promises broken", untrimmed.stdout)
    assert re.search(r"✘ one condition of each phase.*\(9\d\d conditions, 3 phases\)", untrimmed.stdout)
    assert re.search(r"✘ every write was taken.*Too long", untrimmed.stdout)
    assert len(re.findall(r"✔ writing the same again never reached etcd", untrimmed.stdout)) == 3


def test_nothing_is_saved_where_nothing_is_trimmed(untrimmed: subprocess.CompletedProcess[str]) -> None:
    lines = untrimmed.stdout.splitlines()
    assert [row(lines, kind)[5] for kind in ("Job", "Application", "Total")] == ["0.0 %"] * 3
    _, writes, refused, *sizes = row(lines, "Cluster")
    assert (refused, sizes[:3]) == (writes, ["refused", "0 B", "–"])


def test_what_it_says_to_try_works_when_pasted_and_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "1") as process:
        lines = read_until(process, "kubectl apply -f")  # kubectl's own line of the registration
        lines += read_until(process, "kubectl apply -f")  # the last line of what to try
        children = psutil.Process(process.pid).children(recursive=True)
        script = "\n".join(line.strip() for line in lines[lines.index(env_line(lines)) :])
        pasted = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=END_WITHIN,
            check=False,
        )
        assert pasted.returncode == 0, pasted.stderr
        for words in ("nightly-report", "bytes cut]", '"outcome": "Trimmed"', "WouldTrim", "deleted"):
            assert words in pasted.stdout
        folded = ("WouldTrim", "  volcano-job-conditions")  # a table's lines, which a terminal gets folded
        assert [line for line in pasted.stdout.splitlines() if len(line) > 80 and not line.startswith(folded)] == []
        process.send_signal(signal.SIGINT)
        assert process.wait(END_WITHIN) == 0
        assert process.stdout is not None
        assert process.stdout.read().splitlines()[-1] == "Stopped; nothing is left running."
    assert len(children) == 3
    assert gone(children)
    assert [*tmp_path.iterdir()] == []


def env_line(lines: list[str]) -> str:
    return next(line for line in lines if line.strip().startswith(". "))


@pytest.mark.parametrize(
    ("number", "moment", "flags", "code"),
    [
        pytest.param(signal.SIGTERM, "API server", ["--once"], 130, id="SIGTERM before statuscap runs"),
        pytest.param(signal.SIGINT, "statuscap  ", [], 0, id="Ctrl-C before it is registered"),
        pytest.param(signal.SIGHUP, "registered", [], 0, id="a terminal that is closed while the controllers write"),
    ],
)
def test_a_signal_in_the_middle_leaves_nothing(
    tmp_path: Path, number: signal.Signals, moment: str, flags: list[str], code: int
) -> None:
    with started(tmp_path, "--seconds", "60", *flags) as process:
        read_until(process, f"✔ {moment}")
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        assert process.wait(END_WITHIN) == code
        assert process.stdout is not None
        rest = process.stdout.read()
        assert "Traceback" not in rest
        assert rest.splitlines()[-1] == "Stopped; nothing is left running."
    assert children
    assert gone(children)
    assert [*tmp_path.iterdir()] == []


def test_an_object_that_goes_away_is_one_readable_line(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        read_until(process, "registered")
        kubeconfig = next(tmp_path.glob("*/controlplane/kubeconfig"))
        delete = [str(find_kubectl()), f"--kubeconfig={kubeconfig}", f"--cache-dir={tmp_path / 'cache'}", "delete"]
        subprocess.run([*delete, "applications.argoproj.io", "shop"], capture_output=True, check=True)
        assert process.wait(END_WITHIN) == 1
        assert process.stdout is not None
        last = process.stdout.read().splitlines()[-1]
    assert re.match(r"demo: .*Application.*(not found|was deleted)", last)


def test_a_missing_server_is_one_readable_line(tmp_path: Path) -> None:
    done = demo(tmp_path, "--once", KUBEBUILDER_ASSETS=str(tmp_path))
    assert done.returncode == 1
    assert re.fullmatch(r"demo: KUBEBUILDER_ASSETS is .* there is no executable kube-apiserver .*\n", done.stderr)


def test_a_cache_that_cannot_be_used_is_one_readable_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = demo(tmp_path, "--once", KUBEBUILDER_ASSETS="", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert done.returncode == 1
    assert re.fullmatch(r"demo: .* cannot be kept in .*; set XDG_CACHE_HOME to a folder .*\n", done.stderr)


@pytest.mark.parametrize("seconds", ["0", "-1", "soon"])
def test_an_impossible_time_is_a_usage_error(tmp_path: Path, seconds: str) -> None:
    done = demo(tmp_path, "--seconds", seconds)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
