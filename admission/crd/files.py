"""CRDs from files and directories: YAML or JSON, several documents, lists as ``kubectl get crds -o yaml`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from admission import regularfile
from admission.crd.catalogue import Catalogue
from admission.crd.definition import API_VERSION, KIND, Definition
from admission.errors import CrdError, FileError, PolicyError, Problem
from admission.policyfile.files import read_bytes, yaml_files
from admission.policyfile.lines import Lines, Loc
from admission.policyfile.wording import dotted, found
from admission.policyfile.yamlfile import load_documents

LARGEST_FILE: Final = 64 * 1024 * 1024  # all CRDs of a large cluster as YAML are some 30 MB

_ANYTHING: Final = "*.yaml, *.yml, *.json"


def read_crds(sources: Sequence[str | Path]) -> Catalogue:
    """All CRDs of all files; documents of other kinds are passed over.

    Raises:
        CrdError: a file cannot be read, there is no CRD in it, one is no CRD, or two of one name differ; with every
            problem of every file.
    """
    reading = _Reading()
    for source in sources:
        reading.source(source)
    if reading.problems:
        raise CrdError(reading.problems)
    return Catalogue(tuple(reading.definitions.values()))


def crd_files_on_disk(sources: Sequence[str | Path]) -> list[Path]:
    """The files and directories whose change is a change of the CRDs; one that cannot be read by its own name."""
    found_there: list[Path] = []
    for source in sources:
        found_there.append(Path(source))
        try:
            found_there += [file for file in _files(source) if file != Path(source)]
        except (FileError, PolicyError):
            continue
    return found_there


def _files(source: str | Path) -> list[Path]:
    return yaml_files(Path(source)) if regularfile.is_directory(source) else [Path(source)]


@dataclass(slots=True)
class _Reading:
    """What was read so far. ``places`` are where the definitions stand, ``seen`` the files that were read."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    seen: set[Path] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def source(self, source: str | Path) -> None:
        try:
            files = _files(source)
        except FileError as error:
            self.problems.append(Problem(error.name, 0, "", f"cannot be read: {error.reason}"))
            return
        except PolicyError as error:
            self.problems += error.problems
            return
        holders = [file for file in files if self._file(file)]
        if not holders:
            where = "" if files == [Path(source)] else f" ({_ANYTHING})"
            message = f"has no CRD in it{where}; expected kind {KIND} of {API_VERSION}"
            self.problems.append(Problem(str(source), 0, "", message))

    def _file(self, file: Path) -> bool:
        """True unless there is no CRD in it: also when it was read before, or cannot be read."""
        if file.resolve() in self.seen:
            return True
        self.seen.add(file.resolve())
        try:
            documents = list(_documents(file))
        except PolicyError as error:
            self.problems += error.problems
            return True
        crds = [each for data, lines in documents for each in _crds(data, lines)]
        for crd, lines in crds:
            self._crd(crd, lines, str(file))
        return bool(crds)

    def _crd(self, crd: dict[str, Any], lines: Lines, file: str) -> None:
        if crd.get("apiVersion") != API_VERSION:
            said = found(crd.get("apiVersion"))
            self._note(file, lines, ("apiVersion",), f"{said} is not read; write the CRD as {API_VERSION}")
            return
        try:
            definition = Definition.read(crd.get("spec"))
        except msgspec.ValidationError as error:
            self._note(file, lines, ("spec",), f"is not that of a CRD: {error}")
            return
        here = f"{file}:{lines.line}" if lines.line else file
        if self.definitions.setdefault(definition.name, definition) != definition:
            message = f"{definition.name} is defined otherwise in {self.places[definition.name]}; keep one of them"
            self._note(file, lines, ("metadata", "name"), message)
        self.places.setdefault(definition.name, here)

    def _note(self, file: str, lines: Lines, loc: Loc, message: str) -> None:
        self.problems.append(Problem(file, lines.at(loc), dotted(loc), message))


def _documents(file: Path) -> Iterator[tuple[Any, Lines]]:
    """The documents of a file with their lines; those of JSON, which is read fast, are unknown."""
    content = read_bytes(file, LARGEST_FILE)
    if content.lstrip()[:1] in (b"{", b"["):
        try:
            yield msgspec.json.decode(content), Lines()
        except (msgspec.DecodeError, RecursionError):
            pass  # YAML may begin so, too; whoever reads that says what is wrong
        else:
            return
    yield from ((document.data, document.lines) for document in load_documents(content, str(file)))


def _crds(data: Any, lines: Lines) -> Iterator[tuple[dict[str, Any], Lines]]:
    """The CRDs in a document: itself, or items of a list."""
    if not isinstance(data, dict):
        return
    kind, items = data.get("kind"), data.get("items")
    if kind == KIND:
        yield data, lines
    elif isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
        for at, item in enumerate(items):
            yield from _crds(_of_list(item, kind), lines.below(("items", at)))


def _of_list(item: Any, kind: str) -> Any:
    """An item with what a typed list leaves out of it."""
    implied = {"apiVersion": API_VERSION, "kind": KIND} if kind == f"{KIND}List" else {}
    return {**implied, **item} if isinstance(item, dict) else item
