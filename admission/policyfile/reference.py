"""The generated parts of ``policies/README.md``: the reference of the language and the table of presets.

``python -m admission.policyfile.reference --write`` writes them anew between their markers, ``--check`` fails when
they are stale. Everything around the markers is written by hand and stays.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from textwrap import indent
from typing import Any, Final, TypeAlias

from admission.engine.steps import STEPS
from admission.policyfile.document import (
    DESCRIPTION,
    NEVER_TOUCHES,
    SAVES,
    UPSTREAM,
    MetadataModel,
    RolloutModel,
    SpecModel,
    StatusPolicyModel,
    TrimModel,
)
from admission.policyfile.fields import Model
from admission.policyfile.files import read_bytes
from admission.policyfile.jsonschema import policy_schema
from admission.policyfile.limits import LimitModel
from admission.policyfile.loader import load_policies
from admission.policyfile.markdown import Page, table
from admission.policyfile.match import (
    GlobsModel,
    LabelExpressionModel,
    LabelSelectorModel,
    MatchModel,
    ResourceRuleModel,
)
from admission.policyfile.models import STEP_MODELS, StepModel
from admission.policyfile.models.budget import BudgetEntryModel
from admission.policyfile.order import EntryOrderModel, OrderByModel
from admission.policyfile.presets import preset_names, preset_path
from admission.policyfile.requirements import KeepWhereModel, RequirementModel
from admission.policyfile.suppress import SuppressModel, WithinModel
from admission.policyfile.template import TEMPLATE
from admission.policyfile.wording import one_of
from admission.policyfile.yamlfile import load_documents

README: Final = Path(__file__).resolve().parents[2] / "policies" / "README.md"

_DOCUMENT: Final = (
    StatusPolicyModel,
    MetadataModel,
    SpecModel,
    RolloutModel,
    MatchModel,
    ResourceRuleModel,
    GlobsModel,
    LabelSelectorModel,
    LabelExpressionModel,
    TrimModel,
    SuppressModel,
    WithinModel,
    LimitModel,
    RequirementModel,
)
_PARTS_OF_STEPS: Final = (OrderByModel, EntryOrderModel, KeepWhereModel)
_WORDS: Final = {
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "string": "text",
    "object": "map of text",
}

Schema: TypeAlias = Mapping[str, Any]


# --- presets ---------------------------------------------------------------------------------------------------------


def presets_table() -> str:
    """One row a preset: name, what it does, the rule form, what it leaves alone, what it saves, what others do."""
    rows = [_preset_row(name, policy) for name in preset_names() for policy in _preset(name)]
    head = ("preset", "what it does", "resources", "what it never touches", "measured on that shape", "upstream")
    return table(head, rows)


def _preset(name: str) -> Iterator[StatusPolicyModel]:
    path = preset_path(name)
    load_policies([path])
    for document in load_documents(read_bytes(path), path.name):
        yield StatusPolicyModel.model_validate(document.data)


def _preset_row(name: str, policy: StatusPolicyModel) -> tuple[str, ...]:
    notes = policy.metadata.annotations
    rules = [
        f"`{group}`: {', '.join(f'`{resource}`' for resource in rule.resources)}"
        for rule in policy.spec.match.resources
        for group in rule.api_groups
    ]
    fits = f"{notes[TEMPLATE]} As shipped:<br>" if TEMPLATE in notes else ""
    cells = (
        notes.get(DESCRIPTION, ""),
        f"{fits}{'<br>'.join(rules)}",
        notes.get(NEVER_TOUCHES, ""),
        notes.get(SAVES, ""),
        notes.get(UPSTREAM, ""),
    )
    return f"[{name}]({name}.yaml)", *cells


# --- language --------------------------------------------------------------------------------------------------------


def steps_reference() -> str:
    """A table of all steps, one section each, and the parts that they share."""
    models = [STEP_MODELS[step.kind] for step in STEPS]
    rows = [(_link(model.step.kind), _first_sentence(model)) for model in models]
    sections = [_step_section(model) for model in models]
    parts = [_section(model) for model in _PARTS_OF_STEPS]
    return "\n\n".join([table(("step", "what it does"), rows), *sections, *parts])


def document_reference() -> str:
    """One section for every map around the steps."""
    return "\n\n".join(_section(model) for model in _DOCUMENT)


def _step_section(model: type[StepModel]) -> str:
    example = indent(model.example, "    ").lstrip()
    return f"{_section(model, model.step.kind)}\n\n```yaml\ntrim:\n  - {example}\n```"


def _section(model: type[Model], title: str = "") -> str:
    schema = _definition(model)
    required = schema.get("required", ())
    rows = [
        (f"`{key}`", _type(field), _default(field, required=key in required), str(field.get("description", "")))
        for key, field in schema["properties"].items()
    ]
    heading = f"### {title or schema['title']}"
    return f"{heading}\n\n{schema['description']}\n\n{table(('field', 'type', 'default', 'meaning'), rows)}"


@cache
def _schema() -> Schema:
    return policy_schema()


def _definition(model: type[Model]) -> Schema:
    schema = _schema()
    definition: Schema = schema if model is StatusPolicyModel else schema["$defs"][model.__name__]
    return definition


def _type(field: Schema) -> str:
    match field:
        case {"$ref": reference}:
            return _type_of_reference(reference.rpartition("/")[2])
        case {"format": str(name)}:
            return name
        case {"anyOf": choices} | {"oneOf": choices}:
            return " or ".join(_type(choice) for choice in choices if choice.get("type") != "null")
        case {"type": "array", "items": items}:
            return f"list of {_type(items)}"
        case _:
            return _type_of_scalar(field)


def _type_of_scalar(field: Schema) -> str:
    match field:
        case {"const": bool(word)}:
            return f"`{json.dumps(word)}`"
        case {"const": word}:
            return f"`{word}`"
        case {"enum": words}:
            return one_of(f"`{word}`" for word in words)
        case {"type": "integer", "minimum": (0 | 1) as least}:
            return f"whole number ≥ {least}"
        case {"type": kind}:
            return _WORDS[kind]
        case _:
            raise KeyError(f"the reference has no word for {field}")


def _type_of_reference(name: str) -> str:
    if name == BudgetEntryModel.__name__:
        name = TrimModel.__name__  # the same, but for budgets
    definition = _schema()["$defs"][name]
    if definition["type"] != "object":
        return _type(definition)
    kinds = {model.__name__: kind for kind, model in STEP_MODELS.items()}
    return _link(kinds.get(name, definition["title"]))


def _default(field: Schema, *, required: bool) -> str:
    if required:
        return "required"
    default = field.get("default")
    match default:
        case {**members} if members and all(isinstance(value, str) for value in members.values()):
            text = f"{{{', '.join(f'{key}: {value}' for key, value in members.items())}}}"
        case bool():
            text = json.dumps(default)
        case list():
            text = f"[{', '.join(map(str, default))}]"
        case None | dict():
            return ""
        case _:
            text = str(default)
    return f"`{json.dumps(text)[1:-1] if not text.isprintable() else text}`"


def _link(title: str) -> str:
    return f"[{title}](#{title.lower().replace(' ', '-')})"


def _first_sentence(model: type[Model]) -> str:
    return str(_definition(model)["description"]).partition("\n")[0]


# --- command ---------------------------------------------------------------------------------------------------------


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "presets": presets_table,
    "steps": steps_reference,
    "document": document_reference,
}


def main(arguments: Sequence[str] | None = None, readme: Path = README) -> int:
    """Write or check the file; returns the exit code."""
    return Page(readme, PARTS).command(arguments)


if __name__ == "__main__":
    sys.exit(main())
