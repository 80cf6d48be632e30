"""Find kube-apiserver and etcd, or build them once from the pinned modules and keep them in the user's cache.

Every ``modules/<name>-<version>/`` is a Go module (go.mod and go.sum) that pins one server and all it is made of. To
offer another version, add a folder. Order of search: KUBEBUILDER_ASSETS, the cache, a build (about five minutes for
kube-apiserver on two cores with the fetching of its modules, less than one for etcd).
"""

from __future__ import annotations

import contextlib
import errno
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
PACKAGES = {
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "etcd": "go.etcd.io/etcd/server/v3",
    "celjudge": "./celjudge",
}
VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
NO_DEBUG_DATA = "-gcflags=all=-dwarf=false"  # the linker drops them anyway (-s -w); saves an eighth of the time
EXPECTED = {
    "kube-apiserver": "about 5 minutes on two cores",
    "etcd": "about 1 minute on two cores",
    "celjudge": "about 1 minute on two cores",
}
REPORT_EVERY = 30.0  # seconds between two lines of progress: a build is silent for minutes
LOOK_EVERY = 0.2  # seconds between two tries to get a lock that another process holds
INTERRUPT_WITHIN = 10.0  # seconds of grace between SIGINT and SIGKILL; Go stops and clears up in less than one
OUTPUT_TAIL = 40  # lines of the compiler's output that are shown when a build fails

Progress = Callable[[str], None]


class BuildError(Exception):
    """A server could not be found or built; the message says what to do, with the end of the compiler's output."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where the two servers are; ``built``: one of them was missing and has just been built."""

    kube_apiserver: Path
    etcd: Path
    built: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Who is told what a build is at, and after how many seconds again."""

    say: Progress
    every: float


@dataclass(frozen=True, slots=True)
class Pin:
    """One program in one version, as pinned by ``modules/<name>-<version>/``, or by the module ``of`` another one."""

    name: str
    version: str
    of: str = ""

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"

    @property
    def module(self) -> Path:
        return MODULES / (self.of or str(self))

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
    every: float = REPORT_EVERY,
) -> Binaries:
    """Return the two servers, building what is neither given nor cached.

    ``progress`` gets one readable line at a time, ``every`` so many seconds. KUBEBUILDER_ASSETS, when set, wins over
    the asked versions: whoever sets it chose the servers. Raises ``BuildError`` when that folder lacks one, when there
    is no module for a version, when the cache cannot be used, when no Go is found, or when a build fails.
    """
    if assets := environ.get("KUBEBUILDER_ASSETS"):
        return Binaries(asset(Path(assets), "kube-apiserver"), asset(Path(assets), "etcd"))
    cache, report = cache_folder(environ), Report(progress, every)
    built = not all(cached(pin, cache) for pin in (kube_apiserver, etcd))
    return Binaries(
        kube_apiserver=ensure(kube_apiserver, cache, report, environ),
        etcd=ensure(etcd, cache, report, environ),
        built=built,
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
    """Return the built server, None when it is not there yet; raises ``BuildError`` when nobody may look."""
    binary = cache / str(pin) / pin.name
    with usable(cache):
        return binary if runnable(binary) else None


@contextlib.contextmanager
def usable(cache: Path) -> Iterator[None]:
    """Say what to do about a cache that cannot be read or written; a full disk is another matter and passes."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise BuildError(
            f"the built servers cannot be kept in {cache} ({error.strerror}: {error.filename}); set XDG_CACHE_HOME to "
            f"a folder that you may write to, or KUBEBUILDER_ASSETS to one that holds kube-apiserver and etcd."
        ) from error


def runnable(binary: Path) -> bool:
    return binary.is_file() and os.access(binary, os.X_OK)


def ensure(pin: Pin, cache: Path, report: Report, environ: Mapping[str, str]) -> Path:
    """Return one server from the cache, built under a lock when it is missing."""
    if found := cached(pin, cache):
        return found
    if not (pin.module / "go.mod").is_file():
        known = ", ".join(sorted(folder.name for folder in MODULES.iterdir())) or "none"
        raise BuildError(f"there is no module for {pin} in {MODULES} (known: {known}); add one to build this version.")
    with usable(cache):
        cache.mkdir(parents=True, exist_ok=True)
        file = (cache / f"{pin}.lock").open("a")
    with file:
        await_lock(file.fileno(), pin, report)
        return cached(pin, cache) or build(pin, cache, file.fileno(), report, environ)


def await_lock(descriptor: int, pin: Pin, report: Report) -> None:
    """Lock a file as long as it is open here or in the compiler, which inherits it.

    So a build that outlives its starter still keeps others out.
    """
    started = time.monotonic()
    said = -report.every
    while not try_lock(descriptor):
        waited = time.monotonic() - started
        if waited - said >= report.every:
            report.say(f"{pin}: another process is building it, waiting for {clock(waited)}")
            said = waited
        time.sleep(LOOK_EVERY)


def try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def build(pin: Pin, cache: Path, lock: int, report: Report, environ: Mapping[str, str]) -> Path:
    """Build into a folder beside the final one and rename it: a killed build leaves nothing that looks finished."""
    try:
        go = find_go(environ)
    except ToolchainError as error:
        raise BuildError(str(error)) from error
    unfinished = cache / f"{pin}.building"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    try:
        compile_into(unfinished, pin, go, lock, report, environ)
        shutil.rmtree(cache / str(pin), ignore_errors=True)
        unfinished.rename(cache / str(pin))
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return cache / str(pin) / pin.name


def compile_into(folder: Path, pin: Pin, go: Go, lock: int, report: Report, environ: Mapping[str, str]) -> None:
    """Run ``go build`` for one pin, its output kept in a file and shown only when it fails.

    What Go writes meanwhile is in the folder too, so that no end of a build leaves it behind.
    """
    flags = ["-trimpath", NO_DEBUG_DATA, "-ldflags", pin.ldflags(), "-o", str(folder / pin.name)]
    log, scratch = folder / "build.log", folder / "scratch"
    scratch.mkdir()
    started = time.monotonic()
    report.say(f"{pin}: compiling it with {go.version}, once: {EXPECTED[pin.name]}")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [go.command, "build", *flags, PACKAGES[pin.name]],
            cwd=pin.module,
            env={**go.environment(environ), "GOTMPDIR": str(scratch)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(lock,),
            process_group=0,
        )
        code = wait(process, report, lambda: compiling(pin, time.monotonic() - started))
    if code != 0:
        raise BuildError(f"go build of {pin} failed with exit code {code}:\n{tail(log, OUTPUT_TAIL)}")
    log.unlink()
    shutil.rmtree(scratch)
    report.say(f"{pin}: compiled in {clock(time.monotonic() - started)}")


def compiling(pin: Pin, seconds: float) -> str:
    """Return what a build is at; with a mark before it, it fits a terminal of 80 columns."""
    return f"{pin}: compiling once, {clock(seconds)} of {EXPECTED[pin.name]}"


def clock(seconds: float) -> str:
    """Return minutes and seconds: ``4:07``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def wait(process: subprocess.Popen[bytes], report: Report, doing: Callable[[], str]) -> int:
    """Await the exit code and report now and then; an interrupted wait takes the compiler and its children along."""
    try:
        while True:
            try:
                return process.wait(report.every)
            except subprocess.TimeoutExpired:
                report.say(doing())
    except BaseException:
        end(process)
        raise


def end(process: subprocess.Popen[bytes], within: float = INTERRUPT_WITHIN) -> None:
    """End the compiler and its children: with SIGINT, on which Go clears up, and with SIGKILL what then still runs."""
    try:
        signal_group(process, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(within)
    finally:
        signal_group(process, signal.SIGKILL)
        process.wait()


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def tail(path: Path, lines: int) -> str:
    """Return the last lines of a text file, empty when there is none."""
    try:
        text = path.read_text(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
