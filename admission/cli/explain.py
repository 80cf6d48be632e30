"""``statuscap explain``: what a field means, in the manner of ``kubectl explain``."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from admission.cli.exits import Exit

if TYPE_CHECKING:
    from admission.offline.guide import Found


class Format(StrEnum):
    """How a field is printed."""

    TEXT = "text"
    JSON = "json"


def explain(
    path: Annotated[
        str,
        typer.Argument(
            metavar="[PATH]",
            help="The way to a field of a policy (spec.trim.capList), of a suite (suite.cases.expect) or of a line of "
            "the decision log (decision-log.policies). The policy as a whole if not given.",
        ),
    ] = "",
    recursive: Annotated[bool, typer.Option("--recursive", help="List all fields below it, with their types.")] = False,
    output: Annotated[Format, typer.Option("--output", "-o", help="How to print it.")] = Format.TEXT,
) -> Exit:
    """Say what a field of a policy means.

    Its type, what may stand there, what counts when it is not given, and the fields below it: the same as in the
    schemas that statuscap schema prints.
    """
    from admission.offline.guide import look_up, page

    found = look_up(path)
    if output is Format.JSON:
        typer.echo(json.dumps(_told(found, recursive=recursive), indent=2, ensure_ascii=False))
    else:
        typer.echo("\n".join(page(found, recursive=recursive)))
    return Exit.OK


def _told(found: Found, *, recursive: bool) -> dict[str, object]:
    from admission.offline.guide import paths_below

    node = found.node
    fields = list(paths_below(node)) if recursive else [each.name for each in node.members]
    return {
        "kind": found.kind,
        "version": found.version,
        "field": found.path,
        "type": node.type,
        "required": node.required,
        "description": node.description,
        "oneOf": list(node.words),
        "default": node.default or None,
        "fields": fields,
    }
