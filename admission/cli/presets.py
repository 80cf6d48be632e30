"""``statuscap presets``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from admission.cli.exits import Exit
from admission.errors import PolicyError, Problem, SettingsError

if TYPE_CHECKING:
    from rich.text import Text

    from admission.engine.policy import Policy

LONGEST_LINE: Final = 200
"""Characters of a line in a pipe: a screen and a half, which a pager or a chat still shows."""

_HEAD: Final = ("NAME", "RESOURCES", "WHAT IT DOES")
_RESOURCES_SHOWN: Final = 2
_GAP: Final = 2
_LEAST_SENTENCE: Final = 40
"""Columns in which a sentence is pleasant to read; with less it stands below its preset."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A policy that ships. A ``template`` fits any kind of a certain shape, beside those that it names."""

    name: str
    policy: Policy
    template: bool = False


presets = typer.Typer(name="presets", help="The policies that ship with statuscap.", rich_markup_mode=None)


class Format(StrEnum):
    """How a list is printed."""

    TABLE = "table"
    JSON = "json"


class ShowFormat(StrEnum):
    """How a preset is printed."""

    YAML = "yaml"
    JSON = "json"


@presets.command("list")
def list_(
    output: Annotated[Format, typer.Option("--output", "-o", help="How to print it.")] = Format.TABLE,
) -> int:
    """List the presets.

    Each with its first resources and what it does, in a sentence; presets show NAME tells all, -p preset:NAME
    uses it. Of one for any kind, presets show NAME --resource GROUP/RESOURCE prints the policy for yours.
    """
    from admission.cli import console
    from admission.policyfile.presets import preset_names

    found = [preset for name in preset_names() for preset in _presets(name)]
    if output is Format.JSON:
        told = [_told(preset) for preset in found]
        console.raw(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        print_table(found)
    return Exit.OK


@presets.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of a preset, as in the list.")],
    resource: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP/RESOURCE", help="Fill in the rule of a preset that fits any kind; may be given again."
        ),
    ] = None,
    subresource: Annotated[
        bool, typer.Option("--subresource/--no-subresource", help="Whether the kinds have a status subresource.")
    ] = True,
    rename: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="The name of the policy, with --resource.")
    ] = None,
    output: Annotated[
        ShowFormat, typer.Option("--output", "-o", help="yaml: the file, with its comments.")
    ] = ShowFormat.YAML,
) -> int:
    """Print a preset, to keep it and change it."""
    from admission.cli import console
    from admission.policyfile.presets import PREFIX, preset_path, preset_text
    from admission.policyfile.template import RuleResource, filled
    from admission.policyfile.yamlfile import load_documents

    path = preset_path(name.removeprefix(PREFIX))
    text = preset_text(path.stem)
    if resource:
        resources = [RuleResource.parse(each, subresource=subresource) for each in resource]
        with _as_flags():
            text = filled(text, str(path), resources, rename)
    elif rename is not None or not subresource:
        raise SettingsError("--name and --no-subresource go with --resource; name the resource that the policy is for")
    if output is ShowFormat.YAML:
        console.raw(text)
    else:
        documents = load_documents(text.encode(), str(path))
        console.raw(json.dumps([each.data for each in documents], indent=2, ensure_ascii=False))
    return Exit.OK


@contextmanager
def _as_flags() -> Iterator[None]:
    """What is wrong with the filled template is wrong with the flags that filled it, not with a line of its file."""
    try:
        yield
    except PolicyError as error:
        if not error.problems:
            raise
        raise SettingsError([_of_flag(problem) for problem in error.problems]) from error


def _of_flag(problem: Problem) -> str:
    return f"{'--name' if problem.path.startswith('metadata.') else '--resource'}: {problem.message}"


def _presets(name: str) -> list[Preset]:
    from admission.policyfile.loader import load_policies
    from admission.policyfile.presets import PREFIX, preset_path
    from admission.policyfile.template import is_template
    from admission.policyfile.yamlfile import load_documents

    path = preset_path(name)
    template = all(is_template(each.data) for each in load_documents(path.read_bytes(), str(path)))
    return [Preset(name, policy, template) for policy in load_policies([f"{PREFIX}{name}"]).policies]


def _resources(policy: Policy) -> list[str]:
    """What the policy is for, as kubectl writes it: ``jobs.batch.volcano.sh``."""
    return [
        ".".join(filter(None, (resource.partition("/")[0], group)))
        for rule in policy.match.resources
        for group in rule.groups
        for resource in rule.resources
    ]


def _told(preset: Preset) -> dict[str, object]:
    policy = preset.policy
    return {
        "name": preset.name,
        "policy": policy.name,
        "anyKind": preset.template,
        "mode": policy.mode,
        "resources": _resources(policy),
        "description": policy.description,
    }


def print_table(found: list[Preset]) -> None:
    """One line a preset; in a pipe of at most :data:`LONGEST_LINE` characters, on a narrow terminal two or more."""
    from admission.cli import console

    out = console.stdout()
    for line in _folded(found, out.width) if out.file.isatty() else _unbroken(found):
        console.verbatim(out, line)


def _unbroken(found: list[Preset]) -> list[Text]:
    lines = _aligned(_cut(_rows(found, _RESOURCES_SHOWN)), LONGEST_LINE)
    assert lines is not None, "the sentences are cut to what is left of a line"  # noqa: S101
    return lines


def _folded(found: list[Preset], width: int) -> list[Text]:
    for shown in range(_RESOURCES_SHOWN, 0, -1):
        lines = _aligned(_rows(found, shown), width)
        if lines is not None:
            return lines
    return _stacked(_rows(found, 1), width)


def _aligned(rows: list[tuple[str, str, str]], width: int) -> list[Text] | None:
    from rich.text import Text

    from admission.cli.columns import align

    head, *rest = ([Text(cell) for cell in row] for row in (_HEAD, *rows))
    return align([[Text(cell.plain, "bold") for cell in head], *rest], width, len(_HEAD) - 1, _LEAST_SENTENCE)


def _stacked(rows: list[tuple[str, str, str]], width: int) -> list[Text]:
    """What a preset does, below its name and resources."""
    from rich.text import Text

    from admission.cli.folding import fold

    lines = [
        (Text.assemble((name, "bold"), " " * _GAP, resources), Text(f"    {sentence}"))
        for name, resources, sentence in rows
    ]
    return [folded for pair in lines for line in pair for folded in fold(line, width, hang=4)]


def _rows(found: list[Preset], shown: int) -> list[tuple[str, str, str]]:
    return [(preset.name, _kinds(preset, shown), _first_sentence(preset.policy.description)) for preset in found]


def _kinds(preset: Preset, shown: int) -> str:
    resources = _resources(preset.policy)
    if not preset.template:
        return _few(resources, shown)
    return "any kind" if shown == 1 else f"any kind, such as {resources[0]}"


def _few(resources: list[str], shown: int) -> str:
    more = len(resources) - shown
    return ", ".join(resources[:shown]) + (f" and {more} more" if more > 0 else "")


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0]


def _cut(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The same rows, what they do cut to the room that a line has for it; nothing breaks lines in a pipe."""
    taken = sum(max(map(len, column)) + _GAP for column in list(zip(_HEAD, *rows, strict=True))[:-1])
    room = max(LONGEST_LINE - taken, 1)
    return [(*row[:-1], row[-1] if len(row[-1]) <= room else f"{row[-1][: room - 1]}…") for row in rows]
