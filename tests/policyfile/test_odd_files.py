"""Files that are anything but policies, and what is said of each: never an exception, a wait, or a surprise."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from admission.policyfile.files import MAX_FILE_BYTES
from admission.policyfile.loader import Loaded, read_policies
from tests.policyfile.unprivileged import unprivileged

POLICY: Final = """\
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata: {name: widget-history}
spec:
  mode: DryRun
  match:
    resources: [{apiGroups: [example.com], resources: [widgets/status]}]
  trim:
    - truncate: {paths: [status.message], maxBytes: 1Ki}
"""
OTHER: Final = POLICY.replace("widget-history", "other")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(loaded: Loaded) -> list[str]:
    return [str(problem) for problem in loaded.problems]


def names(loaded: Loaded) -> list[str]:
    return [policy.name for policy in loaded.policies.policies]


# --- what is no file ---


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(path.name)


def make_circle(path: Path) -> None:
    path.symlink_to("q.yaml")
    path.with_name("q.yaml").symlink_to(path.name)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(lambda path: None, "No such file or directory", id="nothing"),
        pytest.param(make_socket, "it is a socket; name a file", id="a socket"),
        pytest.param(os.mkfifo, "it is a pipe; name a file, or pass it as the standard input", id="a pipe"),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), "it is a device; name a file", id="a device"),
        pytest.param(make_circle, "it is a link that leads to itself", id="a circle of links"),
        pytest.param(
            lambda path: path.symlink_to("gone"), "it is a link to gone, which does not exist", id="a broken link"
        ),
        pytest.param(
            lambda path: path.write_bytes(b"#" * (MAX_FILE_BYTES + 1)),
            "it is larger than 1048576 bytes",
            id="too large",
        ),
    ],
)
def test_what_is_no_file_of_policies_is_told(folder: Path, make: Callable[[Path], object], reason: str) -> None:
    make(folder / "p.yaml")
    loaded = read_policies(["p.yaml"])
    assert (told(loaded), loaded.skipped) == ([f"p.yaml: cannot be read: {reason}"], 1)


@pytest.mark.parametrize(
    "make",
    [make_socket, os.mkfifo, lambda path: path.symlink_to("/dev/zero"), make_circle],
    ids=["a socket", "a pipe", "a device", "a circle of links"],
)
def test_a_directory_with_one_is_read_to_its_end(folder: Path, make: Callable[[Path], object]) -> None:
    make(folder / "p.yaml")
    (folder / "z.yaml").write_text(POLICY)
    loaded = read_policies([folder])
    assert names(loaded) == ["widget-history"]
    assert f"{folder}/p.yaml: cannot be read: " in told(loaded)[0]


def test_what_nobody_may_read_is_told(folder: Path) -> None:
    (folder / "p.yaml").write_text(POLICY)
    (folder / "p.yaml").chmod(0)
    (folder / "closed").mkdir()
    (folder / "closed" / "q.yaml").write_text(POLICY)
    (folder / "closed").chmod(0)
    try:
        loaded = unprivileged(lambda: read_policies(["p.yaml", "closed", "closed/q.yaml"]))
    finally:
        (folder / "closed").chmod(0o700)
    assert told(loaded) == [
        f"{name}: cannot be read: Permission denied" for name in ("p.yaml", "closed", "closed/q.yaml")
    ]


def test_a_directory_needs_a_policy(folder: Path) -> None:
    (folder / "deeper.yaml").mkdir()
    (folder / "deeper.yaml" / "p.yaml").write_text(POLICY)
    (folder / "notes.txt").write_text("none")
    assert told(read_policies(["."])) == [".: has no policies in it (*.yaml, *.yml, *.json, without *.suite.yaml)"]


def test_a_directory_that_leads_to_itself_is_read_once(folder: Path) -> None:
    (folder / "p.yaml").write_text(POLICY)
    (folder / "again").symlink_to(".")
    assert names(read_policies([".", "again", "again/again"])) == ["widget-history"]


# --- what is in it ---

NOT_UTF8: Final = "is no UTF-8 text (byte {}); save it as UTF-8"
BINARY: Final = "is no text: character #x{:04x} is not allowed; is this a binary file?"
NO_TAG: Final = "the tag {} has no meaning here; leave it out"
NO_POLICY: Final = "has no policy in it; write one of kind StatusPolicy"
A_MAP: Final = "write a map with apiVersion, kind, metadata and spec"
BOMB: Final = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", f": {NO_POLICY}", id="empty"),
        pytest.param("# nothing\n---\n...\n---\nnull\n", f": {NO_POLICY}", id="documents without anything"),
        pytest.param(b"\x7fELF\x02\x01\x01\x00", f":1: {BINARY.format(0x7F)}", id="a program"),
        pytest.param(b"\x1f\x8b\x08\x00", f":1: {NOT_UTF8.format(2)}", id="compressed"),
        pytest.param(POLICY.replace("Dry", "Dry\0"), f":5: {BINARY.format(0)}", id="a NUL byte"),
        pytest.param(POLICY.encode("utf-16"), f":1: {NOT_UTF8.format(1)}", id="UTF-16"),
        pytest.param(POLICY.encode("utf-16-le"), f":1: {BINARY.format(0)}", id="UTF-16 without its mark"),
        pytest.param(f"{POLICY}# ä".encode("latin-1"), ":10: " + NOT_UTF8.format(len(POLICY) + 3), id="Latin-1"),
        pytest.param("hello", f':1: expected a policy, found "hello"; {A_MAP}', id="a word"),
        pytest.param("[]", f":1: expected a policy, found a list; {A_MAP}", id="a list"),
        pytest.param(BOMB, ":6: has more than 1000000 values with its aliases written out", id="a bomb of anchors"),
        pytest.param(
            f"a: {'[' * 300}{']' * 300}\n", ":1: is nested deeper than 200 levels", id="very deep nesting"
        ),
        pytest.param(
            POLICY.replace("  mode: DryRun", "  mode: DryRun\n  mode: Enforce"),
            ':6: the key "mode" occurs twice in one map (first in line 5); keep one',
            id="a key twice",
        ),
        pytest.param(
            POLICY.replace("DryRun", "!!python/object/apply:os.system ['true']"),
            f":5: {NO_TAG.format('!!python/object/apply:os.system')}",
            id="a tag of Python",
        ),
        pytest.param(POLICY.replace("DryRun", "!!binary aGk="), f":5: {NO_TAG.format('!!binary')}", id="a binary tag"),
        pytest.param(POLICY.replace("DryRun", "!!set {a}"), f":5: {NO_TAG.format('!!set')}", id="a set"),
        pytest.param(
            "kind: Deployment\n", ':1: kind: "Deployment" is not known here; write StatusPolicy', id="another kind"
        ),
        pytest.param(
            POLICY.replace("kind: StatusPolicy", "kind: Suite"),
            ":2: kind: is a Suite, not a policy; run it with: statuscap test",
            id="a suite",
        ),
        pytest.param(
            POLICY.replace("v1alpha1", "v1"),
            ':1: apiVersion: "statuscap.dev/v1" is not known; write statuscap.dev/v1alpha1',
            id="another version",
        ),
    ],
)  # fmt: skip
def test_what_is_no_policy_is_told_in_one_line(folder: Path, content: str | bytes, message: str) -> None:
    (folder / "p.yaml").write_bytes(content.encode() if isinstance(content, str) else content)
    loaded = read_policies(["p.yaml"])
    assert (told(loaded), names(loaded), loaded.skipped) == ([f"p.yaml{message}"], [], 1)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(POLICY.replace("\n", "\r\n").encode(), id="lines that end as on Windows"),
        pytest.param(POLICY.encode("utf-8-sig"), id="a byte order mark"),
        pytest.param(f"---\n{POLICY}...\n---\n# nothing\n".encode(), id="marks around it"),
    ],
)
def test_what_editors_do_to_a_file_does_no_harm(folder: Path, content: bytes) -> None:
    (folder / "p.yaml").write_bytes(content)
    loaded = read_policies(["p.yaml"])
    assert (told(loaded), names(loaded)) == ([], ["widget-history"])


def test_a_merge_key_is_no_key_of_a_policy(folder: Path) -> None:
    (folder / "p.yaml").write_text(POLICY.replace("spec:\n", "spec:\n  <<: {priority: 3}\n"))
    (problem,) = told(read_policies(["p.yaml"]))
    assert problem.startswith("p.yaml:5: spec.<<: unknown key; ")


@pytest.mark.parametrize("files", [1, 2], ids=["in one file", "in two files"])
def test_two_policies_of_one_name_are_told(folder: Path, files: int) -> None:
    if files == 1:
        (folder / "p.yaml").write_text(f"{POLICY}---\n{POLICY}---\n{OTHER}")
        second = "p.yaml:13"
    else:
        (folder / "p.yaml").write_text(POLICY)
        (folder / "q.yaml").write_text(f"{POLICY}---\n{OTHER}")
        second = "q.yaml:3"
    loaded = read_policies([f"{name}.yaml" for name in "pq"[:files]])
    message = 'metadata.name: "widget-history" is also the name of the policy at p.yaml:3; rename one of them'
    assert (told(loaded), names(loaded)) == ([f"{second}: {message}"], ["other", "widget-history"])


# --- words that YAML 1.1 took for something else ---


def with_value(text: str) -> str:
    """The policy with a requirement that compares with this value."""
    when = f"    when: [{{field: spec.x, operator: In, values: [{text}]}}]\n"
    return POLICY.replace("  trim:\n", f"{when}  trim:\n")


@pytest.mark.parametrize("word", ["NO", "yes", "on", "12:30", "190:20:30", "2026-01-01", "1_000", "'5'", '"null"'])
def test_a_word_is_text(folder: Path, word: str) -> None:
    (folder / "p.yaml").write_text(with_value(word))
    (policy,) = read_policies(["p.yaml"]).policies.policies
    assert policy.match.when[0].values == (word.strip("'\""),)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("true", 'found true; quote it: "true"'),
        ("5", 'found 5; quote it: "5"'),
        ("1e3", "found 1000.0; quote it"),
        ("1.0", "found 1.0; quote it"),
        ("null", "found nothing"),
        ("~", "found nothing"),
    ],
)
def test_what_is_no_text_has_to_be_quoted(folder: Path, word: str, said: str) -> None:
    (folder / "p.yaml").write_text(with_value(word))
    assert told(read_policies(["p.yaml"])) == [f"p.yaml:8: spec.match.when[0].values[0]: expected text, {said}"]


@pytest.mark.parametrize(
    ("word", "priority"), [("017", 17), ("0o17", 15), ("0x1F", 31), ("-1", -1)], ids=["decimal", "octal", "hex", "less"]
)
def test_numbers_are_those_of_yaml_1_2(folder: Path, word: str, priority: int) -> None:
    (folder / "p.yaml").write_text(POLICY.replace("mode: DryRun", f"priority: {word}"))
    (policy,) = read_policies(["p.yaml"]).policies.policies
    assert policy.priority == priority


@pytest.mark.parametrize(
    ("word", "found"), [("NO", '"NO"'), ("1e3", "1000.0"), ("12:30", '"12:30"'), ("true", "true"), ("1_0", '"1_0"')]
)
def test_a_number_is_a_number(folder: Path, word: str, found: str) -> None:
    (folder / "p.yaml").write_text(POLICY.replace("mode: DryRun", f"priority: {word}"))
    assert told(read_policies(["p.yaml"])) == [f"p.yaml:5: spec.priority: expected a whole number, found {found}"]
