"""Find kube-apiserver and etcd, or build them once from the pinned modules and keep them in the user's cache.

Every ``modules/<name>-<version>/`` is a Go module (go.mod and go.sum) that pins one server and all it is made of. To
offer another version, add a folder. Order of search: KUBEBUILDER_ASSETS, the cache, a build (about four minutes for
kube-apiserver on two cores, half a minute for etcd).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.controlplane.toolchain import Go, ToolchainError, find_go

MODULES = Path(__file__).with_name("modules")
PACKAGES = {"kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver", "etcd": "go.etcd.io/etcd/server/v3"}
VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
REPORT_EVERY = 15.0  # seconds between two lines of progress: a build is silent for minutes
OUTPUT_TAIL = 40  # lines of the compiler's output that are shown when a build fails

Progress = Callable[[str], None]


class BuildError(Exception):
    """A server could not be found or built; the message says what to do, with the end of the compiler's output."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where the two servers are."""

    kube_apiserver: Path
    etcd: Path


@dataclass(frozen=True, slots=True)
class Pin:
    """One server in one version, as pinned by ``modules/<name>-<version>/``."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"

    @property
    def module(self) -> Path:
        return MODULES / str(self)

    def ldflags(self) -> str:
        """Return the linker's flags: without them kube-apiserver calls itself v0.0.0 and emulates the wrong version."""
        if self.name != "kube-apiserver":
            return "-s -w"
        major, minor, _ = self.version.removeprefix("v").split(".", 2)
        facts = {"gitVersion": self.version, "gitMajor": major, "gitMinor": minor}
        return " ".join(
            ["-s -w", *(f"-X {package}.{key}={value}" for package in VERSION_PACKAGES for key, value in facts.items())]
        )


KUBE_APISERVER = Pin("kube-apiserver", "v1.36.3")
ETCD = Pin("etcd", "v3.6.16")


def silent(_: str) -> None:
    """Say nothing: the progress of a caller that does not care."""


def ensure_binaries(
    progress: Progress = silent,
    *,
    kube_apiserver: Pin = KUBE_APISERVER,
    etcd: Pin = ETCD,
    environ: Mapping[str, str] = os.environ,
) -> Binaries:
    """Return the two servers, building what is neither given nor cached.

    ``progress`` gets one readable line at a time. KUBEBUILDER_ASSETS, when set, wins over the asked versions: whoever
    sets it chose the servers. Raises ``BuildError`` when that folder lacks one, when there is no module for a version,
    when no Go is found, or when a build fails.
    """
    if assets := environ.get("KUBEBUILDER_ASSETS"):
        return Binaries(asset(Path(assets), "kube-apiserver"), asset(Path(assets), "etcd"))
    cache = cache_folder(environ)
    return Binaries(
        kube_apiserver=ensure(kube_apiserver, cache, progress, environ),
        etcd=ensure(etcd, cache, progress, environ),
    )


def asset(folder: Path, name: str) -> Path:
    """Return the executable ``name`` of KUBEBUILDER_ASSETS."""
    binary = folder / name
    if not runnable(binary):
        raise BuildError(
            f"KUBEBUILDER_ASSETS is {folder}, but there is no executable {name} in it. "
            f"Put kube-apiserver and etcd there, or unset it to have both built."
        )
    return binary


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the built servers, one subfolder for each platform (a home may be shared)."""
    base = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME") or Path.home()) / ".cache"
    system = os.uname()
    return Path(base) / "statuscap" / "controlplane" / f"{system.sysname}-{system.machine}".lower()


def cached(pin: Pin, cache: Path) -> Path | None:
    """Return the built server, None when it is not there yet."""
    binary = cache / str(pin) / pin.name
    return binary if runnable(binary) else None


def runnable(binary: Path) -> bool:
    return binary.is_file() and os.access(binary, os.X_OK)


def ensure(pin: Pin, cache: Path, progress: Progress, environ: Mapping[str, str]) -> Path:
    """Return one server from the cache, built under a lock when it is missing."""
    if found := cached(pin, cache):
        return found
    if not (pin.module / "go.mod").is_file():
        known = ", ".join(sorted(folder.name for folder in MODULES.iterdir())) or "none"
        raise BuildError(f"there is no module for {pin} in {MODULES} (known: {known}); add one to build this version.")
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / f"{pin}.lock", pin, progress) as lock:
        return cached(pin, cache) or build(pin, cache, lock, progress, environ)


@contextlib.contextmanager
def locked(path: Path, pin: Pin, progress: Progress) -> Iterator[int]:
    """Hold an exclusive lock; the compiler inherits it, so a build that outlives its starter still keeps others out."""
    with path.open("a") as file:
        started = time.monotonic()
        said = -REPORT_EVERY
        while not try_lock(file.fileno()):
            waited = time.monotonic() - started
            if waited - said >= REPORT_EVERY:
                progress(f"{pin}: another process is building it, waiting ({waited:.0f} s)")
                said = waited
            time.sleep(0.2)
        yield file.fileno()


def try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def build(pin: Pin, cache: Path, lock: int, progress: Progress, environ: Mapping[str, str]) -> Path:
    """Build into a folder beside the final one and rename it: a killed build leaves nothing that looks finished."""
    try:
        go = find_go(environ)
    except ToolchainError as error:
        raise BuildError(str(error)) from error
    unfinished = cache / f"{pin}.building"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    try:
        compile_into(unfinished, pin, go, lock, progress, environ)
        shutil.rmtree(cache / str(pin), ignore_errors=True)
        unfinished.rename(cache / str(pin))
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return cache / str(pin) / pin.name


def compile_into(folder: Path, pin: Pin, go: Go, lock: int, progress: Progress, environ: Mapping[str, str]) -> None:
    """Run ``go build`` for one pin, its output kept in a file and shown only when it fails."""
    flags = ["-trimpath", "-ldflags", pin.ldflags(), "-o", str(folder / pin.name)]
    started = time.monotonic()
    progress(f"{pin}: building it with {go.version}, once (minutes when Go's cache is cold)")
    with (folder / "build.log").open("wb") as output:
        process = subprocess.Popen(
            [go.command, "build", *flags, PACKAGES[pin.name]],
            cwd=pin.module,
            env=go.environment(environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(lock,),
            process_group=0,
        )
        code = wait(process, lambda: progress(f"{pin}: still building ({time.monotonic() - started:.0f} s)"))
    if code != 0:
        raise BuildError(f"go build of {pin} failed with exit code {code}:\n{tail(folder / 'build.log', OUTPUT_TAIL)}")
    (folder / "build.log").unlink()
    progress(f"{pin}: built in {time.monotonic() - started:.0f} s")


def wait(process: subprocess.Popen[bytes], report: Callable[[], None]) -> int:
    """Await the exit code and report now and then; an interrupted wait takes the compiler and its children along."""
    try:
        while True:
            try:
                return process.wait(REPORT_EVERY)
            except subprocess.TimeoutExpired:
                report()
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def tail(path: Path, lines: int) -> str:
    """Return the last lines of a text file, empty when there is none."""
    try:
        text = path.read_text(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
