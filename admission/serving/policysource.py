"""The policies that a server was told to serve: read at the start, and again when their files change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from admission.engine.policy import Mode, PolicySet
from admission.errors import PolicyError, StatuscapError
from admission.observe.processlog import ProcessLog
from admission.policyfile.files import MAX_FILE_BYTES, STDIN
from admission.policyfile.loader import Loaded, read_policies
from admission.policyfile.sources import files_on_disk
from admission.serving.fingerprint import Fingerprint
from admission.serving.server import Server, summary


class PolicySource:
    """Files, directories, presets and standard input, in the mode that was asked for.

    Standard input is read once, and is the same from then on. ``seen`` is how the files looked before they were read
    for the first time.
    """

    def __init__(self, names: Sequence[str], mode: Mode | None = None, stdin: BinaryIO | None = None) -> None:
        self._names = names
        self._mode = mode
        self._stdin = stdin.read(MAX_FILE_BYTES + 1) if stdin is not None and STDIN in names else None
        self.seen = Fingerprint.of(self.files())

    def files(self) -> list[Path]:
        """The files and directories whose change is a change of the policies."""
        return files_on_disk(self._names)

    def load(self, *, skip_broken: bool = False) -> Loaded:
        """All policies, or with ``skip_broken`` those that are right.

        Raises:
            PolicyError: something is wrong, and nothing may be left out; with every problem of every file.
        """
        loaded = read_policies(self._names, stdin=None if self._stdin is None else BytesIO(self._stdin))
        if loaded.problems and not skip_broken:
            raise PolicyError(loaded.problems)
        return replace(loaded, policies=loaded.policies.in_mode(self._mode))


class ReloadedPolicies:
    """Replaces the policies of a server, all of them or none."""

    def __init__(self, source: PolicySource, server: Server) -> None:
        self._source = source
        self._server = server

    def read(self) -> Loaded:
        """All policies, and their digest, which takes a while for many.

        Raises:
            PolicyError: something is wrong; with every problem of every file.
        """
        loaded = self._source.load()
        _ = loaded.policies.digest
        return loaded

    def use(self, loaded: Loaded) -> None:
        """Judge by them from the next review on."""
        policies, before = loaded.policies, self._server.handler.policies
        self._server.use(policies)
        if policies.digest == before.digest:
            self._server.process.info("policies unchanged", digest=policies.digest)
            return
        self._server.metrics.count_reload(taken=True)
        self._server.process.info("policies reloaded", **summary(policies), **_differences(before, policies))
        tell_notes(self._server.process, loaded)

    def refuse(self, error: StatuscapError) -> None:
        """Say everything that is wrong, once."""
        self._server.metrics.count_reload(taken=False)
        self._server.process.warning(
            "policies not reloaded",
            problems=str(error).splitlines(),
            consequence="the policies in use stay",
            digest=self._server.handler.policies.digest,
        )


def tell_notes(process: ProcessLog, loaded: Loaded) -> None:
    """Say what is allowed in the policies and yet hardly meant."""
    if loaded.notes:
        process.info("notes on policies", notes=list(map(str, loaded.notes)))


def _differences(before: PolicySet, after: PolicySet) -> dict[str, Any]:
    """The digest before, and the names of the policies that came, went and changed."""
    old, new = ({policy.name: policy for policy in policies.policies} for policies in (before, after))
    return {
        "before": before.digest,
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "changed": sorted(name for name in old.keys() & new.keys() if old[name] != new[name]),
    }
