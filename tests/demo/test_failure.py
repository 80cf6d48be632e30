"""An error of the demo ends in one line that says what failed and what to do."""

from __future__ import annotations

import errno

import pytest

from tests.controlplane.build import BuildError
from tests.controlplane.servers import ControlPlaneError
from tests.demo.failure import DemoError, explain


@pytest.mark.parametrize(
    ("error", "last_line"),
    [
        pytest.param(
            OSError(errno.ENOSPC, "No space left on device"),
            "demo: [Errno 28] No space left on device. The disk is full: free about 4 GB",
            id="full disk",
        ),
        pytest.param(
            BuildError("go build of etcd-v3.6.16 failed with exit code 1:\nwrite x: no space left on device"),
            "demo: go build of etcd-v3.6.16 failed with exit code 1. The disk is full",
            id="full disk in a build",
        ),
        pytest.param(
            BuildError("go build of etcd-v3.6.16 failed with exit code 1:\ndial tcp: lookup proxy: no such host"),
            "demo: go build of etcd-v3.6.16 failed with exit code 1. Go could not fetch a module",
            id="no network",
        ),
        pytest.param(
            ControlPlaneError("etcd ended with exit code 1. The end of its log:\nlisten: address already in use"),
            "demo: etcd ended with exit code 1. Other programs take the ports",
            id="port",
        ),
        pytest.param(DemoError("etcd ended by itself"), "demo: etcd ended by itself.", id="no log and no hint"),
        pytest.param(
            FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/full']"),
            "demo: [Errno 2] No usable temporary directory found in ['/full']. Set TMPDIR to a folder",
            id="nowhere to write",
        ),
        pytest.param(TimeoutError(), "demo: TimeoutError.", id="without words"),
    ],
)
def test_the_last_line_says_what_failed_and_what_to_do(error: Exception, last_line: str) -> None:
    assert explain(error).splitlines()[-1].startswith(last_line)


def test_the_end_of_a_log_stands_above() -> None:
    text = explain(BuildError("go build failed with exit code 1:\nfirst\nsecond"))
    assert text.splitlines() == ["    first", "    second", "demo: go build failed with exit code 1."]
