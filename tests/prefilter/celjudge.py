"""The code of kube-apiserver as the judge of matchConditions: a process that is asked one line at a time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from tests.controlplane.build import KUBE_APISERVER, Pin, Progress, Report, cache_folder, ensure, silent

_OF = Pin("celjudge", KUBE_APISERVER.version, of=str(KUBE_APISERVER))
_REPORT_EVERY = 30.0


def pin() -> Pin:
    """The judge as its source is now: its cached build is known by a digest of it."""
    digest = hashlib.sha256((_OF.module / "celjudge" / "main.go").read_bytes()).hexdigest()[:12]
    return replace(_OF, version=f"{_OF.version}-{digest}")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the API server would do: call the webhook or not; ``error`` for what does not compile, or fails."""

    matches: bool
    error: str = ""


class CelJudge:
    """The judge, as a context manager. It is built on first use, which takes a minute."""

    def __init__(self, progress: Progress = silent) -> None:
        binary = ensure(pin(), cache_folder(os.environ), Report(progress, _REPORT_EVERY), os.environ)
        self._process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def rules(self, expression: str, submitted: Any, stored: Any = None) -> Ruling:
        """Judge one condition of one write."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = {"expression": expression, "object": submitted, "oldObject": stored}
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return Ruling(answer["matches"], answer.get("error", ""))
