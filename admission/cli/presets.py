"""``statuscap presets``."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from admission.cli.exits import Exit

if TYPE_CHECKING:
    from admission.engine.policy import Policy

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

    Each with its resources and what it does; -p preset:NAME uses it.
    """
    from admission.cli import console
    from admission.policyfile.presets import preset_names

    found = [(name, policy) for name in preset_names() for policy in _policies(name)]
    if output is Format.JSON:
        told = [_told(name, policy) for name, policy in found]
        console.raw(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        _print_table(found)
    return Exit.OK


@presets.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of a preset, as in the list.")],
    output: Annotated[ShowFormat, typer.Option("--output", "-o", help="yaml: the file as it is.")] = ShowFormat.YAML,
) -> int:
    """Print a preset, to keep it and change it."""
    from admission.cli import console
    from admission.policyfile.presets import preset_path
    from admission.policyfile.yamlfile import load_documents

    path = preset_path(name)
    text = path.read_bytes()
    if output is ShowFormat.YAML:
        console.raw(text.decode())
    else:
        console.raw(json.dumps([each.data for each in load_documents(text, str(path))], indent=2, ensure_ascii=False))
    return Exit.OK


def _policies(name: str) -> list[Policy]:
    from admission.policyfile.loader import load_policies

    return list(load_policies([f"preset:{name}"]).policies)


def _resources(policy: Policy) -> list[str]:
    """What the policy is for, as kubectl writes it: ``jobs.batch.volcano.sh``."""
    return [
        ".".join(filter(None, (resource.partition("/")[0], group)))
        for rule in policy.match.resources
        for group in rule.groups
        for resource in rule.resources
    ]


def _told(name: str, policy: Policy) -> dict[str, object]:
    return {
        "name": name,
        "policy": policy.name,
        "mode": policy.mode,
        "resources": _resources(policy),
        "description": policy.description,
    }


def _print_table(found: list[tuple[str, Policy]]) -> None:
    from rich.table import Table

    from admission.cli import console

    out = console.stdout()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("NAME", no_wrap=True)
    table.add_column("RESOURCES", overflow="fold")
    table.add_column("WHAT IT DOES", overflow="fold", ratio=1 if out.is_terminal else None)
    for name, policy in found:
        table.add_row(
            name, "\n".join(_resources(policy)) if out.is_terminal else ",".join(_resources(policy)), policy.description
        )
    out.print(table)
