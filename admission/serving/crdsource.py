"""The CRD files that a server was told to know: read at the start, and again when they change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from admission.crd.catalogue import SchemasByName
from admission.crd.files import crd_files_on_disk, read_crds
from admission.errors import StatuscapError
from admission.observe.processlog import ProcessLog
from admission.serving.fingerprint import Fingerprint
from admission.serving.knownkinds import KnownKinds, Origin


class CrdSource:
    """Files and directories of CRDs. ``seen`` is how they looked before they were read for the first time."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.seen = Fingerprint.of(self.files())

    def files(self) -> list[Path]:
        """The files and directories whose change is a change of the CRDs."""
        return crd_files_on_disk(self._names)

    def load(self) -> SchemasByName:
        """The schemas of all CRDs.

        Raises:
            CrdError: something is wrong; with every problem of every file.
        """
        return read_crds(self._names).by_name


class ReloadedCrds:
    """Replaces what a server knows from files, all of it or nothing."""

    def __init__(self, source: CrdSource, kinds: KnownKinds, process: ProcessLog) -> None:
        self._source = source
        self._kinds = kinds
        self._process = process

    def read(self) -> SchemasByName:
        """The schemas of all CRDs.

        Raises:
            CrdError: something is wrong; with every problem of every file.
        """
        return self._kinds.prepared(Origin.FILES, self._source.load())

    def use(self, content: SchemasByName) -> None:
        """Judge by them from the next review on."""
        self._process.info("CRD files reloaded", crds=len(content), **self._kinds.use(Origin.FILES, content))

    def refuse(self, error: StatuscapError) -> None:
        """Say everything that is wrong, once."""
        self._process.warning(
            "CRD files not reloaded", problems=str(error).splitlines(), consequence="the schemas in use stay"
        )
