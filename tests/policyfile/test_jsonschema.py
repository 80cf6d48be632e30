"""The JSON Schema of a policy."""

import json

from admission.policyfile.jsonschema import policy_schema
from admission.policyfile.models import STEP_MODELS


def test_the_schema_is_plain_json_with_its_dialect() -> None:
    schema = policy_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["title"], schema["required"]) == ("StatusPolicy", ["apiVersion", "kind", "metadata", "spec"])


def test_the_schema_knows_every_step_and_wants_one_an_entry() -> None:
    entry = policy_schema()["$defs"]["TrimEntryModel"]
    assert list(entry["properties"]) == ["when", *STEP_MODELS]
    assert entry["oneOf"] == [{"required": [kind]} for kind in STEP_MODELS]


def test_every_map_is_closed_and_every_field_explained() -> None:
    maps = {name: part for name, part in policy_schema()["$defs"].items() if part["type"] == "object"}
    assert [name for name, part in maps.items() if part["additionalProperties"] is not False] == []
    fields = {(name, key): field for name, part in maps.items() for key, field in part["properties"].items()}
    assert [place for place, field in fields.items() if "description" not in field] == []


def test_defaults_are_written_as_in_a_file() -> None:
    fields = policy_schema()["$defs"]["CapConditionsModel"]["properties"]
    assert (fields["path"]["default"], fields["keepTypes"]["default"]) == ("status.conditions", "All")
    assert policy_schema()["$defs"]["SpecModel"]["properties"]["mode"]["default"] == "DryRun"
