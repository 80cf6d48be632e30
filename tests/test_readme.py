"""What the README shows is what happens: its files are written, its commands run, its output compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from admission.cli.app import build
from admission.engine.decision import Outcome, Reason
from tests.controlplane.versions import kube_apiservers, numbers
from tests.e2e.abilities import ABILITIES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SAVED = re.compile(r"Save this as `(?P<name>[^`]+)`.*?```yaml\n(?P<text>.*?)```", re.DOTALL)
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


DOCUMENTS = sorted(
    path for pattern in ("*.md", "certs/*.md", "manifests/*.md", "policies/*.md") for path in ROOT.glob(pattern)
)


def steps() -> list[tuple[str, str]]:
    """Return every command that the README shows, with the output that it promises."""
    found: list[tuple[str, str]] = []
    for block in CONSOLE.findall(README):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder as the reader's: the files that the README says to save, and the repository's policies."""
    folder = tmp_path_factory.mktemp("reader")
    for match in SAVED.finditer(README):
        (folder / match["name"]).write_text(match["text"])
    (folder / "policies").symlink_to(ROOT / "policies")
    return folder


def run(command: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(("command", "output"), steps(), ids=[command for command, _ in steps()])
def test_a_command_prints_what_the_readme_shows(command: str, output: str, folder: Path) -> None:
    printed = run(command, folder)
    if output:
        assert printed == output
    else:
        assert printed, "the README shows no output because it is long, not because there is none"


def test_the_readme_has_commands_to_run() -> None:
    assert len(steps()) >= 5


@pytest.mark.parametrize("target", sorted(set(LINK.findall(README))))
def test_a_link_leads_somewhere(target: str) -> None:
    assert (ROOT / target).exists()


def test_every_make_target_that_is_named_exists() -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named <= targets


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_the_table_of_api_servers_is_what_the_end_to_end_tests_look_at() -> None:
    table = re.findall(r"^\|.*v1\.36.*(?:\n\|.*)+", README, re.MULTILINE)[0].splitlines()
    versions = cells(table[0])[1:]
    assert versions == sorted((pin.version for pin in kube_apiservers()), key=numbers)
    shown = {name: has for name, *has in map(cells, table[2:])}
    assert shown.pop("all that is promised here") == ["yes"] * len(versions)
    assert shown == {
        ability.name: ["–" if version in ability.lacked_by else "yes" for version in versions] for ability in ABILITIES
    }


def test_every_flag_that_is_shown_exists(folder: Path) -> None:
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL):
        for line in block.replace("\\\n", " ").split("|")[0].splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["statuscap"]:
                text = run(f"COLUMNS=200 statuscap {words[1]} --help", folder)
                flags = {word for word in words if word.startswith("-")}
                assert all(flag in text for flag in flags), (words[1], flags)


def test_the_time_for_which_ctrl_c_lets_the_server_answer_is_the_one_of_the_flag(folder: Path) -> None:
    (default,) = re.findall(r"`--drain` \((\w+) by default", README)
    assert f"[env STATUSCAP_DRAIN, default {default}]" in run("COLUMNS=200 statuscap serve --help", folder)


def flags_of(command: Any) -> Iterator[str]:
    """Every flag of a command and of those below it."""
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    for below in getattr(command, "commands", {}).values():
        yield from flags_of(below)


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_a_flag_that_a_document_names_exists(document: Path) -> None:
    named = set(re.findall(r"`(--[a-z][a-z-]*)", document.read_text()))
    assert named - set(flags_of(typer.main.get_command(build()))) == set()


@pytest.mark.parametrize("word", [*Outcome, *filter(None, Reason)])
def test_every_outcome_and_reason_of_the_log_is_explained(word: str) -> None:
    log = (ROOT / "manifests" / "README.md").read_text().partition("## Decision log")[2]
    assert f"`{word}`" in log
