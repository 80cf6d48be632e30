"""``statuscap schema``: the JSON Schema of what statuscap reads and writes, for editors and log pipelines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from admission.cli.exits import Exit


class Document(StrEnum):
    """What has a schema."""

    POLICY = "policy"
    SUITE = "suite"
    DECISION_LOG = "decision-log"


class Format(StrEnum):
    """How a schema is printed."""

    JSON = "json"
    YAML = "yaml"


def _policy() -> dict[str, Any]:
    from admission.policyfile.jsonschema import policy_schema

    return policy_schema()


def _suite() -> dict[str, Any]:
    from admission.offline.suiteschema import suite_schema

    return suite_schema()


def _decision_log() -> dict[str, Any]:
    from admission.observe.entryschema import entry_schema

    return entry_schema()


def _yaml(schema: dict[str, Any]) -> str:
    from admission.offline.yamltext import to_yaml

    return to_yaml(schema).rstrip()


_SCHEMAS: Final[Mapping[Document, Callable[[], dict[str, Any]]]] = {
    Document.POLICY: _policy,
    Document.SUITE: _suite,
    Document.DECISION_LOG: _decision_log,
}


def schema(
    document: Annotated[Document, typer.Argument(metavar="policy|suite|decision-log", help="What to describe.")],
    output: Annotated[Format, typer.Option("--output", "-o", help="How to print it.")] = Format.JSON,
) -> Exit:
    """Print a JSON Schema.

    Draft 2020-12, of a policy, of a suite or of a line of the decision log. Editors complete and check policies with
    it, log pipelines read lines with it.
    """
    described = _SCHEMAS[document]()
    typer.echo(_yaml(described) if output is Format.YAML else json.dumps(described, indent=2, ensure_ascii=False))
    return Exit.OK
