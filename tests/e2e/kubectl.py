"""Run kubectl against the control plane, as a person at a terminal would."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.controlplane.kubectl import find_kubectl
from tests.controlplane.servers import ControlPlane

Json = dict[str, Any]


class Shown(NamedTuple):
    """What kubectl printed, and its exit code."""

    code: int
    out: str
    errors: str

    @property
    def object(self) -> Json:
        """The object that ``-o json`` printed."""
        document: Json = json.loads(self.out)
        return document


class Kubectl:
    """kubectl in one namespace. ``folder`` holds its cache of discovery."""

    def __init__(self, plane: ControlPlane, namespace: str, folder: Path) -> None:
        self._flags = (f"--kubeconfig={plane.kubeconfig}", f"--cache-dir={folder}", f"--namespace={namespace}")

    async def __call__(self, *arguments: str, stdin: Json | None = None) -> Shown:
        """Run one command; ``stdin`` is an object for ``-f -``."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            find_kubectl(), *self._flags, *arguments, stdin=pipe, stdout=pipe, stderr=pipe
        )
        out, errors = await process.communicate(json.dumps(stdin).encode() if stdin else None)
        assert process.returncode is not None
        return Shown(process.returncode, out.decode(), errors.decode())

    async def patch_status(self, target: str, status: Json, *flags: str) -> Shown:
        """``kubectl patch --subresource=status`` with a merge patch; the target is ``gadget/name``."""
        patch = json.dumps({"status": status})
        return await self("patch", target, "--subresource=status", "--type=merge", f"--patch={patch}", *flags)
