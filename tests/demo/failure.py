"""Why the demo could not go on, for the person in front of it: what to look at, and last one line with what to do."""

from __future__ import annotations

import errno
from typing import Final

import aiohttp

from tests.controlplane.build import BuildError
from tests.controlplane.kubectl import KubectlNotFoundError
from tests.controlplane.servers import ControlPlaneError
from tests.e2e.product import ProductError


class DemoError(Exception):
    """The demo cannot go on; the message says why."""


EXPECTED: Final = (
    DemoError,
    BuildError,
    ControlPlaneError,
    KubectlNotFoundError,
    ProductError,
    aiohttp.ClientError,
    TimeoutError,
    OSError,
)
"""What a machine, a network or a person can cause. Anything else is a fault of the demo and keeps its traceback."""

FULL: Final = "the disk is full: free about 4 GB, or point TMPDIR, GOCACHE and XDG_CACHE_HOME to a disk that has them"
HINTS: Final = (
    (("no space left on device", "disk quota exceeded"), FULL),
    (
        ("dial tcp", "no such host", "i/o timeout", "tls handshake timeout", "proxyconnect"),
        "Go could not fetch a module: check the network or GOPROXY, or set KUBEBUILDER_ASSETS to ready-made servers",
    ),
    (
        ("signal: killed", "cannot allocate memory", "out of memory"),
        "memory ran out: close something, or set GOFLAGS=-p=1 and GOMEMLIMIT=1GiB for the build",
    ),
    (("address already in use",), "other programs take the ports as soon as they are found free: run it again"),
    (("no usable temporary directory",), "set TMPDIR to a folder that you may write to"),
    (("permission denied",), "check who owns the folder that is named"),
)
"""What to do, by words that the message, or the end of a log in it, has. The first that fits is told."""


def explain(error: BaseException) -> str:
    """Return the end of the log that the message carries, if any, and below it one line: what failed, what to do."""
    first, _, log = (str(error) or type(error).__name__).partition("\n")
    headline = first.removesuffix(". The end of its log:").rstrip(":.")
    told = f"demo: {headline}. {sentence(hint(error))}".rstrip()
    indented = [f"    {line}" for line in log.splitlines()]
    return "\n".join([*indented, told])


def hint(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return FULL
    text = str(error).lower()
    return next((told for words, told in HINTS if any(word in text for word in words)), "")


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""
