"""Presets that fit any kind: their rule is filled in, all else stays as it is written, comments included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from admission.errors import PolicyError
from admission.policyfile.loader import policies_from_data
from admission.policyfile.resources import checked_group, checked_resource
from admission.policyfile.wording import quote
from admission.policyfile.yamlfile import load_documents
from admission.policyfile.yamlreader import YamlDocument

TEMPLATE: Final = "statuscap.dev/template"
"""The annotation of a preset that fits any kind; its text says of which shape."""

_RESOURCES: Final = ("spec", "match", "resources")
_NAME: Final = ("metadata", "name")
_STATUS: Final = "status"


@dataclass(frozen=True, slots=True)
class RuleResource:
    """One resource of a rule: its group, and its name in the form of a rule."""

    group: str
    resource: str

    @classmethod
    def parse(cls, text: str, *, subresource: bool = True) -> RuleResource:
        """Read ``GROUP/RESOURCE``; ``subresource`` says that the kind has a status subresource, as nearly all have.

        Raises:
            PolicyError: it has another form.
        """
        group, slash, name = text.partition("/")
        if not slash or not group or name.count("/") > 1:
            raise PolicyError(f"{quote(text)} is no resource; write GROUP/RESOURCE, for example batch.volcano.sh/jobs")
        plain = name.removesuffix(f"/{_STATUS}")
        try:
            return cls(checked_group(group), checked_resource(f"{plain}/{_STATUS}" if subresource else plain))
        except ValueError as error:
            raise PolicyError(str(error)) from error


def is_template(data: Mapping[str, Any]) -> bool:
    """True for the document of a preset that fits any kind."""
    return TEMPLATE in data.get("metadata", {}).get("annotations", {})


def filled(text: str, file: str, resources: Sequence[RuleResource], name: str | None = None) -> str:
    """The text of a template with the rule for these resources, under another name if one is given.

    Raises:
        PolicyError: the file is no template, or the policy would not load (a group that policies are not for).
    """
    (document,) = load_documents(text.encode(), file)
    if not is_template(document.data):
        raise PolicyError(
            f"{document.data['metadata']['name']} is for the resources that it names; show it without --resource"
        )
    filled_text = "\n".join(_lines(text.split("\n"), document, resources, name))
    (result,) = load_documents(filled_text.encode(), file)
    policies_from_data(result.data, result.lines, file)
    return filled_text


def _lines(
    lines: list[str], document: YamlDocument, resources: Sequence[RuleResource], name: str | None
) -> Iterator[str]:
    head, renamed = document.lines.at(_RESOURCES) - 1, document.lines.at(_NAME) - 1
    indent = _indent(lines[head])
    end = next((at for at in range(head + 1, len(lines)) if lines[at].strip() and _indent(lines[at]) <= indent), None)
    for number, line in enumerate(lines):
        if number == head:
            yield f"{line[:indent]}resources:"
            yield from (f"{' ' * indent}  - {_rule(each)}" for each in resources)
        elif head < number < (len(lines) if end is None else end):
            continue
        elif number == renamed and name is not None:
            yield f"{line[: _indent(line)]}name: {name}"
        else:
            yield line


def _rule(of: RuleResource) -> str:
    return f'{{apiGroups: [{of.group}], apiVersions: ["*"], resources: [{of.resource}]}}'


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
