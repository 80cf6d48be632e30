"""The webhooks in Go do the task of the benchmark, and are written as Go is."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench import gowebhook
from tests.bench.bodies import bodies
from tests.bench.gowebhook import WEBHOOKS, WebhookBuildError, built, run_go
from tests.bench.load import Load
from tests.bench.server import KeyPair, Server
from tests.bench.subjects import CONTROLLER_RUNTIME, NET_HTTP, Subject
from tests.controlplane.toolchain import Go, ToolchainError, find_go

NAMES = sorted(folder.name for folder in WEBHOOKS.iterdir())
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def go() -> Go:
    try:
        return find_go()
    except ToolchainError as error:
        pytest.skip(str(error))


@pytest.fixture(params=[NET_HTTP, CONTROLLER_RUNTIME], ids=lambda subject: subject.name)
def webhook(request: pytest.FixtureRequest, go: Go, tmp_path: Path) -> Iterator[Server]:
    subject: Subject = request.param
    server = Server(subject, tmp_path / subject.name, KeyPair(tmp_path), core=0)
    yield server
    server.stop()


async def test_its_answers_to_all_reviews_are_right(webhook: Server) -> None:
    for body in bodies():
        await Load(webhook, body).verify()


@pytest.mark.parametrize("name", NAMES)
def test_it_is_formatted_and_vetted(name: str, go: Go) -> None:
    gofmt = go.command.with_name("gofmt")
    unformatted = subprocess.run([gofmt, "-l", "."], check=True, cwd=WEBHOOKS / name, capture_output=True, text=True)
    assert unformatted.stdout == ""
    run_go(name, go, "vet", "./...")
    run_go(name, go, "mod", "verify")


def test_it_is_compiled_once_for_each_content(go: Go, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "webhooks" / "tiny"
    module.mkdir(parents=True)
    (module / "go.mod").write_text("module statuscap.test/tiny\n\ngo 1.26.0\n")
    source = module / "main.go"
    source.write_text("package main\n\nfunc main() {}\n")
    monkeypatch.setattr(gowebhook, "WEBHOOKS", tmp_path / "webhooks")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = built("tiny")
    made = first.stat().st_mtime_ns
    assert (built("tiny"), first.stat().st_mtime_ns) == (first, made)
    source.write_text("package main\n\nfunc main() { println(1) }\n")
    assert built("tiny") != first
    source.write_text("package main\n\nfunc main() { nonsense }\n")
    with pytest.raises(WebhookBuildError, match="nonsense"):
        built("tiny")
