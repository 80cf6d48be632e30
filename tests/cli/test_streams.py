"""What a command does with standard streams that are closed, full, or cannot print what it says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.offline.samples import POLICY, SUITE, WIDGET, bent, written


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a line of shell in which ``statuscap`` is the command."""
    script = f'statuscap() {{ "{sys.executable}" -m admission "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a policy, an object and a suite."""
    written(tmp_path, "p.yaml", POLICY)
    written(tmp_path, "o.json", bent(WIDGET, "status", "phase", to="naïve →"))
    written(tmp_path, "s.suite.yaml", bent(SUITE, "cases", 0, "name", to="naïve"))
    return tmp_path


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        pytest.param("presets list >&-", 0, "", id="no output"),
        pytest.param("version >&- 2>&- <&-", 0, "", id="nothing"),
        pytest.param("apply -p p.yaml - <&-", 2, "statuscap: -: there is no object in it\n", id="no input to apply to"),
        pytest.param("check - <&-", 1, "", id="no input to check"),
        pytest.param("presets show nope 2>&-", 2, "", id="no error output"),
        pytest.param("presets show nope 2>/dev/full", 2, "", id="a full error output"),
    ],
)
def test_a_closed_stream_is_an_empty_one(folder: Path, line: str, code: int, error: str) -> None:
    for buffering in ("PYTHONUNBUFFERED=", "PYTHONUNBUFFERED=1"):
        done = shell(f"{buffering} statuscap {line}", folder)
        assert (done.returncode, done.stderr) == (code, error)


@pytest.mark.parametrize(
    "line",
    [
        "version",
        "apply --help",
        "presets list",
        "presets list -o json",
        "apply -p p.yaml o.json",
        "apply -p p.yaml o.json -o yaml",
        "apply -p p.yaml o.json -o diff",
        "test s.suite.yaml",
        "check p.yaml",
    ],
)
def test_a_full_disk_is_told_in_one_line(folder: Path, line: str) -> None:
    done = shell(f"statuscap {line} >/dev/full", folder)
    assert done.stderr == "statuscap: the standard output cannot be written: No space left on device\n"
    assert done.returncode == 1


ASCII = pytest.mark.parametrize("encoding", ["ascii", "iso-8859-1", "utf-8"])


@ASCII
@pytest.mark.parametrize(
    ("line", "sign", "plain"),
    [
        ("apply -p p.yaml o.json", "→", "->"),
        ("apply -p p.yaml o.json", "−", "-77 B"),
        ("test s.suite.yaml", "✓", "ok na"),
    ],
)
def test_what_people_read_is_printed_in_any_encoding(
    folder: Path, encoding: str, line: str, sign: str, plain: str
) -> None:
    done = shell(f"statuscap {line} | iconv -f {encoding} -t utf-8", folder, PYTHONIOENCODING=encoding)
    assert done.stderr == ""
    assert (sign if encoding == "utf-8" else plain) in done.stdout


@ASCII
@pytest.mark.parametrize("line", ["apply -p p.yaml o.json -o yaml", "test s.suite.yaml -o json"])
def test_what_programs_read_is_utf_8(folder: Path, encoding: str, line: str) -> None:
    done = shell(f"statuscap {line}", folder, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert "naïve" in done.stdout


def test_the_c_locale_is_no_obstacle(folder: Path) -> None:
    done = shell("statuscap apply -p p.yaml o.json; statuscap check nö.yaml", folder, LC_ALL="C", PYTHONUTF8="0")
    assert "Trimmed" in done.stdout
    assert done.stderr.endswith("cannot be read: No such file or directory\n")


def test_a_name_that_is_no_text_is_printed(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff.yaml")).write_text("a: [")
    assert shell("statuscap check .", folder).returncode == 1
    assert json.loads(shell("statuscap check . -o json", folder).stdout)["clean"] is False
