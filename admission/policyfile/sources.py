"""Where policies are read from: files, directories, presets and standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TextIO, TypeAlias

from admission.errors import PolicyError, Problem
from admission.policyfile.files import STDIN, STDIN_NAME, read_bytes, read_stream, yaml_files
from admission.policyfile.presets import PREFIX, SUITE_SUFFIX, preset_path

Source: TypeAlias = str | Path
"""A file, a directory, ``preset:NAME``, or ``-`` for standard input."""


def opened_sources(
    sources: Iterable[Source], stdin: BinaryIO | TextIO | None
) -> Iterator[tuple[str, bytes] | PolicyError]:
    """Name and content of every file once, however often it is named; or why it cannot be read."""
    seen: set[Path | str] = set()
    for source in sources:
        try:
            files = policy_files(source)
        except PolicyError as error:
            yield error
            continue
        for file in files:
            identity = file if file == STDIN else _identity(file)
            if identity in seen:
                continue
            seen.add(identity)
            try:
                yield _read(file, stdin)
            except PolicyError as error:
                yield error


def _identity(file: Source) -> Path:
    """The same for every name of a file; what cannot be one (a circle of links) stays as it is."""
    try:
        return Path(file).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(file)


def policy_files(source: Source) -> list[Source]:
    """The files that a source stands for; ``-`` stands for itself.

    Raises:
        PolicyError: a directory cannot be read or has no policies in it, or there is no preset of that name.
    """
    if source == STDIN:
        return [STDIN]
    if isinstance(source, str) and source.startswith(PREFIX):
        return [preset_path(source.removeprefix(PREFIX))]
    if not os.path.isdir(source):  # noqa: PTH112  # Path's raises for some names, and takes "" for a directory
        return [source]
    path = Path(source)
    policies = [file for file in yaml_files(path) if not file.name.endswith(SUITE_SUFFIX)]
    if not policies:
        message = f"has no policies in it (*.yaml, *.yml, *.json, without *{SUITE_SUFFIX})"
        raise PolicyError([Problem(str(path), 0, "", message)])
    return [*policies]


def _read(file: Source, stdin: BinaryIO | TextIO | None) -> tuple[str, bytes]:
    if file != STDIN:
        return str(file), read_bytes(file)
    if stdin is None:
        raise PolicyError([Problem(STDIN_NAME, 0, "", "there is no standard input to read policies from; name a file")])
    return STDIN_NAME, read_stream(stdin)


def files_on_disk(sources: Iterable[Source]) -> list[Path]:
    """The files and directories whose change is a change of the sources: none for presets and standard input.

    Whatever is wrong with one (it is not there, cannot be listed): it is there by its own name.
    """
    found: list[Path] = []
    for source in sources:
        if source == STDIN or (isinstance(source, str) and source.startswith(PREFIX)):
            continue
        found.append(Path(source))
        with suppress(PolicyError):
            found += [Path(file) for file in policy_files(source) if file != source]
    return found
